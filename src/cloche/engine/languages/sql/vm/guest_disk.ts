/** The guest's files for SQLite: its interface to an operating system, implemented by our functions. */

import { FileError } from "../../../fs/files.ts";
import { installFunctions, type TableFunction } from "../../../wasm/table_functions.ts";
import { DatabaseFile } from "./open_file.ts";
import type { ConnectionContext, Vm } from "./vm.ts";
import { CANT_OPEN, CODE, OK, OPEN } from "./exports.ts";

const IO = {
  read: 10 | 1 << 8,
  shortRead: 10 | 2 << 8,
  write: 10 | 3 << 8,
  truncate: 10 | 6 << 8,
  remove: 10 | 10 << 8,
  missing: 10 | 23 << 8,
};
const NOT_FOUND = 12;
/** The record of an open file: its methods, and its number here. */
const FILE_SIZE = 8;
const PATH_SIZE = 1024;
const SECTOR = 4096;
const NAME = "cloche";
/** Milliseconds from the beginning of SQLite's calendar to that of JavaScript's. */
const EPOCH = 210_866_760_000_000n;
/** A written page stays intact, whatever happens to the process. */
const SAFE_OVERWRITE = 0x1000;

export class Disk {
  readonly #files = new Map<number, DatabaseFile>();
  #last = 0;
  #methods = 0;

  constructor(private readonly vm: Vm, private readonly context: ConnectionContext) {}

  /** Makes this the place of all databases. */
  register(): void {
    const methods = this.#place(this.#fileMethods());
    this.#methods = this.#record([1, ...methods]);
    const [open, remove, access, path, random, sleep, time, last, now] = this.#place(this.#diskMethods());
    const name = this.vm.keep(NAME);
    const head = [2, FILE_SIZE, PATH_SIZE, 0, name, 0];
    const disk = this.#record([...head, open, remove, access, path, 0, 0, 0, 0, random, sleep, time, last, now]);
    this.vm.exports.sqlite3_vfs_register(disk, 1);
  }

  #place(functions: TableFunction[]): number[] {
    return installFunctions(this.vm.exports.__indirect_function_table, functions);
  }

  #record(words: number[]): number {
    const address = this.vm.exports.malloc(4 * words.length);
    words.forEach((word, index) => this.vm.view.setInt32(address + 4 * index, word, true));
    return address;
  }

  #diskMethods(): TableFunction[] {
    const { vm, context } = this;
    return [
      {
        signature: "iiiiii",
        run: (_: number, name: number, at: number, flags: number, out: number) => this.#open(name, at, flags, out),
      },
      { signature: "iiii", run: (_: number, name: number) => this.#remove(vm.text(name)) },
      {
        signature: "iiiii",
        run: (_: number, name: number, __: number, out: number) => {
          vm.view.setInt32(out, Number(context.tree.exists(vm.text(name))), true);
          return OK;
        },
      },
      {
        signature: "iiiii",
        run: (_: number, name: number, size: number, out: number) => this.#fullPath(name, size, out),
      },
      {
        signature: "iiii",
        run: (_: number, size: number, out: number) => {
          crypto.getRandomValues(vm.bytes.subarray(out, out + size) as Uint8Array<ArrayBuffer>);
          return size;
        },
      },
      { signature: "iii", run: (_: number, microseconds: number) => microseconds },
      {
        signature: "iii",
        run: (_: number, out: number) => {
          vm.view.setFloat64(out, Date.now() / 86_400_000 + 2_440_587.5, true);
          return OK;
        },
      },
      { signature: "iiii", run: () => OK },
      {
        signature: "iii",
        run: (_: number, out: number) => {
          vm.view.setBigInt64(out, BigInt(Date.now()) + EPOCH, true);
          return OK;
        },
      },
    ];
  }

  #fileMethods(): TableFunction[] {
    const { vm, context } = this;
    return [
      { signature: "ii", run: (at: number) => this.#close(at) },
      {
        signature: "iiiij",
        run: (at: number, into: number, size: number, from: bigint) => this.#read(at, into, size, from),
      },
      {
        signature: "iiiij",
        run: (at: number, from: number, size: number, to: bigint) =>
          this.#try(IO.write, () => this.#file(at).write(vm.bytes.subarray(from, from + size), Number(to))),
      },
      {
        signature: "iij",
        run: (at: number, size: bigint) => this.#try(IO.truncate, () => this.#file(at).truncate(Number(size))),
      },
      // Writes reach the host at once; the sandbox's files need not survive a power failure.
      { signature: "iii", run: () => OK },
      {
        signature: "iii",
        run: (at: number, out: number) =>
          this.#try(IO.read, () => vm.view.setBigInt64(out, BigInt(this.#file(at).size), true)),
      },
      { signature: "iii", run: (at: number, level: number) => this.#lock(at, level) },
      {
        signature: "iii",
        run: (at: number, level: number) => {
          const file = this.#file(at);
          context.locks.lower(file.path, file, level);
          return OK;
        },
      },
      {
        signature: "iii",
        run: (at: number, out: number) => {
          vm.view.setInt32(out, Number(context.locks.isReserved(this.#file(at).path)), true);
          return OK;
        },
      },
      { signature: "iiii", run: () => NOT_FOUND },
      { signature: "ii", run: () => SECTOR },
      { signature: "ii", run: () => SAFE_OVERWRITE },
    ];
  }

  #file(at: number): DatabaseFile {
    const file = this.#files.get(this.vm.view.getInt32(at + 4, true));
    if (!file) throw new Error("SQLite asks for a file that is not open");
    return file;
  }

  #open(name: number, at: number, flags: number, out: number): number {
    const { vm } = this;
    vm.view.setInt32(at, 0, true);
    const number = ++this.#last;
    const path = name === 0 ? `/tmp/.sqlite-${number}-${Date.now()}` : vm.text(name);
    const create = (flags & OPEN.create) !== 0;
    const temporary = (flags & OPEN.deleteOnClose) !== 0;
    const attempt = (writable: boolean) =>
      this.#try(CANT_OPEN, () => {
        const file = new DatabaseFile(this.context.tree, path, writable, create && writable, temporary);
        this.#files.set(number, file);
        vm.view.setInt32(at, this.#methods, true);
        vm.view.setInt32(at + 4, number, true);
        const given = writable ? flags : flags & ~(OPEN.readWrite | OPEN.create) | OPEN.readOnly;
        if (out !== 0) vm.view.setInt32(out, given, true);
      });
    const wanted = (flags & OPEN.readWrite) !== 0;
    const code = attempt(wanted);
    return code !== OK && wanted && (flags & OPEN.mainDatabase) !== 0 ? attempt(false) : code;
  }

  #close(at: number): number {
    const file = this.#file(at);
    this.context.locks.lower(file.path, file, 0);
    this.#files.delete(this.vm.view.getInt32(at + 4, true));
    return this.#try(CODE.input, () => file.close());
  }

  #read(at: number, into: number, size: number, from: bigint): number {
    return this.#try(IO.read, () => {
      const target = this.vm.bytes.subarray(into, into + size);
      const count = this.#file(at).read(target, Number(from));
      target.fill(0, count);
      return count < size ? IO.shortRead : OK;
    });
  }

  #lock(at: number, level: number): number {
    const file = this.#file(at);
    // A new reader sees the current file.
    if (file.level === 0) {
      const code = this.#try(IO.read, () => file.look());
      if (code !== OK) return code;
    }
    return this.context.locks.raise(file.path, file, level) ? OK : CODE.busy;
  }

  #remove(path: string): number {
    return this.#try(IO.remove, () => {
      if (!this.context.tree.exists(path)) return IO.missing;
      this.context.tree.removeFile(path);
      return OK;
    });
  }

  #fullPath(name: number, size: number, out: number): number {
    const given = this.vm.text(name);
    const path = new TextEncoder().encode(normal(given.startsWith("/") ? given : `${this.context.cwd}/${given}`));
    if (path.length >= size) return CANT_OPEN;
    this.vm.bytes.set([...path, 0], out);
    return OK;
  }

  #try(code: number, act: () => number | void): number {
    try {
      return act() ?? OK;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (error.code === "ENOSPC") return CODE.full;
      return error.code === "EROFS" ? CODE.readOnly : code;
    }
  }
}

function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
