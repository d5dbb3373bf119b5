/** Lua's module with what it imports: jumps of C, memory, the clock, and system calls over the guest's files. */

import { installFunctions } from "../../../wasm/table_functions.ts";
import { watchMeter } from "../../../wasm/meter.ts";
import { Clock } from "./clock.ts";
import type { Exports } from "./exports.ts";
import { type LuaSystemServices, System } from "./system.ts";

/** Thrown for C's `longjmp`. */
const JUMP = Symbol("longjmp");
const PAGE = 64 << 10;
/** Our functions that Lua may call; each gets the calling thread. */
export interface Callbacks {
  call(thread: number): number;
  close(thread: number): number;
  hook(thread: number, record: number): void;
}

/** Where they are in the module's table. */
type Entries = Record<keyof Callbacks, number>;

/** The module gave up; nothing in it can be used any more. */
class Aborted extends Error {
  override readonly name = "Aborted";
}

export class Vm {
  readonly exports: Exports;
  readonly entries: Entries;
  readonly system: System;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  /** `check` is asked while the module computes, and ends it with an answer other than 0. */
  constructor(module: WebAssembly.Module, world: LuaSystemServices, callbacks: Callbacks, check: () => number) {
    this.system = new System(this, world);
    const env = { ...this.#basics(), ...new Clock(this).imports(), ...this.system.imports() };
    const instance = new WebAssembly.Instance(module, { env, wasi_snapshot_preview1: env });
    watchMeter(instance, check);
    this.exports = instance.exports as unknown as Exports;
    this.exports.emscripten_stack_init();
    this.exports.__wasm_call_ctors();
    this.entries = this.#install(callbacks);
  }

  get size(): number {
    return this.exports.memory.buffer.byteLength;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer);
  }

  get view(): DataView {
    return new DataView(this.exports.memory.buffer);
  }

  /** The text that ends with a zero byte. */
  text(address: number): string {
    const bytes = this.bytes;
    return this.#decoder.decode(bytes.subarray(address, bytes.indexOf(0, address)));
  }

  /** Calls with a copy of the text, or the bytes, in the module's memory; a zero byte follows it. */
  lend<T>(data: string | Uint8Array, act: (address: number, size: number) => T): T {
    const bytes = typeof data === "string" ? this.#encoder.encode(data) : data;
    const address = this.exports.malloc(bytes.length + 1);
    if (address === 0) throw new Aborted("not enough memory");
    try {
      this.bytes.set(bytes, address);
      this.bytes[address + bytes.length] = 0;
      return act(address, bytes.length);
    } finally {
      this.exports.free(address);
    }
  }

  #basics(): Record<string, (...args: number[]) => number | void> {
    return {
      abort: () => {
        throw new Aborted("Lua gave up: not enough memory");
      },
      exit: () => {
        throw new Aborted("Lua ended itself");
      },
      _emscripten_throw_longjmp: () => {
        throw JUMP;
      },
      invoke_vii: (entry, first, second) => this.#protect(entry, first, second),
      emscripten_resize_heap: (size) => this.#grow(size >>> 0),
    };
  }

  /** Calls a function of the module that may jump out. */
  #protect(entry: number, first: number, second: number): void {
    const { exports } = this;
    const stack = exports.stackSave();
    try {
      (exports.__indirect_function_table.get(entry) as (a: number, b: number) => void)(first, second);
    } catch (error) {
      exports.stackRestore(stack);
      if (error !== JUMP) throw error;
      exports.setThrew(1, 0);
    }
  }

  #grow(size: number): number {
    try {
      this.exports.memory.grow(Math.ceil((size - this.size) / PAGE));
      return 1;
    } catch {
      return 0;
    }
  }

  #install(callbacks: Callbacks): Entries {
    const [call, close, hook] = installFunctions(this.exports.__indirect_function_table, [
      { signature: "ii", run: callbacks.call },
      { signature: "ii", run: callbacks.close },
      { signature: "vii", run: callbacks.hook },
    ]);
    return { call, close, hook };
  }
}
