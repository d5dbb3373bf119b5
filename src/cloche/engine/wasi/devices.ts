/** /dev, as far as programs need it. */

import { refuse } from "./errno.ts";
import { DeviceHandle, type Handle } from "./handles.ts";

/** Bytes that an endless device gives at once. */
const BLOCK = 64 << 10;
const STANDARD = ["stdin", "stdout", "stderr"];

/** /dev: a few names that no folder holds. */
export class Devices {
  readonly #all: Record<string, () => DeviceHandle>;

  constructor(standard: Handle[], more: Record<string, () => DeviceHandle> = {}) {
    const swallow = () => {};
    this.#all = {
      ...more,
      null: () => new DeviceHandle(() => new Uint8Array(0), swallow),
      zero: () => new DeviceHandle((max) => new Uint8Array(Math.min(max, BLOCK)), swallow),
      full: () => new DeviceHandle((max) => new Uint8Array(Math.min(max, BLOCK)), () => refuse("ENOSPC")),
      random: () => new DeviceHandle(randomBytes, swallow),
      urandom: () => new DeviceHandle(randomBytes, swallow),
    };
    for (const [index, name] of STANDARD.entries()) {
      this.#all[name] = () => standard[index] as DeviceHandle;
    }
  }

  get names(): string[] {
    return Object.keys(this.#all);
  }

  /** The device at a path, which is clean; null for /dev itself, undefined when it is not about devices. */
  find(path: string): DeviceHandle | null | undefined {
    if (path === "/dev") return null;
    if (!path.startsWith("/dev/")) return undefined;
    const name = path.slice("/dev/".length);
    return Object.hasOwn(this.#all, name) ? this.#all[name]() : refuse("ENOENT");
  }
}

function randomBytes(max: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(Math.min(max, BLOCK)));
}
