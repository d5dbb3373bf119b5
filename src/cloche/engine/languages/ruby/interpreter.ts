/** One Ruby interpreter, restored from the pack, with its files and services. */

import { Interrupted } from "../../worker/request_errors.ts";
import type { Tree } from "../../fs/tree.ts";
import type { Stream } from "../../protocol.ts";
import type { Source } from "../../wasm/image.ts";
import { watchMeter } from "../../wasm/meter.ts";
import { DeviceHandle, Exit, Wasi } from "../../wasi/wasi.ts";
import { decodeField, packFields, unpackFields } from "./field_lists.ts";
import { Vm } from "./vm/vm.ts";
import { clearSignals, raiseAlarm, raiseInterrupt, type Signals } from "./vm/signals.ts";

/** The most bytes of one message; no honest message is longer. */
const MESSAGE = 256 << 20;
const TURN = "Cloche.turn";
const EMPTY = new Uint8Array(0);

/** The parts that all interpreters of a worker share. */
export interface InterpreterParts {
  module: WebAssembly.Module;
  signals: Signals;
  tree: Tree;
  /** Whether it must end at once, and whether it has just been interrupted. */
  killed(): boolean;
  takeInterrupt(): boolean;
  sleep(ms: number): boolean;
}

/** What an interpreter may use outside itself. */
export interface RubyServices {
  output(stream: Stream, data: Uint8Array): void;
  /** At most this many bytes; none at the end. */
  input(max: number): Uint8Array;
  /** Answers Ruby's requests. */
  answer(question: string, fields: Uint8Array[]): (string | Uint8Array)[];
}

/** The interpreter has ended in a way from which it cannot continue. */
export class Broken extends Error {
  override readonly name = "Broken";
}

export class Interpreter {
  readonly #vm: Vm;
  readonly #wasi: Wasi;
  #work: (string | Uint8Array)[] = [];
  #done: Uint8Array[] | null = null;
  #inputEnded = false;
  /** When an alarm is due. */
  #due = Infinity;

  constructor(private readonly parts: InterpreterParts, private readonly services: RubyServices) {
    this.#wasi = new Wasi({
      args: ["ruby"],
      env: {},
      tree: parts.tree,
      stdin: (max) => this.#inputEnded ? EMPTY : this.#calm(() => services.input(max), EMPTY),
      stdout: (data) => services.output("stdout", data),
      stderr: (data) => services.output("stderr", data),
      sleep: (ms) => this.#sleep(ms),
      devices: { cloche: () => this.#conversation() },
    });
    this.#vm = new Vm(parts.module, this.#wasi);
    watchMeter(this.#vm.instance, () => this.#check());
  }

  get memory(): number {
    return this.#vm.memory.buffer.byteLength;
  }

  /** Runs a piece of work. Throws Broken if the interpreter cannot be used any more. */
  turn(...work: (string | Uint8Array)[]): Uint8Array[] {
    this.#work = work;
    this.#done = null;
    this.#inputEnded = false;
    this.#due = Infinity;
    try {
      this.#vm.run(TURN);
    } catch (error) {
      if (error instanceof Exit) throw new Broken("Ruby has ended itself");
      throw new Broken(reason(error));
    }
    clearSignals(this.#vm.memory, this.parts.signals);
    const done = this.#done as Uint8Array[] | null;
    if (!done) throw new Broken("Ruby has lost its way");
    return done;
  }

  close(): void {
    this.#wasi.close();
  }

  /** The whole memory of the idle interpreter; a string says why it cannot be saved. */
  save(): Uint8Array[] | string {
    const open = this.#wasi.openFiles;
    return open > 0 ? `Ruby has ${open} open files` : this.#vm.save();
  }

  restore(source: Source): void {
    this.#vm.restore(source);
    if (!this.#vm.run("srand(Random.new_seed)")) throw new Broken("Ruby could not go on from what was saved");
  }

  #check(): number {
    if (this.parts.killed()) return 1;
    if (this.parts.takeInterrupt()) this.#interrupt();
    if (performance.now() >= this.#due) {
      this.#due = Infinity;
      raiseAlarm(this.#vm.memory, this.parts.signals);
    }
    return 0;
  }

  #interrupt(): void {
    raiseInterrupt(this.#vm.memory, this.parts.signals);
  }

  #sleep(ms: number): boolean {
    const left = this.#due - performance.now();
    const slept = this.parts.sleep(Math.min(ms, Math.max(0, left)));
    this.#check();
    return slept && left >= ms;
  }

  /** If an interrupt ends a wait, Ruby raises it in its own way. */
  #calm<T>(act: () => T, otherwise: T): T {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.parts.takeInterrupt();
      this.#interrupt();
      return otherwise;
    }
  }

  #conversation(): DeviceHandle {
    const parts: Uint8Array[] = [];
    let size = 0;
    let rest: Uint8Array | null = null;
    const read = (max: number) => {
      rest ??= this.#answer(joined(parts, size));
      const part = rest.subarray(0, max);
      rest = rest.subarray(part.length);
      return part;
    };
    return new DeviceHandle(read, (data) => {
      size += data.length;
      if (size > MESSAGE) throw new Broken("Ruby has sent a message that is too long");
      parts.push(data.slice());
    });
  }

  #answer(message: Uint8Array): Uint8Array {
    const [question, ...fields] = unpackFields(message);
    switch (decodeField(question)) {
      case "work":
        return packFields(this.#work);
      case "done":
        this.#done ??= fields;
        return EMPTY;
      case "alarm":
        this.#due = fields[0]?.length ? performance.now() + (Number(decodeField(fields[0])) || 0) : Infinity;
        return EMPTY;
      case "ended":
        this.#inputEnded = true;
        return EMPTY;
      default:
        return this.#calm(() => packFields(this.services.answer(decodeField(question), fields)), EMPTY);
    }
  }
}

function joined(parts: Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function reason(error: unknown): string {
  if (error instanceof Broken) return error.message;
  if (error instanceof RangeError) return "the program was nested too deeply for the interpreter";
  if (error instanceof WebAssembly.RuntimeError) return `the interpreter has stopped: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
