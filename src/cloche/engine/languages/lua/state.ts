/** One Lua state: compiles, calls, stops what runs, and shows the result. */

import type { Source } from "../../wasm/image.ts";
import { numberOf, packMemory, refillMemory } from "../../wasm/saved_memory.ts";
import { checkData } from "../json_data.ts";
import { type Callbacks, Vm } from "./vm/vm.ts";
import { Library, PATH } from "./library.ts";
import { type Exports, MASK_COUNT, MULTIPLE, NO_MEMORY, OK, TYPE, UPVALUE } from "./vm/exports.ts";
import type { LuaSystemServices } from "./vm/system.ts";
import { Threads } from "./vm/threads.ts";

/** Places on the stack where functions of ours are kept. */
const KEPT = { handler: 1, show: 2, describe: 3, names: 4, collect: 5 };
const LAST = KEPT.collect;
/** Bytes held in reserve, so that the next cell can run after one has used up all memory. */
const RESERVE = 1 << 20;
const TEXT_MODE = "bt";

/** Why the running code is being ended. */
type Stop = { why: "interrupt" } | { why: "exit"; code: number };

/** A function of ours: takes its arguments from the thread's stack, and returns how many results it has put there. */
export type HostFunction = (thread: number) => number;

export interface LuaServices extends LuaSystemServices {
  readonly interrupted: boolean;
  readonly killed: boolean;
  variable(name: string): string | undefined;
  /** Installs a missing module; returns why not, if that fails. */
  provide(module: string): string | null;
}

/** The files of the pack that every state is made of. */
export interface LuaFiles {
  module: WebAssembly.Module;
  /** The Lua that a new state runs first. */
  prelude: Uint8Array;
}

export interface Failure {
  message: string;
  traceback: string;
}

export class LuaState {
  readonly vm: Vm;
  readonly thread: number;
  /** Set while everything that runs is being ended. */
  stopped: Stop | null = null;
  readonly #exports: Exports;
  readonly #library: Library;
  readonly #functions: HostFunction[];
  readonly #threads: Threads;
  /** C's own standard input, which keeps unread bytes. */
  readonly #input: number;
  #reserve = 0;
  #traceback = "";

  /** With `saved` it starts from the memory of another. */
  constructor(files: LuaFiles, private readonly world: LuaServices, saved?: Source) {
    const callbacks: Callbacks = {
      call: (thread) => this.#dispatch(thread),
      close: (thread) => this.#library.close(thread),
      hook: (thread) => this.#raise(thread),
    };
    this.vm = new Vm(files.module, world, callbacks, () => this.#check());
    this.vm.system.onInterrupt = () => this.stop({ why: "interrupt" });
    this.#exports = this.vm.exports;
    const notes = saved ? this.#restore(saved) : null;
    this.thread = notes?.thread ?? this.#exports.luaL_newstate();
    this.#threads = new Threads(this.vm, this.thread);
    if (!notes) this.#exports.luaL_openlibs(this.thread);
    this.#input = notes?.input ?? this.#standardInput();
    this.#library = new Library(this, world);
    const { functions } = this.#library;
    this.#functions = [(thread) => this.#handle(thread), ...Object.values(functions)];
    if (notes) this.#reserve = notes.reserve;
    else {
      this.#begin(files.prelude, Object.keys(functions));
      this.#keepBack();
    }
  }

  /** The whole memory of the idle interpreter; a string says why it cannot be saved. */
  save(): Uint8Array[] | string {
    const open = this.vm.system.openFiles;
    if (open > 0) return `Lua has ${open} open files`;
    const notes = { thread: this.thread, input: this.#input, reserve: this.#reserve, ...this.vm.entries };
    return packMemory(this.#exports.memory, notes);
  }

  #restore(saved: Source): { thread: number; input: number; reserve: number } {
    const notes = refillMemory(this.#exports.memory, saved);
    const { entries } = this.vm;
    if (notes.call !== entries.call || notes.close !== entries.close || notes.hook !== entries.hook) {
      throw new Error("the saved memory does not fit Lua's module");
    }
    const { thread, input, reserve } = notes;
    return { thread: numberOf(thread), input: numberOf(input), reserve: numberOf(reserve) };
  }

  /** Compiles a chunk and leaves it on the stack; otherwise returns what is wrong with it. */
  compile(code: string | Uint8Array, name: string): string | null {
    const { thread } = this;
    const status = this.vm.lend(
      code,
      (data, size) =>
        this.vm.lend(
          name,
          (at) => this.vm.lend(TEXT_MODE, (mode) => this.#exports.luaL_loadbufferx(thread, data, size, at, mode)),
        ),
    );
    return status === OK ? null : this.#popText();
  }

  compileFile(path: string): string | null {
    const status = this.vm.lend(path, (at) => this.#exports.luaL_loadfilex(this.thread, at, 0));
    return status === OK ? null : this.#popText();
  }

  /** Calls the function below this many arguments; its results are left on the stack. */
  call(args = 0, bare = false): Failure | null {
    const { thread } = this;
    this.#traceback = "";
    const status = this.#exports.lua_pcallk(thread, args, MULTIPLE, KEPT.handler, 0, 0);
    this.#release();
    if (status === OK) return null;
    if (status === NO_MEMORY) this.#collect();
    const traceback = this.#traceback;
    return { message: this.stopped ? "" : this.describe(bare), traceback };
  }

  /** The message of the error on top of the stack; only the message if `bare`. */
  describe(bare: boolean): string {
    const { thread } = this;
    this.#exports.lua_pushvalue(thread, KEPT.describe);
    this.#exports.lua_rotate(thread, -2, 1);
    this.#exports.lua_pushboolean(thread, Number(bare));
    return this.#ask(2) ?? "(error object that cannot be shown)";
  }

  /** All values that a call has left, as text and as JSON; null if there are none, and for what is not plain data. */
  show(): { value: string | null; data: string | null } {
    const { thread } = this;
    const count = this.#exports.lua_gettop(thread) - LAST;
    this.#exports.lua_pushvalue(thread, KEPT.show);
    this.#exports.lua_rotate(thread, LAST + 1, 1);
    const [value, data] = this.#askAll(count, 2);
    return { value, data: checkData(data) };
  }

  get isNil(): boolean {
    const { thread } = this;
    return this.#exports.lua_gettop(thread) === LAST + 1 && this.#exports.lua_type(thread, -1) === TYPE.nil;
  }

  /** The names in a value, which is found by a path of names. */
  names(path: string[], methods: boolean): string[] {
    this.#exports.lua_pushvalue(this.thread, KEPT.names);
    this.push(this.thread, path.join(" "));
    this.#exports.lua_pushboolean(this.thread, Number(methods));
    return (this.#ask(2) ?? "").split("\n").filter((name) => name !== "");
  }

  /** Clears what calls have left on the stack, and flushes their output. */
  clear(): void {
    this.stopped = null;
    this.#exports.lua_settop(this.thread, LAST);
    this.#exports.fflush(0);
    this.#exports.fflush(this.#input);
    if (this.#reserve !== 0) return;
    this.#collect();
    this.#keepBack();
  }

  /** Ends the state: finalizers run, files are closed. */
  close(): void {
    this.stopped = null;
    this.#exports.lua_close(this.thread);
    this.#exports.fflush(0);
  }

  /** Ends everything that runs: from now on each instruction raises an error, so that no `pcall` can continue. */
  stop(stop: Stop): void {
    if (this.stopped) return;
    this.stopped = stop;
    this.#threads.setHooks(this.vm.entries.hook, MASK_COUNT, 1);
  }

  push(thread: number, text: string | Uint8Array): void {
    this.vm.lend(text, (at, size) => this.#exports.lua_pushlstring(thread, at, size));
  }

  /** The text of a string or number on the stack. */
  text(thread: number, index: number): string | null {
    const { exports } = this.vm;
    const stack = exports.stackSave();
    const size = exports.stackAlloc(16);
    const at = exports.lua_tolstring(thread, index, size);
    const length = this.vm.view.getUint32(size, true);
    exports.stackRestore(stack);
    return at === 0 ? null : new TextDecoder().decode(this.vm.bytes.subarray(at, at + length));
  }

  /** Raises an error as Lua's own functions do. */
  fail(thread: number, message: string): number {
    this.push(thread, message);
    return this.#exports.lua_error(thread);
  }

  #begin(prelude: Uint8Array, names: string[]): void {
    const { thread } = this;
    this.#pushFunction(0);
    const wrong = this.compile(prelude, "=prelude");
    this.#exports.lua_createtable(thread, 0, names.length);
    names.forEach((name, index) => {
      this.#pushFunction(index + 1);
      this.vm.lend(name, (at) => this.#exports.lua_setfield(thread, -2, at));
    });
    this.push(thread, PATH);
    this.vm.lend("path", (at) => this.#exports.lua_setfield(thread, -2, at));
    const failure = wrong ?? this.call(1)?.message;
    if (failure) throw new Error(`Lua could not start: ${failure}`);
  }

  #standardInput(): number {
    const { thread } = this;
    this.vm.lend("io", (at) => this.#exports.lua_getglobal(thread, at));
    this.vm.lend("stdin", (at) => this.#exports.lua_getfield(thread, -1, at));
    const file = this.#exports.lua_touserdata(thread, -1);
    this.#exports.lua_settop(thread, 0);
    return this.vm.view.getUint32(file, true);
  }

  #pushFunction(index: number): void {
    this.#exports.lua_pushinteger(this.thread, BigInt(index));
    this.#exports.lua_pushcclosure(this.thread, this.vm.entries.call, 1);
  }

  #dispatch(thread: number): number {
    const index = this.#exports.lua_tonumberx(thread, UPVALUE, 0);
    const run = this.#functions[index];
    return run ? run(thread) : this.fail(thread, "this function is not there");
  }

  /** Notes where an error was raised; the error itself stays as it is. */
  #handle(thread: number): number {
    this.#note(thread, 1);
    this.#exports.lua_settop(thread, 1);
    return 1;
  }

  #note(thread: number, level: number): void {
    if (this.stopped && this.#traceback !== "") return;
    this.#exports.luaL_traceback(thread, thread, 0, level);
    this.#traceback = this.text(thread, -1) ?? "";
    this.#exports.lua_settop(thread, -2);
  }

  /** Hooks are not called inside a hook: an error handler here could run forever. */
  #raise(thread: number): void {
    if (!this.stopped) return this.#exports.lua_sethook(thread, 0, 0, 0);
    this.#note(thread, 0);
    this.#threads.forgetHandler(thread);
    this.fail(thread, this.stopped.why === "exit" ? "exit" : "interrupted!");
  }

  /** Called every few thousand rounds of loops. */
  #check(): number {
    if (this.world.killed) return 1;
    if (this.world.interrupted) this.stop({ why: "interrupt" });
    return 0;
  }

  /** Calls a function of ours that returns a string; null if it fails or returns none. */
  #ask(args: number): string | null {
    return this.#askAll(args, 1)[0];
  }

  #askAll(args: number, count: number): (string | null)[] {
    const status = this.#exports.lua_pcallk(this.thread, args, count, 0, 0, 0);
    this.#release();
    const given = status === OK ? count : 1;
    const texts = Array.from({ length: count }, (_, i) => status === OK ? this.text(this.thread, i - count) : null);
    this.#exports.lua_settop(this.thread, -1 - given);
    return texts;
  }

  /** The next call may run. */
  #release(): void {
    if (this.stopped) this.#threads.setHooks(0, 0, 0);
  }

  /** Only if as much again is free. */
  #keepBack(): void {
    const twice = this.#exports.malloc(2 * RESERVE);
    this.#exports.free(twice);
    if (twice !== 0) this.#reserve = this.#exports.malloc(RESERVE);
  }

  #collect(): void {
    this.#exports.free(this.#reserve);
    this.#reserve = 0;
    this.#exports.lua_pushvalue(this.thread, KEPT.collect);
    this.#ask(0);
  }

  #popText(): string {
    const text = this.text(this.thread, -1) ?? "";
    this.#exports.lua_settop(this.thread, -2);
    return text;
  }
}
