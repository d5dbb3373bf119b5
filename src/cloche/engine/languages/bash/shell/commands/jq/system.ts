/** The system calls of jq's module, over the guest's files. */

import { FileError, type Stat } from "../../../../../fs/files.ts";
import type { Tree } from "../../../../../fs/tree.ts";
import { errnoOf, throwErrno } from "../../../../../wasi/errno.ts";
import { fileCalls } from "../../../../../wasi/files.ts";
import { FileHandle, type Handle, Handles, RIGHT, TYPE } from "../../../../../wasi/handles.ts";
import { Memory } from "../../../../../wasi/memory.ts";
import { Exit, systemCalls } from "../../../../../wasi/system.ts";
import { suspending } from "../../../../../wasm/suspension.ts";
import { decodeLatin1 } from "../../../../../text/bytes.ts";
import { BrokenPipe, type OpenStream } from "../../descriptors/stream.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import { Calendar } from "./calendar.ts";
import { StreamHandle, waitingCall } from "./streams.ts";
import { parseTime } from "./strptime.ts";

interface JqWorld {
  tree: Tree;
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin?: OpenStream;
  stdout?: OpenStream;
  stderr?: OpenStream;
  /** Opens a file that is not in the tree, such as that of `<(...)`. */
  open(path: string): OpenStream;
  /** Whether standard output is a terminal that shows colours. */
  terminal: boolean;
}

type Call = (...args: never[]) => unknown;

/** The bits of the flags of open() that say whether to read or to write. */
const ACCESS = 3;
const KINDS = { file: 0o100000, directory: 0o040000, link: 0o120000, other: 0o020000 };
const BLOCK = 4096;
const MOST = 256 << 20;
const PAGE = 64 << 10;
const MAX_TEXT = 1 << 20;
const MORE_STACK = 31 << 20;
const ON_STACK = 4096;
const NOT_A_TERMINAL = 59;
const RANGE = 68;
const ABORTED = 134;

export class JqSystem {
  /** Whether it wanted more memory than there is. */
  refused = false;
  readonly #memory = new Memory();
  readonly #handles = new Handles(0);
  readonly #calendar: Calendar;
  #raw: WebAssembly.Memory | undefined;
  #table: WebAssembly.Table | undefined;

  constructor(private readonly world: JqWorld) {
    this.#calendar = new Calendar(this.#memory, world.env.TZ ?? "");
    this.#handles.begin([
      new StreamHandle(world.stdin, "in"),
      new StreamHandle(world.stdout, "out", world.terminal),
      new StreamHandle(world.stderr, "out", world.terminal),
    ]);
  }

  attach(memory: WebAssembly.Memory, table: WebAssembly.Table): void {
    this.#raw = memory;
    this.#table = table;
    this.#memory.attach(memory);
  }

  /**
   * Gives the module a stack for the deepest data that jq takes: it is read, written and searched by recursion. The stack
   * begins where the heap does, and grows down, so the heap's first end, which is in memory once, moves with it.
   */
  deepenStack(top: number, move: (top: number) => void): void {
    this.#extend(MORE_STACK);
    const words = new Uint32Array(this.#raw?.buffer ?? new ArrayBuffer(0), 0, top / 4);
    const place = words.indexOf(top);
    if (place < 0 || words.includes(top, place + 1)) throw new Error("jq's module has changed: where is its heap?");
    words[place] = top + MORE_STACK;
    move(top + MORE_STACK);
  }

  /**
   * Writes argv, and the name of UTC, to the stack, or if it is long, to the end of memory: that is used last, when jq has read its arguments.
   * Returns its place.
   */
  putArguments(args: string[], allocate: (size: number) => number): number {
    const texts = [...args, "UTC"].map((arg) => toArray(`${encodeText(arg)}\0`));
    const head = 4 * (args.length + 1);
    const size = texts.reduce((sum, { length }) => sum + length, head);
    const list = size <= ON_STACK ? allocate(size) : this.#extend(size);
    let at = list + head;
    for (const [index, text] of texts.entries()) {
      if (index < args.length) this.#memory.putU32(list + 4 * index, at);
      else this.#calendar.setName(at);
      this.#memory.bytes(at, text.length).set(text);
      at += text.length;
    }
    this.#memory.putU32(list + head - 4, 0);
    return list;
  }

  #extend(size: number): number {
    return (this.#raw?.grow(Math.ceil(size / PAGE)) ?? 0) * PAGE;
  }

  close(): void {
    this.#handles.closeAll();
  }

  /** For the names that the module has for them. */
  imports(letters: Record<string, string>): WebAssembly.ModuleImports {
    const calls = { ...this.#streamCalls(), ...this.#fileCalls(), ...this.#otherCalls() };
    return Object.fromEntries(
      Object.entries(letters).map(([name, letter]) => {
        const call = calls[name];
        if (!call) throw new Error(`jq asks for ${name}, which is not there`);
        return [letter, call as WebAssembly.ImportValue];
      }),
    );
  }

  /** WASI's own calls: zero, or an error number. */
  #streamCalls(): Record<string, Call> {
    const { tree, env } = this.world;
    const parts = { memory: this.#memory, handles: this.#handles, tree };
    const sleep = () => true;
    const all = { ...fileCalls(parts), ...systemCalls({ ...parts, args: [], env, sleep }) };
    const guard = (act: (...args: never[]) => void) => (...args: never[]) => {
      try {
        act(...args);
        return 0;
      } catch (error) {
        if (error instanceof BrokenPipe) throw error;
        return errnoOf(error);
      }
    };
    const handleOf = (fd: number) => this.#handles.has(fd) ? this.#handles.get(fd) : undefined;
    return {
      ...Object.fromEntries(Object.entries(all).map(([name, act]) => [name, guard(act)])),
      fd_read: suspending(waitingCall(guard(all.fd_read), handleOf, "read")),
      fd_write: suspending(waitingCall(guard(all.fd_write), handleOf, "write")),
    };
  }

  /** Linux' calls: a value, or an error number below zero. */
  #fileCalls(): Record<string, Call> {
    const negative = (act: (...args: never[]) => number | void) => (...args: never[]) => {
      try {
        return act(...args) ?? 0;
      } catch (error) {
        return -errnoOf(error);
      }
    };
    const { tree, cwd } = this.world;
    const calls: Record<string, (...args: never[]) => number | void> = {
      syscall_openat: (_: number, path: number, flags: number) => this.#open(this.#path(path), flags),
      syscall_fstat64: (fd: number, at: number) => this.#putStat(at, this.#handles.get(fd).facts().stat),
      syscall_stat64: (path: number, at: number) => this.#putStat(at, this.#stat(this.#path(path))),
      syscall_lstat64: (path: number, at: number) => this.#putStat(at, tree.lstat(this.#path(path))),
      syscall_newfstatat: (_: number, path: number, at: number) => this.#putStat(at, this.#stat(this.#path(path))),
      syscall_readlinkat: (_: number, path: number, into: number, size: number) =>
        this.#memory.putText(into, size, tree.readLink(this.#path(path))),
      syscall_getcwd: (at: number, size: number) => this.#putCwd(at, size, cwd),
      syscall_fcntl64: () => 0,
      syscall_ioctl: (fd: number) => this.#handles.get(fd).type === TYPE.device ? 0 : -NOT_A_TERMINAL,
    };
    return Object.fromEntries(Object.entries(calls).map(([name, act]) => [name, negative(act)]));
  }

  #otherCalls(): Record<string, Call> {
    const exit = (code: number) => {
      throw new Exit(code & 0xff);
    };
    return {
      ...this.#calendar.calls(),
      strptime: (text: number, format: number, tm: number) => this.#parseTime(text, format, tm),
      emscripten_date_now: () => Date.now(),
      emscripten_resize_heap: (size: number) => this.#grow(size >>> 0),
      emscripten_runtime_keepalive_clear: () => {},
      call_sighandler: (handler: number, signal: number) => this.#table?.get(handler)?.(signal),
      assert_fail: (condition: number, file: number, line: number) =>
        this.#abort(`Assertion failed: ${this.#text(condition)} (${this.#text(file)}:${line})`),
      abort_js: () => exit(ABORTED),
      exit,
      proc_exit: exit,
    };
  }

  #abort(why: string): never {
    void this.world.stderr?.write(new TextEncoder().encode(`jq: ${why}\n`));
    throw new Exit(ABORTED);
  }

  #open(path: string, flags: number): number {
    if ((flags & ACCESS) !== 0) throwErrno("EROFS");
    return this.#handles.add(() => this.#handle(path));
  }

  #handle(path: string): Handle {
    const stream = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].indexOf(path);
    if (stream >= 0) return this.#handles.get(stream);
    if (path === "/dev/null") return new StreamHandle(undefined, "in");
    if (isDevice(path)) return new StreamHandle(this.world.open(path), "in", false, true);
    if (!this.world.tree.holds(path)) throw new FileError("ENOENT", path);
    const mode = { read: true, write: false, create: false, exclusive: false, truncate: false };
    return new FileHandle(this.world.tree.open(path, mode), path, RIGHT.read | RIGHT.seek | RIGHT.tell, 0);
  }

  #stat(path: string): Stat {
    return isDevice(path) ? this.#handles.get(0).facts().stat : this.world.tree.stat(path);
  }

  #putStat(at: number, stat: Stat): void {
    const memory = this.#memory;
    memory.bytes(at, 96).fill(0);
    memory.putU32(at, 1);
    memory.putU32(at + 4, KINDS[stat.kind] | stat.mode & 0o7777);
    memory.putU32(at + 8, stat.links);
    memory.putU64(at + 24, BigInt(stat.size));
    memory.putU32(at + 32, BLOCK);
    memory.putU32(at + 36, Math.ceil(stat.size / 512));
    for (const [place, time] of [[40, stat.atime], [56, stat.mtime], [72, stat.mtime]]) {
      memory.putU64(at + place, BigInt(Math.floor(time / 1000)));
    }
    memory.putU64(at + 88, BigInt(stat.ino));
  }

  #putCwd(at: number, size: number, cwd: string): number {
    const bytes = new TextEncoder().encode(`${cwd}\0`);
    if (bytes.length > size) return -RANGE;
    this.#memory.bytes(at, bytes.length).set(bytes);
    return bytes.length;
  }

  #grow(size: number): number {
    const memory = this.#raw;
    if (!memory || size > MOST) return this.#refuse();
    try {
      memory.grow(
        Math.ceil((Math.min(MOST, Math.max(size, memory.buffer.byteLength * 1.2)) - memory.buffer.byteLength) / PAGE),
      );
      return 1;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return this.#refuse();
    }
  }

  #refuse(): number {
    this.refused = true;
    return 0;
  }

  #parseTime(text: number, format: number, tm: number): number {
    const parsed = parseTime(this.#latin(text), this.#latin(format));
    if (!parsed) return 0;
    this.#calendar.putFields(tm, parsed.fields);
    return text + parsed.length;
  }

  #path(at: number): string {
    const path = this.#text(at);
    if (path === "") throw new FileError("ENOENT");
    return path.startsWith("/") ? path : `${this.world.cwd}/${path}`;
  }

  /** A string of C. */
  #text(at: number): string {
    return new TextDecoder().decode(this.#string(at).slice());
  }

  /** A string of C, a character for each byte. */
  #latin(at: number): string {
    return decodeLatin1(this.#string(at));
  }

  #string(at: number): Uint8Array {
    let length = 0;
    while (length < MAX_TEXT && this.#memory.u8(at + length) !== 0) length++;
    return this.#memory.bytes(at, length);
  }
}

/** Whether the shell has to open it: `<(...)` and other descriptors. */
function isDevice(path: string): boolean {
  return path.startsWith("/dev/") || path.startsWith("/proc/");
}
