/** The file operations of a program: every argument is checked, every path is in the guest's tree. */

import { FileError, type OpenFile, type OpenMode, type Stat } from "../../fs/files.ts";
import type { Tree } from "../../fs/tree.ts";
import { FIXED_LIMITS } from "../../limits.ts";
import { GuestError, type HostFunction, type Value } from "./quickjs/vm.ts";

interface Open {
  file: OpenFile;
  position: number;
  append: boolean;
}

const KINDS = ["file", "directory", "link", "other"];
/** Bytes that are read at once. */
const MOST_BYTES = 256 << 20;
const FIRST = 3;

const MODES: Record<string, Partial<OpenMode> & { append?: boolean }> = {
  "r": { read: true },
  "r+": { read: true, write: true },
  "w": { write: true, create: true, truncate: true },
  "wx": { write: true, create: true, truncate: true, exclusive: true },
  "w+": { read: true, write: true, create: true, truncate: true },
  "wx+": { read: true, write: true, create: true, truncate: true, exclusive: true },
  "a": { write: true, create: true, append: true },
  "ax": { write: true, create: true, exclusive: true, append: true },
  "a+": { read: true, write: true, create: true, append: true },
};
const CLOSED: OpenMode = { read: false, write: false, create: false, exclusive: false, truncate: false };

export class ProgramFiles {
  readonly #open = new Map<number, Open>();

  constructor(private readonly tree: Tree) {}

  functions(): Record<string, HostFunction> {
    const { tree } = this;
    return {
      stat: (path, follow) => statOf(follow === true ? tree.stat(checkText(path)) : tree.lstat(checkText(path))),
      list: (path) => tree.list(checkText(path)).flatMap(({ name, kind }) => [name, KINDS.indexOf(kind)]),
      readFile: (path) => this.#readFile(checkText(path)),
      writeFile: (path, data, flag, mode) =>
        this.#writeFile(checkText(path), checkBytes(data), checkText(flag), checkNumber(mode)),
      open: (path, flag, mode) => this.#openFile(checkText(path), checkText(flag), checkNumber(mode)),
      close: (fd) => this.#close(checkNumber(fd)),
      read: (fd, length, position) => this.#read(checkNumber(fd), checkNumber(length), place(position)),
      write: (fd, data, position) => this.#write(checkNumber(fd), checkBytes(data), place(position)),
      fstat: (fd) => statOf(this.#get(fd).file.stat()),
      fsync: (fd) => this.#get(fd).file.sync(),
      ftruncate: (fd, size) => this.#get(fd).file.truncate(checkNumber(size)),
      mkdir: (path, mode) => tree.makeDirectory(checkText(path), checkNumber(mode)),
      rmdir: (path) => tree.removeDirectory(checkText(path)),
      unlink: (path) => tree.removeFile(checkText(path)),
      rename: (from, to) => tree.rename(checkText(from), checkText(to)),
      link: (from, to) => tree.hardLink(checkText(from), checkText(to)),
      symlink: (target, path) => tree.makeLink(checkText(target), checkText(path)),
      readlink: (path) => tree.readLink(checkText(path)),
      realpath: (path) => tree.realPath(checkText(path)),
      chmod: (path, mode) => tree.chmod(checkText(path), checkNumber(mode) & 0o777),
      utimes: (path, atime, mtime) => tree.setTimes(checkText(path), checkNumber(atime), checkNumber(mtime)),
    };
  }

  /** How many are open. */
  get count(): number {
    return this.#open.size;
  }

  /** Closes what the program left open. */
  close(): void {
    for (const { file } of this.#open.values()) file.close();
    this.#open.clear();
  }

  #readFile(path: string): Uint8Array {
    if (this.tree.stat(path).size > MOST_BYTES) throw new FileError("EFBIG", path);
    return this.tree.readFile(path);
  }

  #writeFile(path: string, data: Uint8Array, flag: string, mode: number): void {
    const fd = this.#openFile(path, flag, mode);
    try {
      this.#write(fd, data, null);
    } finally {
      this.#close(fd);
    }
  }

  #openFile(path: string, flag: string, mode: number): number {
    if (!Object.hasOwn(MODES, flag)) throw new FileError("EINVAL", path);
    if (this.#open.size >= FIXED_LIMITS.smallInterpreterFiles) throw new FileError("EMFILE", path);
    const { append = false, ...rest } = MODES[flag];
    const file = this.tree.open(path, { ...CLOSED, ...rest }, mode & 0o777);
    let fd = FIRST;
    while (this.#open.has(fd)) fd++;
    this.#open.set(fd, { file, position: 0, append });
    return fd;
  }

  #close(fd: number): void {
    this.#get(fd).file.close();
    this.#open.delete(fd);
  }

  #read(fd: number, length: number, position: number | null): Uint8Array {
    const open = this.#get(fd);
    const at = position ?? open.position;
    const data = new Uint8Array(Math.max(0, Math.min(length, open.file.stat().size - at, MOST_BYTES)));
    const count = data.length > 0 ? open.file.read(data, at) : 0;
    if (position === null) open.position += count;
    return data.subarray(0, count);
  }

  #write(fd: number, data: Uint8Array, position: number | null): number {
    const open = this.#get(fd);
    let at = open.append ? open.file.stat().size : position ?? open.position;
    for (let done = 0; done < data.length;) {
      const count = open.file.write(data.subarray(done), at);
      done += count;
      at += count;
    }
    if (position === null) open.position = at;
    return data.length;
  }

  #get(fd: Value): Open {
    const open = typeof fd === "number" ? this.#open.get(fd) : undefined;
    if (!open) throw new FileError("EBADF");
    return open;
  }
}

function statOf({ kind, mode, size, mtime, atime, ino, links }: Stat): Value {
  return [KINDS.indexOf(kind), mode, size, mtime, atime, ino, links];
}

export function checkText(value: Value): string {
  if (typeof value !== "string") throw new GuestError("TypeError", "a text was expected", "ERR_INVALID_ARG_TYPE");
  if (value.includes("\0")) throw new GuestError("TypeError", "the text holds a null byte", "ERR_INVALID_ARG_VALUE");
  return value;
}

export function checkNumber(value: Value): number {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new GuestError("TypeError", "a number was expected", "ERR_INVALID_ARG_TYPE");
  }
  return value;
}

export function checkBytes(value: Value): Uint8Array {
  if (typeof value === "string") return new TextEncoder().encode(value);
  if (!(value instanceof Uint8Array)) throw new GuestError("TypeError", "bytes were expected", "ERR_INVALID_ARG_TYPE");
  return value;
}

function place(value: Value): number | null {
  return typeof value === "number" && value >= 0 ? Math.floor(value) : null;
}
