/** The system calls of Lua's program, over the guest's files and its services. */

import { Interrupted } from "../../../worker/request_errors.ts";
import { ERRNO, FileError } from "../../../fs/files.ts";
import type { Tree } from "../../../fs/tree.ts";
import type { Stream } from "../../../protocol.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { type Descriptor, Flow, readingDescriptor, TreeFile, unreadableDescriptor } from "./descriptors.ts";
import { FIXED_LIMITS } from "../../../limits.ts";
import type { Vm } from "./vm.ts";

const O = { WRITE: 1, READ_WRITE: 2, CREATE: 64, EXCLUSIVE: 128, TRUNCATE: 512, APPEND: 1024 };
const ERROR = { interrupted: 27, notTerminal: 59 };
const REMOVE_DIRECTORY = 512;
const FIRST = 3;
/** Bytes that are collected for a command before it starts. */
const PIPE_SIZE = 64 << 20;
const PIPES = "/dev/pipe/";

/** What a Lua program may use outside itself. */
export interface LuaSystemServices {
  readonly tree: Tree;
  readonly cwd: string;
  write(stream: Stream, data: Uint8Array): void;
  /** Some bytes of input, not more than fit; 0 at its end. Throws Interrupted. */
  read(into: Uint8Array): number;
  /** Runs a command in bash; its output goes where Lua's goes, unless it is captured. Throws Interrupted. */
  execute(script: string, stdin: Uint8Array, capture: boolean): { exitCode: number; stdout: Uint8Array };
}

/** A command at one end of a Lua file. */
interface Pipe {
  flow: Descriptor;
  /** Returns the exit code. */
  end(): number;
}

export class System {
  /** Called when a wait was ended by an interrupt. */
  onInterrupt: () => void = () => {};
  readonly #open = new Map<number, Descriptor>();
  readonly #pipes = new Map<string, Pipe>();
  #pipe = 0;

  constructor(private readonly vm: Vm, private readonly world: LuaSystemServices) {
    const put = (stream: Stream) => (from: Uint8Array) => (world.write(stream, from), from.length);
    this.#open.set(0, new Flow((into) => world.read(into), unreadableDescriptor));
    this.#open.set(1, new Flow(unreadableDescriptor, put("stdout")));
    this.#open.set(2, new Flow(unreadableDescriptor, put("stderr")));
  }

  /** Starts a command; returns the path at which its file can be opened, or null if too many are open. */
  pipe(script: string, forReading: boolean): string | null {
    if (this.#pipes.size + this.#open.size >= FIXED_LIMITS.smallInterpreterFiles) return null;
    const path = `${PIPES}${++this.#pipe}`;
    this.#pipes.set(path, forReading ? this.#from(script) : this.#into(script));
    return path;
  }

  /** The exit code of a command whose file is closed. */
  endPipe(path: string): number {
    const pipe = this.#pipes.get(path);
    this.#pipes.delete(path);
    return this.wait(() => pipe?.end() ?? 0, 130);
  }

  /** How many files and commands are open, beside the streams. */
  get openFiles(): number {
    return this.#open.size + this.#pipes.size - FIRST;
  }

  closeFiles(): void {
    for (const [descriptor, file] of this.#open) if (descriptor >= FIRST) file.close();
    this.#open.clear();
  }

  imports() {
    return {
      __syscall_openat: (_: number, path: number, flags: number) => this.#negative(() => this.#openFile(path, flags)),
      __syscall_unlinkat: (_: number, path: number, flags: number) => this.#negative(() => this.#remove(path, flags)),
      __syscall_rmdir: (path: number) => this.#negative(() => this.#remove(path, REMOVE_DIRECTORY)),
      __syscall_renameat: (_: number, from: number, __: number, to: number) =>
        this.#negative(() => this.world.tree.rename(this.#path(from), this.#path(to))),
      __syscall_readlinkat: (_: number, path: number, into: number, size: number) =>
        this.#negative(() => this.#readLink(path, into, size)),
      __syscall_fcntl64: () => 0,
      __syscall_ioctl: () => -ERROR.notTerminal,
      __syscall_dup3: () => -ERRNO.EINVAL,
      fd_read: (file: number, parts: number, count: number, done: number) =>
        this.#positive(() => this.#transfer(parts, count, done, (bytes) => this.#file(file).read(bytes))),
      fd_write: (file: number, parts: number, count: number, done: number) =>
        this.#positive(() => this.#transfer(parts, count, done, (bytes) => this.#file(file).write(bytes))),
      fd_seek: (file: number, offset: bigint, whence: number, into: number) =>
        this.#positive(() => {
          const at = this.#file(file).seek(Number(offset), whence);
          this.vm.view.setBigInt64(into, BigInt(at), true);
        }),
      fd_close: (file: number) => this.#positive(() => this.#close(file)),
      environ_sizes_get: (count: number, size: number) => {
        this.vm.view.setUint32(count, 0, true);
        this.vm.view.setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      system: (script: number) => script === 0 ? 1 : this.#execute(this.vm.text(script)),
    };
  }

  /** The guest's absolute path. */
  resolve(path: string): string {
    return path.startsWith("/") ? path : `${this.world.cwd}/${path}`;
  }

  #path(address: number): string {
    return this.resolve(this.vm.text(address));
  }

  #file(number: number): Descriptor {
    const file = this.#open.get(number);
    if (!file) throw new FileError("EBADF");
    return file;
  }

  #openFile(address: number, flags: number): number {
    if (this.#open.size >= FIXED_LIMITS.smallInterpreterFiles) throw new FileError("EMFILE");
    const path = this.#path(address);
    const file = this.#device(path) ?? this.#treeFile(path, flags);
    let number = FIRST;
    while (this.#open.has(number)) number++;
    this.#open.set(number, file);
    return number;
  }

  #device(path: string): Descriptor | undefined {
    const streams = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    if (streams.includes(path)) return this.#open.get(streams.indexOf(path));
    if (path === "/dev/null") return new Flow(() => 0, (from) => from.length);
    return this.#pipes.get(path)?.flow;
  }

  #treeFile(path: string, flags: number): Descriptor {
    const write = (flags & (O.WRITE | O.READ_WRITE)) !== 0;
    const mode = {
      read: (flags & O.WRITE) === 0,
      write,
      create: write && (flags & O.CREATE) !== 0,
      exclusive: (flags & O.EXCLUSIVE) !== 0,
      truncate: write && (flags & O.TRUNCATE) !== 0,
    };
    return new TreeFile(this.world.tree.open(path, mode), (flags & O.APPEND) !== 0);
  }

  #close(number: number): void {
    const file = this.#file(number);
    if (number < FIRST) return;
    this.#open.delete(number);
    file.close();
  }

  #remove(address: number, flags: number): void {
    const path = this.#path(address);
    if (flags & REMOVE_DIRECTORY) this.world.tree.removeDirectory(path);
    else if (this.world.tree.lstat(path).kind === "directory") throw new FileError("EISDIR");
    else this.world.tree.removeFile(path);
  }

  #readLink(address: number, into: number, size: number): number {
    const target = new TextEncoder().encode(this.world.tree.readLink(this.#path(address))).subarray(0, size);
    this.vm.bytes.set(target, into);
    return target.length;
  }

  /** Applies an operation to each of the buffers that C lists. */
  #transfer(parts: number, count: number, done: number, act: (bytes: Uint8Array) => number): void {
    let sum = 0;
    for (let index = 0; index < count; index++) {
      const { view, bytes } = this.vm;
      const [from, size] = [view.getUint32(parts + 8 * index, true), view.getUint32(parts + 8 * index + 4, true)];
      if (size === 0) continue;
      const moved = act(bytes.subarray(from, from + size));
      sum += moved;
      if (moved < size) break;
    }
    this.vm.view.setUint32(done, sum, true);
  }

  #execute(script: string): number {
    return this.wait(() => this.world.execute(script, new Uint8Array(0), false).exitCode, 130);
  }

  #from(script: string): Pipe {
    const nothing = { exitCode: 130, stdout: new Uint8Array(0) };
    const { exitCode, stdout } = this.wait(() => this.world.execute(script, new Uint8Array(0), true), nothing);
    return { flow: new Flow(readingDescriptor(stdout), unreadableDescriptor), end: () => exitCode };
  }

  #into(script: string): Pipe {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    const gather = (from: Uint8Array) => {
      size += from.length;
      if (size > PIPE_SIZE) throw new FileError("EFBIG");
      parts.push(from.slice());
      return from.length;
    };
    return {
      flow: new Flow(unreadableDescriptor, gather),
      end: () => this.world.execute(script, concatBytes(parts), false).exitCode,
    };
  }

  /** Runs something that waits; an interrupt returns this text instead. */
  wait<T>(act: () => T, otherwise: T): T {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.onInterrupt();
      return otherwise;
    }
  }

  #positive(act: () => void): number {
    try {
      act();
      return 0;
    } catch (error) {
      return this.#number(error);
    }
  }

  #negative(act: () => number | void): number {
    try {
      return act() ?? 0;
    } catch (error) {
      return -this.#number(error);
    }
  }

  #number(error: unknown): number {
    if (error instanceof FileError) return ERRNO[error.code];
    if (!(error instanceof Interrupted)) throw error;
    this.onInterrupt();
    return ERROR.interrupted;
  }
}
