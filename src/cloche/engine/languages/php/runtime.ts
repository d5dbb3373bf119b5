/** PHP: one interpreter for cells, and a fresh one for each program. */

import { Tree } from "../../fs/tree.ts";
import type { ExecRequest, ExecResult, Outcome, Query, RunRequest, Stream } from "../../protocol.ts";
import { RequestError } from "../../worker/request_errors.ts";
import { withPrelude } from "./arguments.ts";
import { chooseNames, completeRequire } from "./completion.ts";
import { Cells } from "./cell_interpreter.ts";
import type { Services } from "./vm/imports.ts";
import { filesOf, MEMORY, PRELUDE } from "./vm/ini.ts";
import { ProgramInput } from "../../worker/programs/input.ts";
import { type Places, Vm } from "./vm/vm.ts";
import type { Loader } from "./vm/types.ts";
import { encodeLatin1 } from "../../text/bytes.ts";
import { Image, type Source } from "../../wasm/image.ts";
import { ENVIRONMENT } from "../environment.ts";
import { FatalError, LanguageRuntime } from "../language.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";

const INTERRUPTED = 130;

export default class PhpRuntime extends LanguageRuntime {
  #loader!: Loader;
  #prelude!: Uint8Array;
  #vm: Vm | null = null;
  #cells: Cells | null = null;
  #env: Record<string, string> = {};
  #input = new ProgramInput();
  /** The prompt of the next line that is read. */
  #prompt = "";
  #run = 0;

  async load(): Promise<void> {
    const { worker } = this;
    this.#loader = await import(worker.pack.url("php.js"));
    this.#prelude = worker.pack.read("prelude.php");
    this.#env = { ...ENVIRONMENT, ...worker.init.config.env };
    const again = this.fromSaved((saved) => this.#start(this.#env, this.#cellServices(), false, saved));
    this.#vm = again ?? this.#start(this.#env, this.#cellServices(), false);
    const printError = (text: string) => worker.outputBuffer.write("stderr", new TextEncoder().encode(text));
    this.#cells = new Cells(this.#vm, MEMORY << 20, printError);
    this.#cells.wake(this.#env);
  }

  memory(): number {
    return this.#vm?.size ?? 0;
  }

  protected override image(): Uint8Array[] | string {
    const data = this.worker.pack.open("php.data");
    try {
      return this.#ready().save(new Image<null>(data));
    } finally {
      data.close();
    }
  }

  run(id: number, request: RunRequest): Promise<Outcome> {
    const cells = this.#ready();
    this.#run = id;
    this.worker.outputBuffer.open(id);
    this.#input = request.interactive
      ? new ProgramInput(null, () => this.#askLine())
      : new ProgramInput(encodeLatin1(atob(request.stdin ?? "")));
    const outcome = this.#guard(() => cells.run(request.code, request.file, this.words(request, "-")));
    this.worker.outputBuffer.flush();
    if (outcome.error && cells.exhausted) {
      throw new FatalError(`${outcome.error.message}\nPHP could not go on: its variables are gone, files are kept`);
    }
    return Promise.resolve(outcome);
  }

  exec(id: number, request: ExecRequest): Promise<ExecResult> {
    const outer = this.#run;
    this.#run = id;
    this.worker.outputBuffer.open(id);
    try {
      return Promise.resolve(this.#guard(() => this.#program(request)));
    } finally {
      this.#run = outer;
      this.worker.outputBuffer.flush();
    }
  }

  override query(query: Query): Promise<unknown> {
    const cells = this.#ready();
    if (query.kind === "is_complete") {
      const status = this.#guard(() => cells.query("completeness", `<?php ${query.code}`));
      return Promise.resolve({ status: status ?? "unknown", ...(status === "incomplete" ? { indent: "" } : {}) });
    }
    const word = /[\w$\\]*(?:(?:->|::)\w*)?$/.exec(query.code.slice(0, query.cursor))?.[0] ?? "";
    if (query.kind === "complete") {
      const ahead = query.code.slice(0, query.cursor);
      const file = completeRequire(new Tree(this.worker.folders), ahead);
      if (file) return Promise.resolve(file);
      const names = this.#guard(() => cells.query("completions", word))?.split("\n").filter(Boolean) ?? [];
      const matches = chooseNames(names, word, ahead);
      return Promise.resolve({ matches, start: query.cursor - word.length, end: query.cursor });
    }
    if (query.kind !== "inspect") return super.query(query);
    const name = word + (/^[\w\\]*/.exec(query.code.slice(query.cursor))?.[0] ?? "");
    const text = this.#guard(() => cells.query("description", name));
    return Promise.resolve(text === null ? { found: false, data: {} } : { found: true, data: { "text/plain": text } });
  }

  setEnv(env: Record<string, string>): void {
    Object.assign(this.#env, env);
    this.#ready().setEnvironment(env);
  }

  override setPackages(): void {
    this.#cells?.refresh();
  }

  #ready(): Cells {
    if (!this.#cells) throw new FatalError("PHP is not loaded");
    return this.#cells;
  }

  /** A trap, or a stack that is too deep for the VM, stops PHP halfway. */
  #guard<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof FatalError) throw error;
      const deep = error instanceof RangeError;
      const why = deep ? "calls were nested too deep" : error instanceof Error ? error.message : String(error);
      throw new FatalError(`PHP stopped: ${why}; its variables are gone, files are kept`);
    }
  }

  #start(env: Record<string, string>, services: Services, program: boolean, saved?: Source): Vm {
    const { worker } = this;
    const [data, started] = ["php.data", "php.started"].map((name) => worker.pack.open(name));
    try {
      return new Vm({
        loader: this.#loader,
        module: worker.pack.module("php.wasm"),
        data: new Image<null>(data),
        started: program ? null : new Image<Places>(saved ?? started),
        folders: worker.folders,
        files: filesOf({ prelude: this.#prelude, program }),
        env,
        services,
        interrupted: () => worker.shared.interrupted,
        killed: () => worker.shared.killed,
      });
    } finally {
      data.close();
      started.close();
    }
  }

  #cellServices(): Services {
    return {
      read: (into) => this.#input.readInto(into),
      write: (stream, data) => {
        if (!this.#cells?.muted) this.worker.outputBuffer.write(stream, data);
      },
      sleep: (ms) => this.#sleep(ms),
      command: (script, cwd) =>
        this.#command(script, cwd, this.#env, (data) => this.worker.outputBuffer.write("stderr", data)),
      message: (text) => this.#cells?.message(text, this.#asking) ?? null,
    };
  }

  readonly #asking = {
    prompt: (text: string) => this.#keepPrompt(text),
    provide: (name: string) => this.#provide(name),
  };

  /** Runs `php ...` in its own interpreter. */
  #program(request: ExecRequest): ExecResult {
    const { argv = ["php"], stdin, cwd, env } = request;
    const printed = new ProgramOutput(this.worker, request);
    const write = (stream: Stream, data: Uint8Array) => printed.write(stream, data);
    const input = new ProgramInput(stdin, stdin === null && request.live ? () => this.#askLine() : null);
    const vm = this.#start({ ...ENVIRONMENT, ...env, PWD: cwd }, {
      read: (into) => input.readInto(into),
      write,
      sleep: (ms) => this.#sleep(ms),
      command: (script, at) => this.#command(script, at, env, (data) => write("stderr", data)),
      message: (text) => this.#programMessage(text),
    }, true);
    vm.fs.chdir(cwd);
    for (const word of ["php", ...withPrelude(argv.slice(1), PRELUDE)]) {
      vm.exports.wasm_add_cli_arg(vm.memory.keep(word));
    }
    const exitCode = exitCodeOf(() => vm.exports.run_cli());
    return { ...printed.result(vm.stopped ? INTERRUPTED : exitCode), ended: input.drained };
  }

  #programMessage(text: string): string | null {
    if (!text.startsWith("provide\n")) return null;
    try {
      this.#provide(text.slice("provide\n".length, 1000));
      return "done";
    } catch {
      return null;
    }
  }

  #sleep(ms: number): void {
    this.worker.outputBuffer.flush();
    this.worker.shared.sleep(ms);
  }

  #keepPrompt(text: string): boolean {
    this.#prompt = text;
    return this.#input.interactive;
  }

  /** Null at the end of input, and when it was interrupted. */
  #askLine(): string | null {
    const prompt = this.#prompt;
    this.#prompt = "";
    this.worker.outputBuffer.flush();
    try {
      return this.worker.blocking.input(this.#run, prompt, false);
    } catch {
      return null;
    }
  }

  #command(script: string, cwd: string, env: Record<string, string>, printError: (stderr: Uint8Array) => void) {
    this.worker.outputBuffer.flush();
    try {
      const request: ExecRequest = { script, stdin: null, cwd, env, live: false, merge: false };
      const { stdout, stderr, exitCode } = this.worker.blocking.exec(this.#run, "bash", request);
      if (stderr.length > 0) printError(stderr);
      return { output: stdout, exitCode };
    } catch {
      return null;
    }
  }

  #provide(name: string): void {
    if (!this.worker.init.config.autoInstall) throw new RequestError("Refused", "");
    this.worker.outputBuffer.flush();
    this.worker.blocking.request(this.#run, { kind: "provide", language: "php", name });
  }
}

/** PHP ends a program as C does: by a jump out of everything. */
function exitCodeOf(act: () => number): number {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && error.name === "ExitStatus") {
      return (error as Error & { status: number }).status & 0xff;
    }
    throw error;
  }
}
