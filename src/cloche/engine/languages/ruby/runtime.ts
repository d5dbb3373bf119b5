/** Ruby: ruby.wasm restored as it was after its start; all cells share one interpreter, each program has its own. */

import { Interrupted } from "../../worker/request_errors.ts";
import { PackageFiles } from "../../fs/packages.ts";
import { Tree } from "../../fs/tree.ts";
import type { ExecRequest, ExecResult, Outcome, Query, RunRequest } from "../../protocol.ts";
import { CELL, isUnfinished, readError } from "./errors.ts";
import { decodeField } from "./field_lists.ts";
import { completeFiles, completeRequire } from "./completion.ts";
import { gemPaths } from "./gem_folders.ts";
import { ProgramInput } from "../../worker/programs/input.ts";
import { Broken, Interpreter, type InterpreterParts } from "./interpreter.ts";
import { makeServices, type ProgramContext } from "./services.ts";
import { readFacts } from "./vm/signals.ts";
import { encodeLatin1 } from "../../text/bytes.ts";
import { ENVIRONMENT } from "../environment.ts";
import { checkData } from "../json_data.ts";
import { FatalError, LanguageRuntime, type LanguageWorker } from "../language.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";

const LIBRARY = { target: "/opt/ruby", host: "", readOnly: true };
const ARCHIVE = "library.zip";
/** How deep programs may start programs of the same language. */
const NESTED = 8;
const ABORTED = 134;

export default class RubyRuntime extends LanguageRuntime {
  readonly #env: Record<string, string>;
  readonly #parts: InterpreterParts;
  /** Bytes that were reserved when the pack was built, and are never used. */
  readonly #idle: number;
  #interpreter: Interpreter | null = null;
  /** The input and output of the running cell. */
  #cell: ProgramContext;
  /** Whether the interpreter of the cells has not received the latest changes. */
  #stale = true;
  #nested = 0;
  #interrupts = 0;
  #installs = 0;

  constructor(worker: LanguageWorker) {
    super(worker);
    this.#env = { ...ENVIRONMENT, ...worker.init.config.env, ...worker.init.config.added };
    const library = new PackageFiles(() => worker.pack.open(ARCHIVE), [{ name: "ruby", version: "", path: ARCHIVE }]);
    const { idle, ...signals } = readFacts(worker.pack.read("ruby.json"));
    this.#idle = idle;
    this.#parts = {
      module: worker.pack.module("ruby.wasm"),
      signals,
      tree: new Tree([...worker.folders, worker.folder(LIBRARY, library)]),
      killed: () => worker.shared.killed,
      takeInterrupt: () => {
        const taken = worker.shared.takeInterrupt();
        if (taken) this.#interrupts++;
        return taken;
      },
      sleep: (ms) => worker.shared.sleep(ms),
    };
    this.#cell = this.#context(0, new ProgramInput());
  }

  load(): Promise<void> {
    this.#interpreter = new Interpreter(this.#parts, {
      output: (stream, data) => this.#cell.output(stream, data),
      input: (max) => this.#cell.input(max),
      answer: (question, fields) => makeServices(this.#cell).answer(question, fields),
    });
    const interpreter = this.#interpreter;
    const again = this.fromSaved((saved) => {
      interpreter.restore(saved);
      // Variables that code has set itself stay, unless there are new ones.
      this.#stale = Object.keys(this.worker.init.config.added).length > 0;
      return true;
    });
    if (again) interpreter.turn("paths", ...gemPaths(this.#parts.tree));
    else interpreter.turn("start", "/workspace");
    return Promise.resolve();
  }

  memory(): number {
    return Math.max(0, (this.#interpreter?.memory ?? 0) - this.#idle);
  }

  protected override image(): Uint8Array[] | string {
    return this.#interpreter?.save() ?? "Ruby was not loaded";
  }

  run(id: number, request: RunRequest): Promise<Outcome> {
    const { code, stdin, interactive, file = CELL } = request;
    this.worker.outputBuffer.open(id);
    const ask = interactive ? () => this.#ask(id) : null;
    this.#cell = this.#context(id, new ProgramInput(stdin === null ? null : encodeLatin1(atob(stdin)), ask));
    try {
      const [status, known, value, data, ...error] = this.#turn("cell", code, file, ...this.words(request, CELL) ?? []);
      return Promise.resolve({
        value: decodeField(known) === "1" ? decodeField(value) : null,
        error: error.length > 0 ? readError(error, code, file) : null,
        exitCode: Number(decodeField(status)) || 0,
        data: checkData(decodeField(data)),
      });
    } catch (error) {
      return Promise.reject(fatal(error));
    } finally {
      this.worker.outputBuffer.flush();
    }
  }

  exec(id: number, request: ExecRequest): Promise<ExecResult> {
    this.worker.outputBuffer.open(id);
    try {
      return Promise.resolve(this.#program(id, request.argv ?? ["ruby"], request));
    } catch (error) {
      return Promise.reject(fatal(error));
    } finally {
      this.worker.outputBuffer.flush();
    }
  }

  override query(query: Query): Promise<unknown> {
    const { kind, code, cursor } = query;
    if (kind === "is_complete") return Promise.resolve({ status: this.#completeness(code) });
    if (kind === "complete") {
      const module = completeRequire(this.#parts.tree, code.slice(0, cursor));
      if (module) return Promise.resolve(module);
      const [word, ...matches] = this.#turn("complete", completeFiles(code.slice(0, cursor))).map((field) =>
        decodeField(field)
      );
      return Promise.resolve({ matches, start: cursor - (word ?? "").length, end: cursor });
    }
    if (kind === "inspect") {
      const before = /[\w:@$.?!]*$/.exec(code.slice(0, cursor))?.[0] ?? "";
      const after = /^[\w?!]*/.exec(code.slice(cursor))?.[0] ?? "";
      const [shown] = this.#turn("inspect", before + after).map((field) => decodeField(field));
      if (shown) return Promise.resolve({ found: true, data: { "text/plain": shown } });
    }
    return super.query(query);
  }

  setEnv(env: Record<string, string>): void {
    Object.assign(this.#env, env);
    this.#stale = true;
  }

  override setPackages(): void {
    this.#stale = true;
    this.#installs++;
  }

  #completeness(code: string): string {
    const [message] = this.#turn("check", code);
    if (!message) return "complete";
    return isUnfinished(decodeField(message)) ? "incomplete" : "invalid";
  }

  /** Work for the interpreter of the cells. */
  #turn(...work: string[]): Uint8Array[] {
    const interpreter = this.#interpreter;
    if (!interpreter) throw new FatalError("Ruby was not loaded");
    if (this.#stale) this.#setSurroundings(interpreter, this.#env);
    this.#stale = false;
    return interpreter.turn(...work);
  }

  #setSurroundings(interpreter: Interpreter, env: Record<string, string>): void {
    interpreter.turn("env", ...Object.entries(env).flat());
    interpreter.turn("paths", ...gemPaths(this.#parts.tree));
  }

  #program(run: number, argv: string[], request: ExecRequest): ExecResult {
    const { cwd, env, live, stdin } = request;
    const printed = new ProgramOutput(this.worker, request);
    const input = new ProgramInput(stdin, stdin === null && live ? () => this.#ask(run) : null);
    const context = { ...this.#context(run, input), live };
    context.output = (stream, data) => printed.write(stream, data);
    if (++this.#nested > NESTED) return this.#tooDeep();
    const interpreter = new Interpreter(this.#parts, makeServices(context));
    try {
      this.#setSurroundings(interpreter, env);
      const [status] = interpreter.turn("program", cwd, ...argv.slice(1));
      return { ...printed.result(Number(decodeField(status)) || 0), ended: input.drained };
    } catch (error) {
      if (!(error instanceof Broken) || this.worker.shared.killed) throw error;
      context.output("stderr", new TextEncoder().encode(`ruby: ${error.message}\n`));
      return printed.result(ABORTED);
    } finally {
      this.#nested--;
      interpreter.close();
    }
  }

  #tooDeep(): ExecResult {
    this.#nested--;
    const stderr = new TextEncoder().encode("ruby: too many programs have started each other\n");
    return { exitCode: 1, stdout: new Uint8Array(0), stderr };
  }

  #context(run: number, input: ProgramInput): ProgramContext {
    const { worker } = this;
    let known = this.#installs;
    return {
      worker,
      tree: this.#parts.tree,
      run,
      live: true,
      output: (stream, data) => worker.outputBuffer.write(stream, data),
      input: (max) => input.read(max),
      start: (argv, request) => {
        const before = this.#interrupts;
        const result = this.#program(run, argv, request);
        // What ends a program also ends the one that waits for it.
        if (this.#interrupts > before) throw new Interrupted("interrupted");
        return result;
      },
      changed: () => {
        const before = known;
        known = this.#installs;
        return known !== before;
      },
      paths: () => gemPaths(this.#parts.tree),
    };
  }

  #ask(run: number): string | null {
    this.worker.outputBuffer.flush();
    return this.worker.blocking.input(run, "", false);
  }
}

function fatal(error: unknown): Error {
  return error instanceof Broken ? new FatalError(error.message) : error as Error;
}
