/** One program in its own QuickJS: evaluates sources and runs until nothing is left to do. */

import { ASYNC, COMPILE_ONLY, MODULE } from "./quickjs/exports.ts";
import type { Source } from "../../wasm/image.ts";
import { numberOf } from "../../wasm/saved_memory.ts";
import type { Library } from "./guest_library.ts";
import type { Edited } from "./source/positions.ts";
import { GuestError, Handle, type HostFunction, Thrown, type Value, Vm } from "./quickjs/vm.ts";
import type { PendingWork } from "./pending_work.ts";

/** How a program ended. */
export type Ending =
  | { how: "done"; value: Handle | null }
  | { how: "failed"; reason: Handle }
  | { how: "exit"; code: number }
  | { how: "interrupted" }
  /** The top level waits for something that will never happen. */
  | { how: "stalled" };

interface ProgramHooks {
  module: WebAssembly.Module;
  library: Library;
  memory: number;
  functions: Record<string, HostFunction>;
  work: PendingWork;
  isInterrupted(): boolean;
  isKilled(): boolean;
  /** Called with whether it computes; otherwise it waits or has ended. */
  computes(really: boolean): void;
  normalize(base: string, name: string): string;
  load(name: string): string;
  /** The memory of another program to start from. */
  saved?: Source;
}

/** Bytes of stack for the guest; the interpreter's own frames need the rest of the host's stack. */
const STACK = 192 << 10;
const JOBS = 256;
/** Milliseconds after which messages of the host are handled. */
const BREATH = 50;
const GUEST = [
  "settle",
  "runTicks",
  "timer",
  "rest",
  "mark",
  "introduce",
  "show",
  "data",
  "describe",
  "keysOf",
  "emit",
  "rejected",
  "uncaught",
  "signal",
  "complete",
  "error",
  "setEnv",
  "plain",
  "returned",
] as const;
type Guest = Record<typeof GUEST[number], Handle>;

export class Program {
  readonly vm: Vm;
  readonly #guest: Guest;
  readonly #rejections = new Map<number, Handle>();
  #ticking = false;
  #exit: number | undefined;
  #awake: () => void = () => {};
  /** Signals that have come and were not told yet. */
  readonly #signals: number[] = [];
  #breathed = 0;
  /** Whether everything that still runs must end. */
  #stopping = false;

  constructor(private readonly world: ProgramHooks) {
    this.vm = new Vm(
      world.module,
      {
        functions: { host: (name, ...args) => this.#call(name, args) },
        interrupt: () => this.#stopping || world.isInterrupted() || this.#exit !== undefined,
        killed: () => world.isKilled(),
        rejected: (promise, reason, handled) => this.#onRejection(promise, reason, handled),
        normalize: (base, name) => world.normalize(base, name),
        load: (name) => world.load(name),
      },
      { memory: world.memory, stack: STACK },
      world.saved,
    );
    this.#guest = this.vm.notes ? this.#known(this.vm.notes) : this.#begin();
    this.vm.maker = this.#guest.error;
  }

  /** The whole memory at rest. */
  save(notes: Record<string, unknown>): Uint8Array[] {
    const guest = Object.fromEntries(GUEST.map((name) => [name, this.#guest[name].box]));
    return this.vm.save({ ...notes, guest });
  }

  /** Two programs that start from one memory must not draw the same random numbers; the guest's own generator stays. */
  stirRandom(): void {
    const [count] = crypto.getRandomValues(new Uint16Array(1));
    const native = "/native code/.test(Function.prototype.toString.call(Math.random))";
    try {
      this.vm.free(this.vm.eval(`if (${native}) for (let i = 0; i < ${count}; i++) Math.random()`, "<stir>"));
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
      this.vm.free(error.handle);
    }
  }

  #begin(): Guest {
    const boot = this.world.library.get("boot");
    if (!boot) throw new Error("the library has no beginning");
    const guest = this.vm.call(this.vm.evalCompiled(boot), this.vm.hostFunction("host"));
    return Object.fromEntries(GUEST.map((name) => [name, this.vm.get(guest, name)])) as Guest;
  }

  #known({ guest }: Record<string, unknown>): Guest {
    const boxes = (guest ?? {}) as Record<string, unknown>;
    return Object.fromEntries(GUEST.map((name) => [name, new Handle(numberOf(boxes[name]))])) as Guest;
  }

  /** Evaluates a script, whose top level may await. */
  script(file: string, source: Edited): Promise<Ending> {
    return this.#run(file, source, ASYNC);
  }

  module(file: string, source: Edited): Promise<Ending> {
    return this.#run(file, source, MODULE);
  }

  /** What is wrong with the code, without running it; null if it can be compiled. */
  complaint(code: string, file: string): string | null {
    try {
      this.vm.free(this.vm.eval(code, file, ASYNC | COMPILE_ONLY));
      return null;
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
      const message = this.vm.get(error.handle, "message");
      const text = this.vm.value(message);
      this.vm.free(message);
      this.vm.free(error.handle);
      return String(text);
    }
  }

  /** An error of ours as the guest would have thrown it. */
  error({ name, message, code, frame }: GuestError): Handle {
    return this.vm.call(this.#guest.error, name, message, code, frame);
  }

  /** Calls a function of the guest. */
  callGuest(name: keyof Guest, ...args: Value[]): Value {
    return this.vm.ask(this.#guest[name], ...args);
  }

  wake(): void {
    this.#awake();
  }

  /** A signal that the program handles. */
  signal(number: number): void {
    this.#signals.push(number);
    this.wake();
  }

  /** Ends its pending work. */
  stop(): void {
    this.world.work.stopAll();
    this.#stopping = true;
    this.vm.forgetJobs();
    this.#stopping = false;
    this.#ticking = false;
    for (const promise of [...this.#rejections.keys()]) this.#forget(promise);
    this.#exit = undefined;
    this.callGuest("rest");
  }

  async #run(file: string, source: Edited, flags: number): Promise<Ending> {
    this.#exit = undefined;
    this.#breathed = performance.now();
    if (source.locate) this.callGuest("mark", file);
    this.world.computes(true);
    try {
      const act = async () => await this.#follow(this.vm.eval(source.code, file, flags), flags);
      return await this.#left(await this.#guarded(act));
    } finally {
      this.world.computes(false);
    }
  }

  /** The exit handlers have run and must not fail twice. */
  async #left(ending: Ending): Promise<Ending> {
    if (ending.how === "interrupted") return ending;
    const code = ending.how === "exit" ? ending.code : ending.how === "done" ? 0 : 1;
    const after = await this.#guarded(() => {
      const asked = this.callGuest("emit", "exit", code);
      return Promise.resolve<Ending>(
        typeof asked === "number" && ending.how === "done" && asked !== 0 ? { how: "exit", code: asked } : ending,
      );
    });
    return after;
  }

  async #guarded(act: () => Promise<Ending>): Promise<Ending> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof GuestError) return { how: "failed", reason: this.error(error) };
      if (!(error instanceof Thrown)) throw error;
      return this.#stopped() ?? { how: "failed", reason: error.handle };
    }
  }

  #stopped(): Ending | undefined {
    if (this.world.isInterrupted()) return { how: "interrupted" };
    return this.#exit === undefined ? undefined : { how: "exit", code: this.#exit };
  }

  async #follow(promise: Handle, flags: number): Promise<Ending> {
    const own = this.vm.identity(promise);
    let returned = false;
    let idle = false;
    try {
      for (;;) {
        await this.#handleUncaught(() => Promise.resolve(this.#drain()));
        const state = this.vm.stateOf(promise);
        const stopped = this.#stopped();
        if (stopped) return stopped;
        returned ||= state === "rejected" && this.callGuest("returned") === true;
        if (state === "rejected" && !returned) return { how: "failed", reason: this.vm.resultOf(promise) };
        this.#forget(own);
        const reason = this.#unhandled();
        if (reason) return { how: "failed", reason };
        if (await this.#handleUncaught(() => this.#next())) {
          idle = false;
          continue;
        }
        // Handlers may begin new work; they are called again when that is done.
        if (!idle) {
          idle = true;
          await this.#handleUncaught(() => Promise.resolve(this.callGuest("emit", "beforeExit", 0)));
          continue;
        }
        if (state === "pending") return { how: "stalled" };
        return { how: "done", value: returned ? this.vm.resultOf(promise) : this.#valueOf(promise, flags) };
      }
    } finally {
      this.vm.free(promise);
    }
  }

  /** Passes an uncaught error to the program's `uncaughtException` handlers, if it has any, and continues. */
  async #handleUncaught<T>(act: () => Promise<T>): Promise<T | true> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Thrown) || this.#stopped()) throw error;
      if (this.vm.ask(this.#guest.uncaught, error.handle) !== true) throw error;
      this.vm.free(error.handle);
      return true;
    }
  }

  #valueOf(promise: Handle, flags: number): Handle | null {
    if (flags !== ASYNC) return null;
    const result = this.vm.resultOf(promise);
    const value = this.vm.get(result, "value");
    this.vm.free(result);
    return value;
  }

  /** Handles the next event from outside, or the next timer; false if there is none. */
  async #next(): Promise<boolean> {
    const signal = this.#signals.shift();
    if (signal !== undefined) return void this.callGuest("signal", signal), true;
    const news = this.world.work.next();
    if (news) {
      const { id, failure, data, bytes, more } = news;
      this.vm.ask(this.#guest.settle, id, failure, data, bytes, more);
      return true;
    }
    const wait = this.vm.ask(this.#guest.timer, performance.now()) as number;
    if (wait < 0 && this.world.work.open === 0) return false;
    if (wait !== 0) await this.#pause(wait);
    else if (performance.now() - this.#breathed > BREATH) await this.#pause(0);
    return true;
  }

  async #pause(ms: number): Promise<void> {
    this.world.computes(false);
    await new Promise<void>((resolve) => {
      const timer = ms < 0 ? undefined : setTimeout(resolve, Math.min(ms, 2 ** 31 - 1));
      this.#awake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.world.isInterrupted()) this.#awake();
    });
    this.#awake = () => {};
    this.#breathed = performance.now();
    this.world.computes(true);
  }

  #drain(): void {
    for (let count = 0; !this.#stopped(); count++) {
      if (this.#ticking) {
        this.#ticking = false;
        this.callGuest("runTicks");
      } else {
        for (let job = 0; job < JOBS && !this.#ticking; job++) if (!this.vm.step()) return;
      }
    }
  }

  #onRejection(promise: number, reason: Handle, handled: boolean): void {
    this.#forget(promise);
    if (handled) this.vm.free(reason);
    else this.#rejections.set(promise, reason);
  }

  #forget(promise: number): void {
    const reason = this.#rejections.get(promise);
    this.#rejections.delete(promise);
    if (reason) this.vm.free(reason);
  }

  #unhandled(): Handle | undefined {
    for (const [promise, reason] of this.#rejections) {
      this.#rejections.delete(promise);
      if (this.vm.ask(this.#guest.rejected, reason) !== true) return reason;
      this.vm.free(reason);
    }
    return undefined;
  }

  #call(name: Value, args: Value[]): Value | void {
    if (this.#exit !== undefined) throw new GuestError("Exit", "the program has ended", "", true);
    switch (name) {
      case "builtin":
        return this.#builtin(String(args[0]));
      case "peek":
        return args[0] instanceof Handle ? this.vm.peek(args[0]) : undefined;
      case "isProxy":
        return args[0] instanceof Handle && this.vm.isProxy(args[0]);
      case "tick":
        this.#ticking = true;
        return undefined;
      case "exit":
        this.#exit = Number(args[0]) & 255;
        throw new GuestError("Exit", "the program has ended", "", true);
      default:
        if (typeof name !== "string" || !Object.hasOwn(this.world.functions, name)) {
          throw new GuestError("TypeError", "no such function");
        }
        return this.world.functions[name](...args);
    }
  }

  #builtin(name: string): Handle {
    const code = this.world.library.get(name);
    if (!code) throw new GuestError("Error", `no module ${name}`);
    return this.vm.evalCompiled(code);
  }
}
