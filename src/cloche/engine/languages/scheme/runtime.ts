/** Scheme: our own interpreter; cells share one, and each program gets another. */

import { Interrupted } from "../../worker/request_errors.ts";
import { Tree } from "../../fs/tree.ts";
import type { ExecRequest, ExecResult, Outcome, Query, RunError, RunRequest, Stream } from "../../protocol.ts";
import { dataOf } from "./json_data.ts";
import { runError, treeFiles } from "./services.ts";
import { Exit, Interpreter, SchemeError } from "./interpreter.ts";
import { encodeLatin1 } from "../../text/bytes.ts";
import { CATALOG } from "../catalog.ts";
import { ENVIRONMENT } from "../environment.ts";
import { completeModule, type Completion, completionOf } from "../module_completion.ts";
import { FatalError, LanguageRuntime, type LanguageWorker } from "../language.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";

const INTERRUPTED = 130;
const HOME = "/workspace";
/** Bytes of standard input that are handed over at once. */
const PIECE = 65536;
const MB = 1 << 20;
/** Milliseconds between two looks at the heap. */
const LOOK = 10;
/** When a cell has added more bytes than this, its garbage is collected at once. */
const GROWTH = 64 * MB;
/** What an interpreter counts as if its size is unknown. */
const GUESS = 6 * MB;
/** Calls that wait for one another, beyond which a full heap is their doing. */
const DEEP = 200_000;
/** Matches the name of a library that is being written. */
const IMPORT = /\(import\s(?:[^()]|\([^()]*\))*\((?:(?:only|except|prefix|rename)\s+\()?([^()]*)$/;
const NAME = /[^\s()[\]"';`,|]*$/;
const VERSION = "Cloche Scheme, R7RS-small\n";
const HELP = `usage: scheme [FILE | -e CODE | -] [ARGUMENT ...]
Without FILE or CODE the program is read from the standard input.
`;

/** What a program is surrounded by while it runs. */
interface ProgramStreams {
  write(stream: Stream, text: string): void;
  /** The next piece of input, null at its end. */
  read(): string | null;
  cwd: string;
  env: Record<string, string>;
  args: string[];
}

export default class SchemeRuntime extends LanguageRuntime {
  readonly #tree: Tree;
  readonly #limit: number;
  #env: Record<string, string>;
  #session: Interpreter | null = null;
  #now: ProgramStreams = { write: () => {}, read: () => null, cwd: HOME, env: {}, args: [] };
  #looked = 0;
  #tidied = 0;

  constructor(worker: LanguageWorker) {
    super(worker);
    this.#tree = new Tree(worker.folders);
    this.#env = { ...ENVIRONMENT, ...worker.init.config.env, ...worker.init.config.added };
    this.#limit = Math.min(CATALOG.scheme.memory * MB, worker.init.config.memory);
  }

  load(): Promise<void> {
    this.#session = this.#interpreter(() => this.#now);
    return Promise.resolve();
  }

  memory(): number {
    return this.worker.heapBytes() || GUESS;
  }

  // deno-lint-ignore require-await -- nothing in Scheme waits for a promise
  async run(id: number, request: RunRequest): Promise<Outcome> {
    const session = this.#session;
    if (!session) throw new FatalError("Scheme is not loaded");
    const { code, file, args = [] } = request;
    this.worker.outputBuffer.open(id);
    const encoder = new TextEncoder();
    this.#now = {
      write: (stream, text) => this.worker.outputBuffer.write(stream, encoder.encode(text)),
      read: this.#input(id, request.interactive ? null : encodeLatin1(atob(request.stdin ?? ""))),
      cwd: HOME,
      env: this.#env,
      args: [file ?? "scheme", ...args],
    };
    const outcome = this.#attempt(() => {
      const value = session.run(code, file ?? "<cell>");
      return { value: session.show(value), data: dataOf(value) };
    }, session);
    this.worker.outputBuffer.flush();
    this.#tidy();
    return outcome;
  }

  #tidy(): void {
    if (this.worker.heapBytes() < this.#tidied + GROWTH) return;
    this.worker.collectGarbage();
    this.#tidied = this.worker.heapBytes();
  }

  // deno-lint-ignore require-await -- as above
  async exec(id: number, request: ExecRequest): Promise<ExecResult> {
    const { argv = [], stdin, cwd, env } = request;
    this.worker.outputBuffer.open(id);
    const printed = new ProgramOutput(this.worker, request);
    const encoder = new TextEncoder();
    const write = (stream: Stream, text: string) => printed.write(stream, encoder.encode(text));
    let ended = false;
    const next = this.#input(id, stdin);
    const read = () => {
      const part = next();
      ended = part === null;
      return part;
    };
    const exitCode = this.#program(argv.slice(1), { write, read, cwd, env, args: [] });
    this.worker.outputBuffer.flush();
    this.#tidy();
    return { ...printed.result(exitCode), ended };
  }

  override query({ kind, code, cursor }: Query): Promise<unknown> {
    if (kind === "is_complete") return Promise.resolve({ status: this.#session?.check(code) ?? "unknown" });
    if (kind !== "complete") return super.query({ kind, code, cursor });
    const library = IMPORT.exec(code.slice(0, cursor))?.[1];
    if (library !== undefined) return Promise.resolve(this.#completeLibrary(library, cursor));
    const prefix = NAME.exec(code.slice(0, cursor))?.[0] ?? "";
    const matches = prefix === "" ? [] : this.#session?.complete(prefix) ?? [];
    return Promise.resolve({ matches, start: cursor - prefix.length, end: cursor });
  }

  /** The next word of a library's name: of one that is known, or of a file. */
  #completeLibrary(text: string, cursor: number): Completion {
    const begun = text.slice(0, text.lastIndexOf(" ") + 1);
    const known = this.#session?.libraryNames() ?? [];
    const words = known.filter((name) => name.startsWith(begun)).map((name) => name.slice(begun.length).split(" ")[0]);
    const places = { tree: this.#tree, roots: ["/workspace"], separator: " ", endings: [".sld"] };
    const files = completeModule(places, text, cursor).matches;
    return completionOf([...words, ...files], text.slice(begun.length), cursor);
  }

  setEnv(env: Record<string, string>): void {
    Object.assign(this.#env, env);
  }

  #interpreter(now: () => ProgramStreams): Interpreter {
    return new Interpreter({
      poll: (much) => this.#poll(much),
      stdout: (text) => now().write("stdout", text),
      stderr: (text) => now().write("stderr", text),
      stdin: () => now().read(),
      files: treeFiles(this.#tree, () => now().cwd),
      process: {
        get arguments() {
          return now().args;
        },
        get environment() {
          return now().env;
        },
        sleep: (ms) => {
          this.worker.outputBuffer.flush();
          if (!this.worker.shared.sleep(ms)) throw new Interrupted("interrupted");
        },
      },
    });
  }

  /** Ends the program if it must stop, or uses too much memory. */
  #poll(much: boolean): void {
    const { shared } = this.worker;
    if (shared.killed) throw new FatalError("killed");
    if (shared.interrupted) throw new Interrupted("interrupted");
    const now = performance.now();
    if (!much && now - this.#looked < LOOK) return;
    this.#looked = now;
    if (this.worker.heapBytes() < this.#limit) return;
    this.worker.collectGarbage();
    if (this.worker.heapBytes() > this.#limit * 0.9) throw new OutOfMemory();
  }

  /** The bytes piece by piece, or line by line what the caller answers. */
  #input(run: number, data: Uint8Array | null): () => string | null {
    if (!data) {
      return () => {
        const line = this.worker.blocking.input(run, "", false);
        return line === null ? null : line.endsWith("\n") ? line : line + "\n";
      };
    }
    const decoder = new TextDecoder();
    let at = 0;
    return () => {
      if (at >= data.length) return null;
      const piece = data.subarray(at, at += PIECE);
      return decoder.decode(piece, { stream: at < data.length });
    };
  }

  #attempt(work: () => Pick<Outcome, "value" | "data">, interpreter: Interpreter): Outcome {
    try {
      return { ...work(), error: null, exitCode: 0 };
    } catch (error) {
      if (error instanceof Exit) return { value: null, error: null, exitCode: error.code };
      const failure = this.#toRunError(error, interpreter);
      return { value: null, error: failure, exitCode: failure.type === "KeyboardInterrupt" ? INTERRUPTED : 1 };
    } finally {
      interpreter.forget();
    }
  }

  #toRunError(error: unknown, interpreter: Interpreter): RunError {
    if (error instanceof SchemeError) return runError(error);
    if (error instanceof Interrupted) return runError(new SchemeError("KeyboardInterrupt", "interrupted"));
    if (!(error instanceof OutOfMemory)) throw error;
    const deep = interpreter.depth > DEEP;
    const failure = new SchemeError(
      deep ? "RecursionError" : "OutOfMemory",
      deep ? "recursion too deep" : `the program holds more than ${Math.floor(this.#limit / MB)} MB`,
    );
    return runError(failure);
  }

  #program(args: string[], streams: ProgramStreams): number {
    const [first, ...rest] = args;
    if (["-v", "--version", "-h", "--help"].includes(first)) {
      streams.write("stdout", first.includes("h") ? HELP : VERSION);
      return 0;
    }
    const interpreter = this.#interpreter(() => streams);
    const outcome = this.#attempt(() => {
      const { code, name, args } = this.#source(first, rest, streams);
      streams.args = args;
      interpreter.run(code, name);
      return { value: null };
    }, interpreter);
    if (outcome.error) streams.write("stderr", outcome.error.traceback);
    return outcome.exitCode;
  }

  #source(first: string | undefined, rest: string[], streams: ProgramStreams) {
    if (first === "-e" || first === "-c") {
      if (rest.length === 0) throw new SchemeError("UsageError", `${first} needs code`);
      return { code: rest[0], name: first, args: ["scheme", ...rest.slice(1)] };
    }
    if (first === undefined || first === "-") {
      const parts: string[] = [];
      for (let part = streams.read(); part !== null; part = streams.read()) parts.push(part);
      return { code: parts.join(""), name: "<stdin>", args: ["scheme", ...rest] };
    }
    if (first.startsWith("-")) throw new SchemeError("UsageError", `unknown option ${first}\n${HELP.trimEnd()}`);
    return { code: this.#readProgram(first, streams.cwd), name: first, args: [first, ...rest] };
  }

  #readProgram(path: string, cwd: string): string {
    try {
      return new TextDecoder().decode(treeFiles(this.#tree, () => cwd).read(path));
    } catch (error) {
      throw new SchemeError(
        "FileError",
        `scheme: cannot read ${path}: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

class OutOfMemory extends Error {}
