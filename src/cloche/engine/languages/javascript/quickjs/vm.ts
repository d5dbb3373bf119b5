/** One QuickJS: code and values go in and come out, and it can call only what it was given. */

import type { Source } from "../../../wasm/image.ts";
import { watchMeter } from "../../../wasm/meter.ts";
import { numberOf, packMemory, refillMemory } from "../../../wasm/saved_memory.ts";
import { type Exports, GLOBAL } from "./exports.ts";
import { makeImports } from "./imports.ts";

/** Values that pass between guest and host are copies, never objects of the other side. */
export type Value = undefined | null | boolean | number | string | Uint8Array | Handle | Value[];

/** A value that stays inside. */
export class Handle {
  constructor(readonly box: number) {}
}

/** Something that the guest has thrown; must be freed. */
export class Thrown extends Error {
  constructor(readonly handle: Handle) {
    super("the guest has thrown");
  }
}

/** An error for the guest, which cannot catch it if it is `final`. */
export class GuestError extends Error {
  /** Its origin, as a line of a stack, if that is not where the guest called. */
  frame = "";

  constructor(override readonly name: string, message: string, readonly code = "", readonly final = false) {
    super(message);
  }
}

export type HostFunction = (...args: Value[]) => Value | void;

export interface Hooks {
  readonly functions: Record<string, HostFunction>;
  /** Returns true to stop the running code. */
  interrupt(): boolean;
  /** Returns true to end it, whatever is lost. */
  killed(): boolean;
  rejected(promise: number, reason: Handle, handled: boolean): void;
  normalize(base: string, name: string): string;
  load(name: string): string;
}

interface Limits {
  memory: number;
  stack: number;
}

const PENDING = 0;
const REJECTED = 2;
const FORGET_MS = 100;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Vm {
  readonly #exports: Exports;
  /** Notes that came with the memory it continues from. */
  readonly notes: Record<string, unknown> | null = null;
  /** A few words of memory for lengths. */
  readonly #words: number;
  #lastString: Uint8Array = new Uint8Array(0);

  /** With `saved` it starts from the memory of another. */
  constructor(module: WebAssembly.Module, hooks: Hooks, private readonly limits: Limits, saved?: Source) {
    const instance = new WebAssembly.Instance(module, makeImports(this, hooks, () => this.#exports));
    this.#exports = instance.exports as unknown as Exports;
    watchMeter(instance, () => hooks.killed() ? 1 : 0);
    this.#exports._initialize();
    if (saved) {
      this.notes = refillMemory(this.#exports.memory, saved);
      this.#words = numberOf(this.notes.words);
      return;
    }
    if (this.#exports.qjs_init() !== 0) throw new Error("QuickJS did not start");
    this.#exports.qjs_set_memory_limit(limits.memory);
    this.#exports.qjs_set_max_stack_size(limits.stack);
    this.#exports.qjs_set_interrupt_handler(1);
    this.#exports.qjs_set_promise_rejection_handler(1);
    this.#exports.qjs_set_module_loader(1);
    this.#words = this.#exports.wasm_malloc(16);
  }

  /** The whole memory at rest. */
  save(notes: Record<string, unknown>): Uint8Array[] {
    return packMemory(this.#exports.memory, { ...notes, words: this.#words });
  }

  /** Bytes of memory that it uses. */
  get memory(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  get heap(): number {
    const at = this.#exports.wasm_malloc(512);
    this.#exports.qjs_compute_memory_usage(at);
    const [size] = new BigInt64Array(this.#exports.memory.buffer.slice(at, at + 8));
    this.#exports.wasm_free(at);
    return Number(size);
  }

  /** Throws what the code throws. */
  eval(code: string, file: string, flags = GLOBAL): Handle {
    const [source, length] = this.#text(code);
    const [name] = this.#text(file);
    try {
      return this.#checked(this.#exports.qjs_eval(source, length, name, flags));
    } finally {
      this.#exports.wasm_free(source);
      this.#exports.wasm_free(name);
    }
  }

  /** Compiles what `eval` would run, for `evalCompiled` in another one. */
  compile(code: string, file: string, strip: number): Uint8Array {
    const [source, length] = this.#text(code);
    const [name] = this.#text(file);
    const at = this.#exports.qjs_compile(source, length, name, GLOBAL, strip, this.#words);
    if (at === 0) throw new Thrown(new Handle(this.#exports.qjs_get_exception()));
    return this.#view().slice(at, at + this.#word(0));
  }

  evalCompiled(code: Uint8Array): Handle {
    const at = this.#bytes(code);
    try {
      return this.#checked(this.#exports.qjs_eval_bytecode(at, code.length));
    } finally {
      this.#exports.wasm_free(at);
    }
  }

  call(callee: Handle, ...args: Value[]): Handle {
    const boxes = args.map((arg) => this.box(arg));
    const list = this.#exports.wasm_malloc(4 * boxes.length + 4);
    new Uint32Array(this.#exports.memory.buffer, list, boxes.length).set(boxes);
    const receiver = this.#exports.qjs_get_undefined();
    try {
      return this.#checked(this.#exports.qjs_call(callee.box, receiver, boxes.length, list));
    } finally {
      this.#exports.wasm_free(list);
      boxes.forEach((box, index) => args[index] instanceof Handle || this.#exports.qjs_free_value(box));
    }
  }

  /** Calls, and returns a copy of the result. */
  ask(callee: Handle, ...args: Value[]): Value {
    const result = this.call(callee, ...args);
    const value = this.value(result);
    if (!(value instanceof Handle)) this.free(result);
    return value;
  }

  /** A function of the host, by its name. */
  hostFunction(name: string): Handle {
    const [at, length] = this.#text(name);
    const box = this.#exports.qjs_new_host_function(at, length, 0);
    this.#exports.wasm_free(at);
    return new Handle(box);
  }

  free(handle: Handle): void {
    this.#exports.qjs_free_value(handle.box);
  }

  get(object: Handle, name: string): Handle {
    const [at] = this.#text(name);
    const box = this.#exports.qjs_get_prop_string(object.box, at);
    this.#exports.wasm_free(at);
    return new Handle(box);
  }

  stateOf(promise: Handle): "pending" | "fulfilled" | "rejected" {
    const state = this.#exports.qjs_promise_state(promise.box);
    return state === PENDING ? "pending" : state === REJECTED ? "rejected" : "fulfilled";
  }

  /** The result of a promise; it then counts as handled. */
  resultOf(promise: Handle): Handle {
    this.#exports.qjs_promise_mark_as_handled(promise.box);
    return new Handle(this.#exports.qjs_promise_result(promise.box));
  }

  identity(handle: Handle): number {
    return this.#exports.qjs_get_value_ptr(handle.box);
  }

  isProxy(handle: Handle): boolean {
    return this.#exports.qjs_is_proxy(handle.box) !== 0;
  }

  /** Runs the next job of a promise; false if there is none. */
  step(): boolean {
    if (!this.#exports.qjs_is_job_pending()) return false;
    if (this.#exports.qjs_execute_pending_job() < 0) {
      throw new Thrown(new Handle(this.#exports.qjs_get_exception()));
    }
    return true;
  }

  /** Drops the pending jobs of promises: without memory they cannot succeed. */
  forgetJobs(): void {
    const end = performance.now() + FORGET_MS;
    this.#exports.qjs_set_memory_limit(1);
    while (this.#exports.qjs_is_job_pending() && performance.now() < end) {
      if (this.#exports.qjs_execute_pending_job() < 0) this.#exports.qjs_free_value(this.#exports.qjs_get_exception());
    }
    this.#exports.qjs_set_memory_limit(this.limits.memory);
  }

  /** A copy of what a box holds; functions and other objects stay inside. */
  value(handle: Handle): Value {
    const { box } = handle;
    const e = this.#exports;
    if (e.qjs_is_string(box)) return decoder.decode(this.bytesOfString(box));
    if (e.qjs_is_number(box)) return e.qjs_get_float64(box);
    if (e.qjs_is_bool(box)) return e.qjs_get_bool(box) !== 0;
    if (e.qjs_is_null(box)) return null;
    if (!e.qjs_is_object(box)) return undefined;
    return this.#copyOf(box) ?? handle;
  }

  /** A string of the guest as UTF-8, until the next call. */
  bytesOfString(box: number): Uint8Array {
    const at = this.#exports.qjs_get_string_len(box, this.#words);
    if (at === 0) throw new GuestError("RangeError", "the string is too long");
    this.#lastString = this.#view().slice(at, at + this.#word(0));
    this.#exports.qjs_free_cstring(at);
    return this.#lastString;
  }

  /** The receiver frees the box; a handle owns its own. */
  box(value: Value): number {
    const e = this.#exports;
    if (value === undefined) return e.qjs_get_undefined();
    if (value === null) return e.qjs_get_null();
    if (typeof value === "boolean") return value ? e.qjs_get_true() : e.qjs_get_false();
    if (typeof value === "number") return e.qjs_new_number(value);
    if (value instanceof Handle) return value.box;
    if (Array.isArray(value)) return this.#list(value);
    const [at, length] = typeof value === "string" ? this.#text(value) : [this.#bytes(value), value.length];
    const box = typeof value === "string" ? e.qjs_new_string(at, length) : e.qjs_new_uint8_array(at, length);
    e.wasm_free(at);
    return box;
  }

  /** Makes errors of the guest's own kind; set as soon as there is one. */
  maker: Handle | undefined;

  /** Makes the guest's call of a host function throw. */
  raise(error: GuestError): void {
    const e = this.#exports;
    if (!error.final && this.maker) {
      const { name, message, code, frame } = error;
      return this.rethrow(new Thrown(this.call(this.maker, name, message, code, frame)));
    }
    const box = e.qjs_new_error();
    if (error.final) {
      const [value] = new BigInt64Array(e.memory.buffer.slice(box, box + 8));
      e.JS_SetUncatchableError(e.qjs_get_context_ptr(), value);
    }
    e.qjs_throw(box);
    e.qjs_free_value(box);
  }

  /** Makes it throw what was thrown further inside. */
  rethrow({ handle }: Thrown): void {
    this.#exports.qjs_throw(handle.box);
    this.free(handle);
  }

  /** The state of a promise and what it holds. */
  peek(promise: Handle): Value {
    const state = this.#exports.qjs_promise_state(promise.box);
    return [state, state === PENDING ? undefined : new Handle(this.#exports.qjs_promise_result(promise.box))];
  }

  /** Text in the guest's memory, followed by a zero. */
  textFor(text: string): [at: number, length: number] {
    return this.#text(text);
  }

  #list(values: Value[]): number {
    const list = this.#exports.qjs_new_array();
    values.forEach((value, index) => {
      const box = this.box(value);
      this.#exports.qjs_set_prop_uint32(list, index, box);
      this.#exports.qjs_free_value(box);
    });
    return list;
  }

  #copyOf(box: number): Uint8Array | undefined {
    const e = this.#exports;
    if (e.qjs_is_array_buffer(box)) {
      const at = e.qjs_get_array_buffer(box, this.#words);
      return this.#view().slice(at, at + this.#word(0));
    }
    const buffer = e.qjs_get_typed_array_buffer(box, this.#words, this.#words + 4, this.#words + 8);
    if (buffer === 0 || e.qjs_is_exception(buffer)) {
      e.qjs_free_value(e.qjs_get_exception());
      if (buffer !== 0) e.qjs_free_value(buffer);
      return undefined;
    }
    const [offset, length] = [this.#word(0), this.#word(1)];
    const at = e.qjs_get_array_buffer(buffer, this.#words);
    const copy = this.#view().slice(at + offset, at + offset + length);
    e.qjs_free_value(buffer);
    return copy;
  }

  #checked(box: number): Handle {
    if (!this.#exports.qjs_is_exception(box)) return new Handle(box);
    this.#exports.qjs_free_value(box);
    throw new Thrown(new Handle(this.#exports.qjs_get_exception()));
  }

  #text(text: string): [at: number, length: number] {
    const data = encoder.encode(text);
    return [this.#bytes(data), data.length];
  }

  #bytes(data: Uint8Array): number {
    const at = this.#exports.wasm_malloc(data.length + 1);
    if (at === 0) throw new GuestError("RangeError", "out of memory");
    const memory = this.#view();
    memory.set(data, at);
    memory[at + data.length] = 0;
    return at;
  }

  #word(index: number): number {
    return new DataView(this.#exports.memory.buffer).getUint32(this.#words + 4 * index, true);
  }

  #view(): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer);
  }
}
