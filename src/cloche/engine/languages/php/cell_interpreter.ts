/** The PHP that runs cells: its messages to the engine, and the result of each cell. */

import { checkData } from "../json_data.ts";
import { FIXED_LIMITS } from "../../limits.ts";
import type { Outcome, RunError } from "../../protocol.ts";
import { CELL, errorOf } from "./errors.ts";
import { NETWORK } from "./hints.ts";
import { type Ended, Interpreter } from "./vm/interpreter.ts";
import type { Vm } from "./vm/vm.ts";
import { sourceOf } from "./source.ts";
import type { Image } from "../../wasm/image.ts";

const INTERRUPTED = 130;
const KERNEL = "<kernel>";
const NAME_LIMIT = 1000;
/** The part of its memory that PHP may still use after running out of memory. */
const SPARE = 0.75;
const DONE = "done";
const NAMELESS: Notes["program"] = { name: CELL, words: null };

/** The request of PHP's own side that is under way. */
interface Notes {
  /** Its argument. */
  code: string;
  /** The name of the cell, and its arguments if they change. */
  program: { name: string; words: string[] | null };
  /** The code to run instead. */
  run: string | null;
  value: string | null;
  /** The value as JSON. */
  data: string | null;
  answer: string | null;
  /** Definitions that the cell replaces. */
  replaced: { kind: "function" | "class"; name: string }[];
}

interface Asking {
  /** Keeps a prompt for the next line that is read; false if there is no user. */
  prompt(text: string): boolean;
  /** Asks the host for the package that provides a class; throws why it does not. */
  provide(name: string): void;
}

export class Cells {
  readonly #php: Interpreter;
  #notes = blank("");
  #environment: Record<string, string | null> = {};
  readonly #refusals = new Map<string, string>();
  /** Whether PHP blocks until the host has replied. */
  #asks = false;

  /** `memory` is what PHP code may use, in bytes; `printError` prints to stderr. */
  constructor(
    vm: Vm,
    private readonly memory: number,
    private readonly printError: (text: string) => void,
  ) {
    this.#php = new Interpreter(vm, (message) => this.#warned(message));
  }

  /** Makes PHP continue with the current files and environment; call it first. */
  wake(environment: Record<string, string>): void {
    this.#environment = environment;
    this.#ask("wake", "");
  }

  /** The memory of the idle interpreter; a string says why it cannot be saved. */
  save(data: Image<null>): Uint8Array[] | string {
    return this.#php.save(data);
  }

  /** Whether what PHP prints is reported in another way. */
  get muted(): boolean {
    return this.#php.muted;
  }

  /** Answers a message. Code of the guest can send any: it learns and changes nothing but what belongs to its own cell. */
  message(text: string, asking: Asking): string | null {
    const cut = text.indexOf("\n");
    const [what, rest] = cut < 0 ? [text, ""] : [text.slice(0, cut), text.slice(cut + 1)];
    const notes = this.#notes;
    if (what === "code") return notes.code;
    if (what === "program") return JSON.stringify(notes.program);
    if (what === "environment") return JSON.stringify(this.#environment);
    if (what === "run") notes.run = rest;
    else if (what === "value") notes.value = rest.slice(0, FIXED_LIMITS.valueLimit);
    else if (what === "data") notes.data = checkData(rest);
    else if (what === "answer") notes.answer = rest.slice(0, FIXED_LIMITS.valueLimit);
    else if (what === "function" || what === "class") {
      notes.replaced.push({ kind: what, name: rest.slice(0, NAME_LIMIT) });
    } else if (what === "prompt") return asking.prompt(rest.slice(0, NAME_LIMIT)) ? DONE : "";
    else if (what === "provide") return this.#provide(rest.slice(0, NAME_LIMIT), asking);
    else return null;
    return DONE;
  }

  run(code: string, name = CELL, words: string[] | null = null): Outcome {
    const source = sourceOf(code);
    const notes = this.#ask("prepare", source, { name, words });
    for (const { kind, name } of notes.replaced) this.#php.forget(kind, name);
    if (notes.replaced.length > 0) this.#php.forgetCalls();
    this.#notes = blank("");
    const ended = this.#php.execute(notes.run ?? source, name);
    const last = ended.stopped ? ended : this.#php.finish();
    return this.#outcome(last, code, name);
  }

  /** Variables to set; null removes one. */
  setEnvironment(values: Record<string, string | null>): void {
    this.#environment = values;
    this.#ask("environment", "");
  }

  /** Packages have changed; a cell that waits for them checks by itself. */
  refresh(): void {
    this.#refusals.clear();
    if (!this.#asks) this.#php.execute("<?php \\Cloche\\Packages::refresh(true);", KERNEL);
  }

  /** The answer of one of the kernel's functions. */
  query(what: "completeness" | "completions" | "description", code: string): string | null {
    return this.#ask(what, code).answer;
  }

  /** Whether PHP cannot continue: its memory cannot be freed. */
  get exhausted(): boolean {
    return this.#php.used > this.memory * SPARE;
  }

  #warned(message: string): void {
    if (message.includes("allow_url_fopen=0")) this.printError(`hint: ${NETWORK}\n`);
  }

  #ask(what: string, code: string, program = NAMELESS): Notes {
    const notes = this.#notes = { ...blank(code), program };
    this.#php.execute(`<?php \\Cloche\\${what}();`, KERNEL);
    return notes;
  }

  #outcome(ended: Ended, code: string, name: string): Outcome {
    const { value, data } = this.#notes;
    if (ended.stopped) return { value: null, error: interrupted(), exitCode: INTERRUPTED };
    if (!ended.fault) return { value, error: null, exitCode: ended.exitCode, data };
    const error = errorOf(ended.fault, { code, name, refusals: this.#refusals });
    return { value: null, error, exitCode: ended.exitCode };
  }

  #provide(name: string, asking: Asking): string {
    if (this.#refusals.has(name)) return "";
    this.#asks = true;
    try {
      asking.provide(name);
      return DONE;
    } catch (error) {
      if (error instanceof Error && error.message) this.#refusals.set(name, error.message);
      return "";
    } finally {
      this.#asks = false;
    }
  }
}

function blank(code: string): Notes {
  return { code, program: NAMELESS, run: null, value: null, data: null, answer: null, replaced: [] };
}

function interrupted(): RunError {
  return {
    type: "KeyboardInterrupt",
    message: "interrupted",
    line: null,
    column: null,
    traceback: "KeyboardInterrupt",
  };
}
