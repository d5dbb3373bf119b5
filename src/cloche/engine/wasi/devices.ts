/** The devices in /dev that programs need. */

import { throwErrno } from "./errno.ts";
import { DeviceHandle, type Handle, type Handles } from "./handles.ts";

/** The most bytes that an endless device returns at once. */
const BLOCK = 64 << 10;
const STANDARD = ["stdin", "stdout", "stderr"];

/** /dev: a few names that are in no folder. */
export class Devices {
  readonly #all: Record<string, () => Handle>;

  constructor(private readonly handles: Handles, others: Record<string, () => Handle> = {}) {
    const swallow = () => {};
    this.#all = {
      null: () => new DeviceHandle(() => new Uint8Array(0), swallow),
      zero: () => new DeviceHandle((max) => new Uint8Array(Math.min(max, BLOCK)), swallow),
      full: () => new DeviceHandle((max) => new Uint8Array(Math.min(max, BLOCK)), () => throwErrno("ENOSPC")),
      random: () => new DeviceHandle(randomBytes, swallow),
      urandom: () => new DeviceHandle(randomBytes, swallow),
      ...others,
    };
    for (const [number, name] of STANDARD.entries()) this.#all[name] = () => handles.get(number);
  }

  get names(): string[] {
    return Object.keys(this.#all);
  }

  /** The device at a normalised path; null for /dev itself, undefined for any other path. */
  find(path: string): Handle | null | undefined {
    if (path === "/dev") return null;
    if (!path.startsWith("/dev/")) return undefined;
    const name = path.slice("/dev/".length);
    const [, number] = name.match(/^fd\/(\d+)$/) ?? [];
    if (number !== undefined) return this.handles.get(Number(number));
    return Object.hasOwn(this.#all, name) ? this.#all[name]() : throwErrno("ENOENT");
  }
}

function randomBytes(max: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(Math.min(max, BLOCK)));
}
