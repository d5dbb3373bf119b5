/** What a program may use of its worker: arguments, variables, folder, streams and clock. */

import type { LanguageWorker } from "../language.ts";
import type { Tree } from "../../fs/tree.ts";
import type { Stream } from "../../protocol.ts";
import { CATALOG } from "../catalog.ts";
import { checkBytes, checkNumber, checkText } from "./file_calls.ts";
import { GuestError, type HostFunction } from "./quickjs/vm.ts";

export const NODE = "v22.12.0";
const MOST_RANDOM = 1 << 20;
/** Bytes of standard input that are handed over at once. */
const PIECE = 65536;

export interface ProgramServicesOptions {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  /** The name of `require.main`. */
  main: string;
  write(stream: Stream, data: Uint8Array): void;
  /** Piped bytes; null if the user can be asked. */
  stdin: Uint8Array | null;
  interactive: boolean;
  /** Its number in the shell, and a bit for each signal that it handles. */
  pid?: number;
  handled?: SharedArrayBuffer;
  /** How tests are run. */
  tests?: TestSettings;
  /** Takes an event of a test, as JSON, if another program reports it. */
  onTestEvent?: (json: string) => void;
  /** What the program that reports is to report next, as JSON. */
  nextTestReport?: () => string;
}

/** What a command line says of tests. */
export interface TestSettings {
  reporter?: string;
  only?: boolean;
  /** Names of tests that run, and that do not. */
  patterns?: string[];
  skipped?: string[];
  /** Milliseconds. */
  timeout?: number;
}

export class ProgramServices {
  #cwd: string;
  run = 0;

  constructor(
    private readonly worker: LanguageWorker,
    private readonly tree: Tree,
    readonly options: ProgramServicesOptions,
    private readonly memory: () => [used: number, heap: number, limit: number],
  ) {
    this.#cwd = options.cwd;
  }

  get cwd(): string {
    return this.#cwd;
  }

  set cwd(path: string) {
    this.#cwd = path;
  }

  functions(): Record<string, HostFunction> {
    return {
      info: () => JSON.stringify(this.#info()),
      main: () => this.options.main,
      cwd: () => this.#cwd,
      chdir: (path) => this.#chdir(checkText(path)),
      now: () => performance.now(),
      memory: () => this.memory(),
      signals: (low, high) => this.#handleSignals(checkNumber(low), checkNumber(high)),
      random: (count) => random(checkNumber(count)),
      print: (stream, data) => this.options.write(stream === 2 ? "stderr" : "stdout", checkBytes(data)),
      stdin: () => this.#stdin(),
      testSettings: () => JSON.stringify({ ...this.options.tests, forward: this.options.onTestEvent !== undefined }),
      testEvent: (json) => this.options.onTestEvent?.(checkText(json)),
      testReport: () => this.options.nextTestReport?.() ?? "",
      line: (prompt) => this.#line(checkText(prompt)),
    };
  }

  #info() {
    const { argv, env, pid } = this.options;
    return { argv, env, pid, node: NODE, engine: CATALOG.javascript.engine };
  }

  /** Each bit is a signal that the program handles itself. */
  #handleSignals(low: number, high: number): void {
    const { handled } = this.options;
    if (!handled) return;
    const words = new Int32Array(handled);
    Atomics.store(words, 0, low);
    Atomics.store(words, 1, high);
  }

  #chdir(path: string): void {
    const { kind } = this.tree.stat(path);
    if (kind !== "directory") throw new GuestError("Error", `ENOTDIR: not a directory, chdir '${path}'`, "ENOTDIR");
    this.#cwd = path;
  }

  /** The next piece of piped input, empty at its end; null if the user must be asked. */
  #stdin(): Uint8Array | null {
    const { stdin, interactive } = this.options;
    if (stdin === null) return interactive ? null : new Uint8Array(0);
    this.options.stdin = stdin.subarray(PIECE);
    return stdin.slice(0, PIECE);
  }

  /** Whether all piped input has been read. */
  get drained(): boolean {
    return !this.options.stdin?.length;
  }

  #line(prompt: string): string | null {
    return this.options.interactive ? this.worker.blocking.input(this.run, prompt, false) : null;
  }
}

function random(count: number): Uint8Array {
  if (!(count >= 0 && count <= MOST_RANDOM)) throw new GuestError("RangeError", "too many random bytes");
  const data = new Uint8Array(count);
  for (let at = 0; at < count; at += 65536) crypto.getRandomValues(data.subarray(at, at + 65536));
  return data;
}
