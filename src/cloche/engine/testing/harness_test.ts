/** Helpers of the tests. Its name keeps it out of the wheel; it contains no tests. */

import { ok, strictEqual, throws } from "node:assert/strict";
import { type Code, FileError, type Files, type Folder, type OpenMode } from "../fs/files.ts";
import { FolderFiles } from "../fs/folder.ts";
import { Quota } from "../fs/quota.ts";
import { Tree } from "../fs/tree.ts";
import { PlatformFiles } from "../platform/deno/files.ts";
import { changeFile } from "../platform/deno/platform.ts";

export const READ: OpenMode = { read: true, write: false, create: false, exclusive: false, truncate: false };
export const WRITE: OpenMode = { read: false, write: true, create: true, exclusive: false, truncate: true };
export const UPDATE: OpenMode = { read: true, write: true, create: true, exclusive: false, truncate: false };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A folder of the host that exists as long as the block that uses it. */
export class Scratch implements Disposable {
  readonly path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "cloche-test-" }));

  write(name: string, text: string | Uint8Array): string {
    const path = `${this.path}/${name}`;
    Deno.writeFileSync(path, typeof text === "string" ? encoder.encode(text) : text);
    return path;
  }

  read(name: string): string {
    return Deno.readTextFileSync(`${this.path}/${name}`);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** A guest's namespace: /workspace, /tmp, /mnt/data and, read-only, /mnt/fixed; beside them is what it must not see. */
export class World extends Scratch {
  readonly used = new BigInt64Array(new SharedArrayBuffer(8));
  readonly folders: FolderFiles[];
  readonly tree: Tree;

  constructor(limit = 1 << 20) {
    super();
    const quota = new Quota(this.used.buffer as SharedArrayBuffer, limit);
    const targets = { workspace: "/workspace", tmp: "/tmp", data: "/mnt/data", fixed: "/mnt/fixed" };
    for (const name of [...Object.keys(targets), "outside"]) Deno.mkdirSync(`${this.path}/${name}`);
    this.write("outside/secret", "secret");
    const files = watched(new PlatformFiles(changeFile), `${this.path}/outside`);
    this.folders = Object.entries(targets).map(([name, target]) => {
      const folder: Folder = { target, host: `${this.path}/${name}`, readOnly: name === "fixed" };
      return new FolderFiles(folder, files, quota);
    });
    this.tree = new Tree(this.folders);
  }

  /** Bytes that count against the quota. */
  get counted(): number {
    return Number(this.used[0]);
  }

  text(path: string): string {
    return decoder.decode(this.tree.readFile(path));
  }

  put(path: string, text: string, mode = WRITE): void {
    const file = this.tree.open(path, mode);
    try {
      const data = encoder.encode(text);
      strictEqual(file.write(data, 0), data.length);
    } finally {
      file.close();
    }
  }

  link(target: string, name: string): void {
    Deno.symlinkSync(target, `${this.path}/${name}`);
  }
}

/** Fails as soon as the host itself would follow a link or leave the folders on the way to a path. */
function watched(files: Files, outside: string): Files {
  const check = (path: unknown) => {
    if (typeof path !== "string" || !path.startsWith("/")) return;
    const parent = path.slice(0, path.lastIndexOf("/"));
    ok(!`${path}/`.includes("/../"), `${path} has '..' in it`);
    if (pathExists(parent)) strictEqual(Deno.realPathSync(parent), parent, "the host followed a link");
    ok(path !== outside && !path.startsWith(outside + "/"), `${path} is outside`);
  };
  return new Proxy(files, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        // The text of a link is not a path that is checked.
        (name === "makeLink" ? args.slice(1) : args).forEach(check);
        return method.apply(target, args);
      };
    },
  });
}

export function pathExists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Expects a FileError with the code; returns its path. */
export function expectFailure(code: Code, act: () => unknown): string {
  let path = "";
  throws(act, (error) => {
    ok(error instanceof FileError, `${error}`);
    strictEqual(error.code, code, `${error}`);
    path = error.path;
    return true;
  });
  return path;
}

/** The same for a promise. */
export async function failsLater(code: Code, act: Promise<unknown>): Promise<void> {
  const error = await act.then(() => undefined, (reason) => reason);
  ok(error instanceof FileError, `${error}`);
  strictEqual(error.code, code, `${error}`);
}

/** Numbers below `limit` that look random and are the same in every run. */
export function makeDice(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % limit;
  };
}

/** The promise, or a failure if it takes too long. */
export async function waitSoon<T>(promise: Promise<T>, what = "the wait", ms = 5000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took too long`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
