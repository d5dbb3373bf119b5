/** Runs compiled code: one instruction after another, until it ends or has to wait. */
import { AwkArray, type Slot } from "../data/values.ts";
import { AwkError } from "../errors.ts";
import type { AwkHost } from "../host.ts";
import type { Names } from "../program/resolver.ts";
import { MainInput } from "./main_input.ts";
import type { Output } from "./output.ts";
import { Random } from "./random.ts";
import { MachineState } from "./state.ts";
import { Streams } from "./streams.ts";

/** Does one step; returns the place of the next, or one of the signs below. */
export type Instruction = () => number;

/** The machine has changed to other code. */
export const SWITCH = -1;
/** The machine waits for something. */
export const WAIT = -2;
/** The code has ended. */
export const STOP = -3;

/** Compiled code with its lines in the program, and how many values a frame of it holds. */
export interface Code {
  instructions: Instruction[];
  lines: number[];
  slots: number;
}

/** A function of the program; its code comes when it is compiled. */
export interface AwkFunction {
  name: string;
  parameters: number;
  code: Code;
}

/** The keys that a `for (key in array)` goes through. */
export class KeyList {
  at = 0;
  constructor(readonly keys: string[]) {}
}

type Local = Slot | KeyList;

interface Frame {
  code: Code;
  place: number;
  locals: Local[];
  /** Where the caller wants the value that the function returns. */
  target: number;
}

/** Steps of loops between two looks at the interrupt. */
const FUEL = 4096;
/** How deep functions may call each other. */
const DEPTH = 100_000;
const NO_LOCALS: Local[] = [];

export class Machine {
  readonly state: MachineState;
  readonly streams: Streams;
  readonly input: MainInput;
  readonly random = new Random();
  readonly functions = new Map<string, AwkFunction>();
  /** Parameters and temporaries of the code that runs. */
  locals: Local[] = [];
  /** How the code was left before its end. */
  left: "" | "nextfile" | "exit" = "";
  exitCode = 0;
  /** Whether records are read, so that there is a next one. */
  readsRecords = false;
  #code: Code = { instructions: [], lines: [], slots: 0 };
  #place = 0;
  #frames: Frame[] = [];
  #fuel = FUEL;
  #pending: Promise<unknown> | undefined;

  constructor(readonly host: AwkHost, names: Names) {
    this.state = new MachineState(names);
    this.state.conventions.bytes = host.bytes;
    this.streams = new Streams(host);
    this.input = new MainInput(this);
  }

  /** Runs code to its end; returns a promise only if it has to wait. */
  run(code: Code): void | Promise<void> {
    this.#code = code;
    this.#place = 0;
    this.locals = code.slots === 0 ? NO_LOCALS : new Array(code.slots).fill(undefined);
    this.#frames.length = 0;
    this.left = "";
    if (!this.#loop()) return this.#waitAndLoop();
  }

  /** Runs other code while the current one waits. */
  async runBetween(code: Code): Promise<void> {
    const [current, place, locals, frames] = [this.#code, this.#place, this.locals, this.#frames];
    this.#frames = [];
    await this.run(code);
    [this.#code, this.#place, this.locals, this.#frames] = [current, place, locals, frames];
  }

  /** Calls a function at once, to compare two values; it must not wait. */
  callNow(called: AwkFunction, args: Slot[]): Slot {
    const [code, place, locals, frames] = [this.#code, this.#place, this.locals, this.#frames];
    this.#code = { instructions: [() => STOP], lines: [0], slots: 1 };
    this.#place = 0;
    this.locals = [undefined];
    this.#frames = [];
    this.call(called, args, 0, 0);
    if (!this.#loop()) throw new AwkError(`function \`${called.name}' must not read or write while it compares`);
    const result = this.locals[0] as Slot;
    [this.#code, this.#place, this.locals, this.#frames] = [code, place, locals, frames];
    return result;
  }

  #loop(): boolean {
    let place = this.#place;
    let { instructions } = this.#code;
    try {
      for (;;) {
        while (place >= 0) place = instructions[place]();
        if (place !== SWITCH) return place === STOP;
        place = this.#place;
        ({ instructions } = this.#code);
      }
    } catch (error) {
      throw this.#located(error, place);
    }
  }

  /** An error with the line of the program that it comes from. */
  #located(error: unknown, place: number): unknown {
    if (error instanceof AwkError && error.line === 0) error.line = this.#code.lines[place] ?? 0;
    return error;
  }

  async #waitAndLoop(): Promise<void> {
    do {
      const pending = this.#pending;
      this.#pending = undefined;
      try {
        await pending;
      } catch (error) {
        // It continues behind the instruction that waits.
        throw this.#located(error, this.#place - 1);
      }
    } while (!this.#loop());
  }

  /** Enters a function; it continues at `next` of the caller. */
  call(called: AwkFunction, args: Slot[], target: number, next: number): number {
    if (this.#frames.length >= DEPTH) {
      throw new AwkError(`function \`${called.name}': recursion depth exceeded (${DEPTH} calls)`);
    }
    this.#frames.push({ code: this.#code, place: next, locals: this.locals, target });
    const { code } = called;
    const locals: Local[] = args;
    if (locals.length > called.parameters) locals.length = called.parameters;
    while (locals.length < code.slots) locals.push(undefined);
    this.locals = locals;
    this.#code = code;
    this.#place = 0;
    return --this.#fuel > 0 ? SWITCH : this.refuel(SWITCH);
  }

  /** Leaves a function. */
  return(value: Slot): number {
    const frame = this.#frames.pop();
    if (!frame) throw new AwkError("`return' used outside function context");
    if (value instanceof AwkArray) throw new AwkError("attempt to use an array in a scalar context");
    this.#code = frame.code;
    this.#place = frame.place;
    this.locals = frame.locals;
    this.locals[frame.target] = value;
    return SWITCH;
  }

  /** A jump back, by which every loop comes. */
  jumpBack(next: number): number {
    return --this.#fuel > 0 ? next : this.refuel(next);
  }

  /** Looks at the interrupt; called after every few thousand steps. */
  refuel(next: number): number {
    this.#fuel = FUEL;
    return this.wait(this.host.attend(), next);
  }

  /** Continues at `next`, after the promise if there is one. */
  wait(promise: void | Promise<unknown>, next: number): number {
    if (!promise) return next;
    this.#pending = promise;
    if (next !== SWITCH) this.#place = next;
    return WAIT;
  }

  /** Uses a value at once or when it has come, then continues. */
  settle<T>(value: T | Promise<T>, use: (value: T) => void, next: number): number {
    if (value instanceof Promise) return this.wait(value.then(use), next);
    use(value);
    return next;
  }

  /** Writes text, and passes it on if it has become much. */
  write(output: Output, text: string, next: number): number {
    output.write(text);
    if (output.isFull || output === this.streams.stderr) return this.wait(output.flush(), next);
    return next;
  }

  /** Says on standard error what is wrong but ends nothing. */
  warn(message: string): void {
    this.streams.stderr.write(`awk: warning: ${message}\n`);
  }

  /** Ends the work on the current record, or on its file. */
  leaveRecord(how: "" | "nextfile"): number {
    if (!this.readsRecords) throw new AwkError(`\`${how || "next"}' cannot be called from a BEGIN or END rule`);
    return this.leave(how);
  }

  /** Ends the code before its end. */
  leave(how: "" | "nextfile" | "exit"): number {
    this.left = how;
    return STOP;
  }
}
