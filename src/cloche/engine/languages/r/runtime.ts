/** R: webR's program restored from a snapshot; all cells share one interpreter, each program has its own. */

import { PackageFiles } from "../../fs/packages.ts";
import { Tree } from "../../fs/tree.ts";
import type { ExecRequest, ExecResult, Outcome, Query, RunError, RunRequest, Stream } from "../../protocol.ts";
import { readCommand, USAGE, type Word } from "./command.ts";
import { type AskLine, ProgramInput } from "../../worker/programs/input.ts";
import { Broken, Interpreter, type InterpreterParts } from "./interpreter.ts";
import { runCode } from "./evaluation.ts";
import { Services } from "./services.ts";
import { encodeLatin1 } from "../../text/bytes.ts";
import type { Source } from "../../wasm/image.ts";
import { CATALOG } from "../catalog.ts";
import { ENVIRONMENT } from "../environment.ts";
import { completionOf } from "../module_completion.ts";
import { FatalError, LanguageRuntime, type LanguageWorker } from "../language.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";

const FOLDER = "/workspace";
/** Libraries of the program itself, in files beside it. */
const BESIDE = ["libRblas.so", "libRlapack.so"];
const INTERRUPTED = 130;
const CELL_ARGUMENTS = ["R"];
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The services and the input of the running program. */
interface ProgramStreams {
  services: Services;
  input: ProgramInput;
}

type Write = (stream: Stream, data: Uint8Array) => void;
/** Opens a program's input and output. */
type OpenStreams = (given: Uint8Array | null, write: Write) => ProgramStreams;

/** Matches the name of a package that is being written. */
const LOADS = /\b(?:library|require|requireNamespace|loadNamespace|attachNamespace)\s*\(\s*["']?([\w.]*)$/;

export default class RRuntime extends LanguageRuntime {
  readonly #env: Record<string, string>;
  #parts: InterpreterParts | null = null;
  #cells: Interpreter | null = null;
  #streams: ProgramStreams;

  constructor(worker: LanguageWorker) {
    super(worker);
    this.#env = { ...ENVIRONMENT, ...worker.init.config.env, ...worker.init.config.added };
    this.#streams = this.#openStreams(0, null, null);
  }

  async load(): Promise<void> {
    this.#parts = await loadParts(this.worker);
    const saved = this.openSaved();
    this.#cells = await this.#start(() => this.#streams, saved).finally(() => saved?.close());
    if (saved) {
      this.#cells.setEnv(this.worker.init.config.added);
      this.#cells.call("set.seed", [null], () => null);
    } else this.#cells.setEnv(this.#env);
    this.#cells.changeFolder(FOLDER);
  }

  protected override image(): Uint8Array[] | string {
    return this.#interpreter().save();
  }

  memory(): number {
    return this.#cells?.memory ?? 0;
  }

  run(id: number, request: RunRequest): Promise<Outcome> {
    this.worker.outputBuffer.open(id);
    const given = request.stdin === null ? null : encodeLatin1(atob(request.stdin));
    this.#streams = this.#openStreams(id, given, request.interactive ? (prompt) => this.#ask(id, prompt) : null);
    try {
      return Promise.resolve(this.#cell(id, request));
    } catch (error) {
      return Promise.reject(fatal(error));
    } finally {
      this.worker.outputBuffer.flush();
    }
  }

  #cell(id: number, { code, stdin, interactive, file, args }: RunRequest): Outcome {
    const r = this.#interpreter();
    r.makeTemporary();
    r.setInteractive(interactive || stdin !== null);
    r.setArguments(args?.length ? [...CELL_ARGUMENTS, "--args", ...args] : CELL_ARGUMENTS);
    const { exitCode, value, html, data: json, error } = runCode(r, { code, file: file ?? "<cell>", script: false });
    r.call("plotted", [], () => null);
    if (html !== null) {
      const data = { "text/plain": value, "text/html": html };
      this.worker.display(id, { kind: "result", data, metadata: {}, displayId: null });
    }
    return { value, error, exitCode, data: json };
  }

  async exec(id: number, request: ExecRequest): Promise<ExecResult> {
    this.worker.outputBuffer.open(id);
    const printed = new ProgramOutput(this.worker, request);
    try {
      let input: ProgramInput | undefined;
      const openStreams: OpenStreams = (given, write) => {
        const ask = request.stdin === null && request.live ? (prompt: string) => this.#ask(id, prompt) : null;
        const streams = this.#openStreams(id, given, ask, write);
        input = streams.input;
        return streams;
      };
      const exitCode = await this.#program(request, openStreams, (stream, data) => printed.write(stream, data));
      return { ...printed.result(exitCode), ended: input?.drained };
    } finally {
      this.worker.outputBuffer.flush();
    }
  }

  async #program(request: ExecRequest, openStreams: OpenStreams, write: Write): Promise<number> {
    const program = readCommand(request.argv ?? ["R"]);
    if (typeof program === "string") return say(program, write);
    const text = this.#read(program, request);
    if (text === null) {
      write("stderr", encoder.encode(`Fatal error: cannot open file '${program.file}': No such file or directory\n`));
      return 2;
    }
    // A program that was read from the input has used it up.
    const streams = openStreams(program.file === "-" ? new Uint8Array(0) : request.stdin, write);
    const r = await this.#start(() => streams);
    r.changeFolder(request.cwd);
    r.setEnv(request.env);
    r.setArguments(program.args);
    try {
      r.call("enter", [], () => null);
      const { exitCode, error } = runCode(r, { code: text, file: program.file, script: true });
      if (error && exitCode !== INTERRUPTED) {
        write("stderr", encoder.encode(`${formatError(error, program.file)}Execution halted\n`));
      }
      r.call("unload", [], () => null);
      return exitCode;
    } catch (error) {
      if (this.worker.shared.killed) throw fatal(error);
      write("stderr", encoder.encode(`${error instanceof Error ? error.message : error}\n`));
      return 134;
    }
  }

  #read(program: { code: string | null; file: string }, request: ExecRequest): string | null {
    if (program.code !== null) return program.code;
    if (program.file === "-") return decoder.decode(request.stdin ?? new Uint8Array(0));
    try {
      return decoder.decode(new Tree(this.worker.folders).readFile(resolve(request.cwd, program.file)));
    } catch {
      return null;
    }
  }

  override query({ kind, code, cursor }: Query): Promise<unknown> {
    if (kind === "is_complete") {
      const status = this.#interpreter().call("check", [code], (found) => this.#interpreter().values.read(found));
      return Promise.resolve({ status: status ?? "unknown" });
    }
    if (kind === "complete") return Promise.resolve(this.#complete(code, cursor));
    if (kind === "inspect") return Promise.resolve(this.#inspect(code, cursor));
    return super.query({ kind, code, cursor });
  }

  #complete(code: string, cursor: number): unknown {
    const r = this.#interpreter();
    const start = code.lastIndexOf("\n", cursor - 1) + 1;
    const line = code.slice(start, cursor);
    const name = LOADS.exec(line)?.[1];
    if (name !== undefined) return completionOf(r.packages(), name, cursor);
    const found = r.call("complete", [line, line.length], (answer) => ({
      token: String(r.values.read(r.values.element(answer, "token")) ?? ""),
      matches: r.values.readAll(r.values.element(answer, "matches")),
    }));
    if (!found || !Array.isArray(found.matches)) return { matches: [], start: cursor, end: cursor };
    return { matches: found.matches.map(String), start: cursor - found.token.length, end: cursor };
  }

  #inspect(code: string, cursor: number): unknown {
    const r = this.#interpreter();
    const before = /[\w.:$]*$/.exec(code.slice(0, cursor))?.[0] ?? "";
    const after = /^[\w.]*/.exec(code.slice(cursor))?.[0] ?? "";
    const text = before + after === "" ? null : r.call("inspect", [before + after], (found) => r.values.read(found));
    return typeof text === "string" ? { found: true, data: { "text/plain": text } } : { found: false };
  }

  setEnv(env: Record<string, string>): void {
    Object.assign(this.#env, env);
    this.#cells?.setEnv(env);
  }

  #interpreter(): Interpreter {
    if (!this.#cells) throw new FatalError("R was not loaded");
    return this.#cells;
  }

  async #start(streams: () => ProgramStreams, saved?: Source): Promise<Interpreter> {
    const { shared } = this.worker;
    if (!this.#parts) throw new FatalError("R was not loaded");
    /** Passes an interrupt that came during a wait on to R. */
    const checkInterrupt = <T>(result: T): T => {
      if (shared.takeInterrupt()) made.interrupt();
      return result;
    };
    const made = await Interpreter.start(this.#parts, {
      write: (stream, data) => streams().services.write(stream, data),
      read: (into) => checkInterrupt(streams().input.readInto(into)),
      readLine: (prompt) => checkInterrupt(streams().input.readLine(prompt)),
      poll: () => checkInterrupt(null),
      check: () => shared.killed ? 1 : 0,
      answer: (what, given) => checkInterrupt(streams().services.answer(what, given)),
    }, saved);
    return made;
  }

  #openStreams(
    id: number,
    given: Uint8Array | null,
    ask: AskLine | null,
    write = (stream: Stream, data: Uint8Array) => this.worker.outputBuffer.write(stream, data),
  ): ProgramStreams {
    return { services: new Services(this.worker, { id, write }), input: new ProgramInput(given, ask) };
  }

  #ask(id: number, prompt: string): string | null {
    this.worker.outputBuffer.flush();
    try {
      return this.worker.blocking.input(id, prompt, false);
    } catch {
      return null;
    }
  }
}

async function loadParts(worker: LanguageWorker): Promise<InterpreterParts> {
  const { default: create } = await import(worker.pack.url("R.mjs"));
  const read = new Map<string, Uint8Array>();
  return {
    create,
    module: worker.pack.module("R.wasm"),
    snapshot: worker.pack.open("snapshot"),
    home: new PackageFiles(() => worker.pack.open("home.zip"), [{ name: "R", version: "", path: "home.zip" }]),
    folders: worker.folders,
    readBinary: (name) => {
      if (!BESIDE.includes(name)) throw new Error("there is no such library");
      return read.get(name) ?? remember(read, name, worker.pack.read(name));
    },
    limit: CATALOG.r.memory << 20,
  };
}

function remember(read: Map<string, Uint8Array>, name: string, data: Uint8Array): Uint8Array {
  read.set(name, data);
  return data;
}

function resolve(cwd: string, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

/** The message of a program that failed. */
function formatError({ traceback, line, column }: RunError, file: string): string {
  const heading = traceback.slice(traceback.lastIndexOf("\nError") + 1);
  return `${heading}\n${line === null ? "" : `  at ${file}:${line}:${column}\n`}`;
}

function fatal(error: unknown): Error {
  return error instanceof Broken
    ? new FatalError(error.message)
    : error instanceof Error
    ? error
    : new Error(String(error));
}

function say(word: Word, write: Write): number {
  const wrong = word !== "version" && word !== "help";
  const version = `Rscript (R) version ${CATALOG.r.version}\n`;
  const text = word === "version" ? version : wrong ? `Rscript: ${word}\n${USAGE}` : USAGE;
  write(wrong ? "stderr" : "stdout", encoder.encode(text));
  return wrong ? 1 : 0;
}
