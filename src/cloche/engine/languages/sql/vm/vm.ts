/** SQLite's module, with a clock, limited memory, and files of ours; its own ways to files lead nowhere. */

import { watchMeter } from "../../../wasm/meter.ts";
import type { Exports } from "./exports.ts";
import { Disk } from "./guest_disk.ts";
import type { Locks } from "./locks.ts";
import type { Tree } from "../../../fs/tree.ts";

const PAGE = 64 << 10;
const LEAST = 256;
/** The error number for a missing file in the module's library. */
const MISSING = 52;
const NANOSECONDS = 1_000_000n;

export interface ConnectionContext {
  readonly tree: Tree;
  readonly cwd: string;
  readonly locks: Locks;
  readonly interrupted: boolean;
  readonly killed: boolean;
  /** The largest memory, in bytes. */
  readonly memory: number;
}

export class Vm {
  readonly exports: Exports;
  /** What must stop when the run is interrupted. */
  onInterrupt: () => void = () => {};
  readonly #memory: WebAssembly.Memory;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  constructor(module: WebAssembly.Module, context: ConnectionContext) {
    this.#memory = new WebAssembly.Memory({ initial: LEAST, maximum: Math.floor(context.memory / PAGE) });
    const instance = new WebAssembly.Instance(module, this.#imports(module));
    watchMeter(instance, () => this.#check(context));
    this.exports = instance.exports as unknown as Exports;
    this.exports.__wasm_call_ctors();
    this.exports.sqlite3_initialize();
    new Disk(this, context).register();
  }

  get size(): number {
    return this.#memory.buffer.byteLength;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#memory.buffer);
  }

  get view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  /** The text that ends with a zero byte. */
  text(address: number): string {
    const bytes = this.bytes;
    return this.#decoder.decode(bytes.subarray(address, bytes.indexOf(0, address)));
  }

  /** A copy of the string with a zero byte at its end, until it is freed; 0 if there is no room. */
  keep(data: string | Uint8Array): number {
    const bytes = typeof data === "string" ? this.#encoder.encode(data) : data;
    const address = this.exports.malloc(bytes.length + 1);
    if (address === 0) return 0;
    this.bytes.set(bytes, address);
    this.bytes[address + bytes.length] = 0;
    return address;
  }

  lend<T>(data: string | Uint8Array, act: (address: number) => T): T {
    const address = this.keep(data);
    try {
      return act(address);
    } finally {
      this.exports.free(address);
    }
  }

  /** Calls with room for this many words, which are 0 at first. */
  room<T>(words: number, act: (address: number) => T): T {
    const stack = this.exports.emscripten_stack_get_current();
    const address = this.exports._emscripten_stack_alloc(16 * Math.ceil(words / 4));
    this.bytes.fill(0, address, address + 4 * words);
    try {
      return act(address);
    } finally {
      this.exports._emscripten_stack_restore(stack);
    }
  }

  #check({ interrupted, killed }: ConnectionContext): number {
    if (interrupted) this.onInterrupt();
    return Number(killed);
  }

  /** The module's other imports are for its own files; they report that there are none. */
  #imports(module: WebAssembly.Module): WebAssembly.Imports {
    const functions = WebAssembly.Module.imports(module).filter(({ kind }) => kind === "function");
    const refused = (name: string) => () => name.startsWith("__syscall") ? -MISSING : MISSING;
    const all = Object.fromEntries(functions.map(({ name }) => [name, refused(name)]));
    const env = {
      ...all,
      memory: this.#memory,
      emscripten_date_now: () => Date.now(),
      emscripten_get_now: () => performance.now(),
      emscripten_get_heap_max: () => this.size,
      emscripten_resize_heap: (size: number) => this.#grow(size >>> 0),
      _tzset_js: () => {},
      _localtime_js: (time: bigint, at: number) => this.#localTime(Number(time), at),
      clock_time_get: (_: number, __: bigint, at: number) => {
        this.view.setBigInt64(at, BigInt(Date.now()) * NANOSECONDS, true);
        return 0;
      },
      environ_sizes_get: (count: number, size: number) => {
        this.view.setUint32(count, 0, true);
        this.view.setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
    };
    return { env, wasi_snapshot_preview1: env };
  }

  #grow(size: number): number {
    try {
      this.#memory.grow(Math.ceil((size - this.size) / PAGE));
      return 1;
    } catch {
      return 0;
    }
  }

  #localTime(seconds: number, at: number): void {
    const date = new Date(seconds * 1000);
    const start = new Date(date.getFullYear(), 0, 1);
    const parts = [date.getSeconds(), date.getMinutes(), date.getHours(), date.getDate(), date.getMonth()];
    const days = Math.round((date.getTime() - start.getTime()) / 86_400_000 - 0.5);
    [...parts, date.getFullYear() - 1900, date.getDay(), days, 0].forEach((value, index) => {
      this.view.setInt32(at + 4 * index, value, true);
    });
  }
}
