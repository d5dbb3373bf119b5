/** One Lua state: compiles, calls, stops what runs, and shows the result. */

import type { Source } from "../../wasm/image.ts";
import { numberOf, packMemory, refillMemory } from "../../wasm/saved_memory.ts";
import { checkData } from "../json_data.ts";
import { type Callbacks, Machine } from "./machine/machine.ts";
import { Library, PATH } from "./library.ts";
import { MASK_COUNT, MULTIPLE, NO_MEMORY, OK, type Program, TYPE, UPVALUE } from "./machine/program.ts";
import type { LuaSystemServices } from "./machine/system.ts";
import { Threads } from "./machine/threads.ts";

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
  program: WebAssembly.Module;
  /** The Lua that a new state runs first. */
  prelude: Uint8Array;
}

export interface Failure {
  message: string;
  traceback: string;
}

export class LuaState {
  readonly machine: Machine;
  readonly thread: number;
  /** Set while everything that runs is being ended. */
  stopped: Stop | null = null;
  readonly #program: Program;
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
    this.machine = new Machine(files.program, world, callbacks, () => this.#check());
    this.machine.system.onInterrupt = () => this.stop({ why: "interrupt" });
    this.#program = this.machine.program;
    const notes = saved ? this.#restore(saved) : null;
    this.thread = notes?.thread ?? this.#program.luaL_newstate();
    this.#threads = new Threads(this.machine, this.thread);
    if (!notes) this.#program.luaL_openlibs(this.thread);
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
    const open = this.machine.system.openFiles;
    if (open > 0) return `Lua has ${open} open files`;
    const notes = { thread: this.thread, input: this.#input, reserve: this.#reserve, ...this.machine.entries };
    return packMemory(this.#program.memory, notes);
  }

  #restore(saved: Source): { thread: number; input: number; reserve: number } {
    const notes = refillMemory(this.#program.memory, saved);
    const { entries } = this.machine;
    if (notes.call !== entries.call || notes.close !== entries.close || notes.hook !== entries.hook) {
      throw new Error("the saved memory does not fit Lua's program");
    }
    const { thread, input, reserve } = notes;
    return { thread: numberOf(thread), input: numberOf(input), reserve: numberOf(reserve) };
  }

  /** Compiles a chunk and leaves it on the stack; otherwise returns what is wrong with it. */
  compile(code: string | Uint8Array, name: string): string | null {
    const { thread } = this;
    const status = this.machine.lend(
      code,
      (data, size) =>
        this.machine.lend(
          name,
          (at) => this.machine.lend(TEXT_MODE, (mode) => this.#program.luaL_loadbufferx(thread, data, size, at, mode)),
        ),
    );
    return status === OK ? null : this.#popText();
  }

  compileFile(path: string): string | null {
    const status = this.machine.lend(path, (at) => this.#program.luaL_loadfilex(this.thread, at, 0));
    return status === OK ? null : this.#popText();
  }

  /** Calls the function below this many arguments; its results are left on the stack. */
  call(args = 0, bare = false): Failure | null {
    const { thread } = this;
    this.#traceback = "";
    const status = this.#program.lua_pcallk(thread, args, MULTIPLE, KEPT.handler, 0, 0);
    this.#release();
    if (status === OK) return null;
    if (status === NO_MEMORY) this.#collect();
    const traceback = this.#traceback;
    return { message: this.stopped ? "" : this.describe(bare), traceback };
  }

  /** The message of the error on top of the stack; only the message if `bare`. */
  describe(bare: boolean): string {
    const { thread } = this;
    this.#program.lua_pushvalue(thread, KEPT.describe);
    this.#program.lua_rotate(thread, -2, 1);
    this.#program.lua_pushboolean(thread, Number(bare));
    return this.#ask(2) ?? "(error object that cannot be shown)";
  }

  /** All values that a call has left, as text and as JSON; null if there are none, and for what is not plain data. */
  show(): { value: string | null; data: string | null } {
    const { thread } = this;
    const count = this.#program.lua_gettop(thread) - LAST;
    this.#program.lua_pushvalue(thread, KEPT.show);
    this.#program.lua_rotate(thread, LAST + 1, 1);
    const [value, data] = this.#askAll(count, 2);
    return { value, data: checkData(data) };
  }

  get isNil(): boolean {
    const { thread } = this;
    return this.#program.lua_gettop(thread) === LAST + 1 && this.#program.lua_type(thread, -1) === TYPE.nil;
  }

  /** The names in a value, which is found by a path of names. */
  names(path: string[], methods: boolean): string[] {
    this.#program.lua_pushvalue(this.thread, KEPT.names);
    this.push(this.thread, path.join(" "));
    this.#program.lua_pushboolean(this.thread, Number(methods));
    return (this.#ask(2) ?? "").split("\n").filter((name) => name !== "");
  }

  /** Clears what calls have left on the stack, and flushes their output. */
  clear(): void {
    this.stopped = null;
    this.#program.lua_settop(this.thread, LAST);
    this.#program.fflush(0);
    this.#program.fflush(this.#input);
    if (this.#reserve !== 0) return;
    this.#collect();
    this.#keepBack();
  }

  /** Ends the state: finalizers run, files are closed. */
  close(): void {
    this.stopped = null;
    this.#program.lua_close(this.thread);
    this.#program.fflush(0);
  }

  /** Ends everything that runs: from now on each instruction raises an error, so that no `pcall` can continue. */
  stop(stop: Stop): void {
    if (this.stopped) return;
    this.stopped = stop;
    this.#threads.setHooks(this.machine.entries.hook, MASK_COUNT, 1);
  }

  push(thread: number, text: string | Uint8Array): void {
    this.machine.lend(text, (at, size) => this.#program.lua_pushlstring(thread, at, size));
  }

  /** The text of a string or number on the stack. */
  text(thread: number, index: number): string | null {
    const { program } = this.machine;
    const stack = program.stackSave();
    const size = program.stackAlloc(16);
    const at = program.lua_tolstring(thread, index, size);
    const length = this.machine.view.getUint32(size, true);
    program.stackRestore(stack);
    return at === 0 ? null : new TextDecoder().decode(this.machine.bytes.subarray(at, at + length));
  }

  /** Raises an error as Lua's own functions do. */
  fail(thread: number, message: string): number {
    this.push(thread, message);
    return this.#program.lua_error(thread);
  }

  #begin(prelude: Uint8Array, names: string[]): void {
    const { thread } = this;
    this.#pushFunction(0);
    const wrong = this.compile(prelude, "=prelude");
    this.#program.lua_createtable(thread, 0, names.length);
    names.forEach((name, index) => {
      this.#pushFunction(index + 1);
      this.machine.lend(name, (at) => this.#program.lua_setfield(thread, -2, at));
    });
    this.push(thread, PATH);
    this.machine.lend("path", (at) => this.#program.lua_setfield(thread, -2, at));
    const failure = wrong ?? this.call(1)?.message;
    if (failure) throw new Error(`Lua could not start: ${failure}`);
  }

  #standardInput(): number {
    const { thread } = this;
    this.machine.lend("io", (at) => this.#program.lua_getglobal(thread, at));
    this.machine.lend("stdin", (at) => this.#program.lua_getfield(thread, -1, at));
    const file = this.#program.lua_touserdata(thread, -1);
    this.#program.lua_settop(thread, 0);
    return this.machine.view.getUint32(file, true);
  }

  #pushFunction(index: number): void {
    this.#program.lua_pushinteger(this.thread, BigInt(index));
    this.#program.lua_pushcclosure(this.thread, this.machine.entries.call, 1);
  }

  #dispatch(thread: number): number {
    const index = this.#program.lua_tonumberx(thread, UPVALUE, 0);
    const run = this.#functions[index];
    return run ? run(thread) : this.fail(thread, "this function is not there");
  }

  /** Notes where an error was raised; the error itself stays as it is. */
  #handle(thread: number): number {
    this.#note(thread, 1);
    this.#program.lua_settop(thread, 1);
    return 1;
  }

  #note(thread: number, level: number): void {
    if (this.stopped && this.#traceback !== "") return;
    this.#program.luaL_traceback(thread, thread, 0, level);
    this.#traceback = this.text(thread, -1) ?? "";
    this.#program.lua_settop(thread, -2);
  }

  /** Hooks are not called inside a hook: an error handler here could run forever. */
  #raise(thread: number): void {
    if (!this.stopped) return this.#program.lua_sethook(thread, 0, 0, 0);
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
    const status = this.#program.lua_pcallk(this.thread, args, count, 0, 0, 0);
    this.#release();
    const given = status === OK ? count : 1;
    const texts = Array.from({ length: count }, (_, i) => status === OK ? this.text(this.thread, i - count) : null);
    this.#program.lua_settop(this.thread, -1 - given);
    return texts;
  }

  /** The next call may run. */
  #release(): void {
    if (this.stopped) this.#threads.setHooks(0, 0, 0);
  }

  /** Only if as much again is free. */
  #keepBack(): void {
    const twice = this.#program.malloc(2 * RESERVE);
    this.#program.free(twice);
    if (twice !== 0) this.#reserve = this.#program.malloc(RESERVE);
  }

  #collect(): void {
    this.#program.free(this.#reserve);
    this.#reserve = 0;
    this.#program.lua_pushvalue(this.thread, KEPT.collect);
    this.#ask(0);
  }

  #popText(): string {
    const text = this.text(this.thread, -1) ?? "";
    this.#program.lua_settop(this.thread, -2);
    return text;
  }
}
