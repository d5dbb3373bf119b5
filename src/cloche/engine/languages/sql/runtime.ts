/** SQL: one connection to a database for all cells, a fresh SQLite for each `sqlite3` in bash. */

import { FileError } from "../../fs/files.ts";
import { Tree } from "../../fs/tree.ts";
import type { ExecRequest, ExecResult, Outcome, Query, RunError, RunRequest, Stream } from "../../protocol.ts";
import { readPlan, runPlan } from "./command.ts";
import { completeSql } from "./completion.ts";
import { SqlError } from "./database.ts";
import { describeError, type Spot } from "./errors.ts";
import { Failed, isInterrupt, Quit } from "./failures.ts";
import type { Style } from "./formats.ts";
import { Locks } from "./vm/locks.ts";
import type { ConnectionContext } from "./vm/vm.ts";
import { endOfLine, isCommand, placeOf, skipBlank } from "./scanner.ts";
import { Session } from "./session.ts";
import { CATALOG } from "../catalog.ts";
import { FatalError, LanguageRuntime } from "../language.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";

const PROGRAM = "sqlite3.wasm";
const HOME = "/workspace";
const DATABASE = `${HOME}/main.db`;
const CELL = "<cell>";
const INTERRUPTED = 130;
const STYLE: Style = { mode: "table", headers: true, separator: "|", nothing: "NULL" };
/** How many rows a cell shows. */
const ROWS = 1000;

export default class SqlRuntime extends LanguageRuntime {
  readonly #locks = new Locks();
  readonly #encoder = new TextEncoder();
  #session: Session | undefined;
  #run = 0;

  load(): Promise<void> {
    this.#session = this.#open();
    return Promise.resolve();
  }

  memory(): number {
    return this.#session?.vm.size ?? 0;
  }

  setEnv(): void {}

  run(id: number, { code, file = CELL }: RunRequest): Promise<Outcome> {
    this.#run = id;
    this.worker.outputBuffer.open(id);
    return this.#guarded(() => {
      try {
        return this.#runCell(this.#ready(), this.#encoder.encode(code), file);
      } finally {
        this.worker.outputBuffer.flush();
      }
    });
  }

  exec(id: number, request: ExecRequest): Promise<ExecResult> {
    this.worker.outputBuffer.open(id);
    return this.#guarded(() => {
      const printed = new ProgramOutput(this.worker, request);
      const write = (stream: Stream, text: string) => printed.write(stream, this.#encoder.encode(text));
      const print = (text: string) => write("stdout", text);
      const plan = readPlan(request.argv ?? []);
      const context = this.#context(request.cwd);
      const output = { print, show: () => {} };
      let ended = false;
      const input = () => {
        ended = true;
        return request.stdin ?? new Uint8Array(0);
      };
      const ask = request.stdin === null && request.live
        ? (prompt: string) => {
          this.worker.outputBuffer.flush();
          return this.worker.blocking.input(id, prompt, false, true);
        }
        : undefined;
      plan.options.input = input;
      plan.options.runCommand = (command) => this.#runCommand(id, command, request, print, write);
      const exitCode = runPlan(
        plan,
        () => new Session(this.worker.pack.module(PROGRAM), context, plan.options, output),
        { print, complain: (text) => write("stderr", text), input, ask, isWhole: (code) => this.#isWhole(code) },
      );
      this.worker.outputBuffer.flush();
      return { ...printed.result(exitCode), ended };
    });
  }

  #runCommand(
    id: number,
    command: string,
    { cwd, env }: ExecRequest,
    print: (text: string) => void,
    write: (stream: Stream, text: string) => void,
  ): void {
    const decoder = new TextDecoder();
    const request = { argv: ["sh", "-c", command], stdin: new Uint8Array(0), cwd, env, live: false, merge: false };
    const { stdout, stderr } = this.worker.blocking.exec(id, "bash", request);
    print(decoder.decode(stdout));
    write("stderr", decoder.decode(stderr));
  }

  override query({ kind, code, cursor }: Query): Promise<unknown> {
    const { vm, database } = this.#ready();
    if (kind === "complete") {
      return Promise.resolve(completeSql(vm, database, new Tree(this.worker.folders), code.slice(0, cursor)));
    }
    if (kind !== "is_complete") return super.query({ kind, code, cursor });
    return Promise.resolve({ status: this.#isWhole(code) ? "complete" : "incomplete" });
  }

  #open(): Session {
    const options = { path: DATABASE, style: STYLE, rows: ROWS, rich: true, readOnly: false };
    return new Session(this.worker.pack.module(PROGRAM), this.#context(HOME), options, {
      print: (text) => this.worker.outputBuffer.write("stdout", this.#encoder.encode(text)),
      show: (html, text) => {
        const data = { "text/html": html, "text/plain": text };
        this.worker.outputBuffer.flush();
        // Not printed again: its text is in the output already.
        this.worker.display(this.#run, { kind: "result", data, metadata: {}, displayId: null });
      },
    });
  }

  #context(cwd: string): ConnectionContext {
    const { shared } = this.worker;
    return {
      tree: new Tree(this.worker.folders),
      cwd,
      locks: this.#locks,
      memory: CATALOG.sql.memory << 20,
      get interrupted() {
        return shared.interrupted;
      },
      get killed() {
        return shared.killed;
      },
    };
  }

  #runCell(session: Session, text: Uint8Array, name: string): Outcome {
    session.value = session.data = null;
    try {
      session.run(text);
      return { value: session.value, error: null, exitCode: 0, data: session.data };
    } catch (error) {
      if (error instanceof Quit) return { value: null, error: null, exitCode: error.code };
      if (!(error instanceof Failed)) throw error;
      return {
        value: null,
        error: this.#error(session, error, name),
        exitCode: isInterrupt(error) ? INTERRUPTED : 1,
      };
    }
  }

  #error(session: Session, failed: Failed, cell: string): RunError {
    const { cause, text, from, file } = failed;
    const spot = { text, from, name: file ?? cell };
    const error = isInterrupt(failed)
      ? this.#interruption(session, spot)
      : cause instanceof SqlError
      ? describeError(cause, spot, session.database)
      : this.#refusal(cause, spot);
    // An error in a file has its position there, not in the cell.
    return file === null
      ? error
      : { ...error, message: `${file}:${error.line}: ${error.message}`, line: null, column: null };
  }

  #interruption({ database }: Session, { text, from }: Spot): RunError {
    const message = database.inTransaction ? "interrupted; a transaction is still open" : "interrupted";
    return { type: "KeyboardInterrupt", message, line: placeOf(text, from).line, column: null, traceback: "" };
  }

  #refusal(cause: Error, { text, from, name }: Spot): RunError {
    const { line, column } = placeOf(text, from);
    const message = cause instanceof FileError ? cause.message.replace(/^\w+: /, "") : cause.message;
    return { type: "CommandError", message, line, column, traceback: `${name}:${line}: ${message}` };
  }

  #isWhole(code: string): boolean {
    const { vm } = this.#ready();
    const text = this.#encoder.encode(code);
    const at = skipBlank(text, 0);
    if (at >= text.length) return true;
    if (isCommand(text, at) && endOfLine(text, at) >= text.length) return true;
    const lines = code.trimEnd().split("\n");
    if (lines.at(-1)?.startsWith(".")) return true;
    return vm.lend(code, (address) => vm.exports.sqlite3_complete(address) !== 0);
  }

  /** If this throws, the module has stopped halfway and cannot be used any more. */
  #guarded<T>(act: () => T): Promise<T> {
    try {
      return Promise.resolve(act());
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return Promise.reject(
        new FatalError(this.worker.shared.killed ? "SQLite was ended" : `SQLite failed: ${message}`),
      );
    }
  }

  #ready(): Session {
    if (!this.#session) throw new FatalError("SQL is not loaded");
    return this.#session;
  }
}
