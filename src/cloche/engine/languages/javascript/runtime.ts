/** JavaScript: cells share one QuickJS, each program that bash starts has its own. */

import { Tree } from "../../fs/tree.ts";
import { completeAt, type CompletionNames } from "./completion.ts";
import { Context } from "./context.ts";
import { Execution, type Given } from "./command_run.ts";
import { Library } from "./guest_library.ts";
import type { Edited } from "./source/positions.ts";
import { checkWhole } from "./source/completeness.ts";
import type { ExecRequest, ExecResult, Outcome, Query, RunRequest } from "../../protocol.ts";
import { encodeLatin1 } from "../../text/bytes.ts";
import type { Source } from "../../wasm/image.ts";
import { numberOf } from "../../wasm/saved_memory.ts";
import { ENVIRONMENT } from "../environment.ts";
import { FatalError, LanguageRuntime } from "../language.ts";

const PROGRAM = "quickjs.wasm";
const LIBRARY = "guest.bin";
/** The name of `require.main` while cells run, which are not files. */
const MAIN = "/workspace/<cell>";

export default class JavaScriptRuntime extends LanguageRuntime {
  #library: Library | undefined;
  #context: Context | undefined;
  #cells = 0;
  #env: Record<string, string> = { ...ENVIRONMENT, ...this.worker.init.config.env, ...this.worker.init.config.added };
  /** Programs that wait for something. */
  readonly #waiting = new Set<Context>();
  /** Programs by their numbers. */
  readonly #executions = new Map<number, Execution>();
  override readonly marksOrigin = true;

  /** Strips types, if the language has them. */
  protected strip: ((code: string, file: string) => Edited) | undefined;

  load(): Promise<void> {
    this.#library = new Library(this.worker.pack.read(LIBRARY));
    const given = { argv: ["node"], env: this.#env, cwd: "/workspace", main: MAIN };
    this.#context = this.fromSaved((saved) => this.#resume(given, saved)) ?? this.#open(given);
    this.worker.onCancel(() => {
      for (const context of this.#waiting) context.program.wake();
    });
    return Promise.resolve();
  }

  /** Continues from saved memory. */
  #resume(given: Given, saved: Source): Context {
    const context = this.#open({ ...given, saved });
    const { cells, cwd } = context.program.vm.notes ?? {};
    this.#cells = numberOf(cells);
    if (typeof cwd === "string") context.surroundings.cwd = cwd;
    context.program.stirRandom();
    const { added } = this.worker.init.config;
    if (Object.keys(added).length > 0) context.program.callGuest("setEnv", JSON.stringify(added));
    return context;
  }

  protected override image(): Uint8Array[] | string {
    return this.#cellContext().save({ cells: this.#cells });
  }

  memory(): number {
    return this.#context?.program.vm.memory ?? 0;
  }

  async run(id: number, request: RunRequest): Promise<Outcome> {
    const context = this.#cellContext();
    this.worker.outputBuffer.open(id);
    const { options } = context.surroundings;
    context.surroundings.run = id;
    options.stdin = request.stdin === null ? null : encodeLatin1(atob(request.stdin));
    options.interactive = request.interactive;
    const words = this.words(request, "[cell]");
    if (words) context.introduce(["node", ...words], request.file ?? MAIN);
    const name = request.file ?? `<cell:${++this.#cells}>`;
    try {
      return await this.#guarded(
        context,
        async () => context.outcome(await context.cell(name, request.code)),
      );
    } finally {
      this.worker.outputBuffer.flush();
    }
  }

  async exec(id: number, request: ExecRequest, stop: AbortSignal): Promise<ExecResult> {
    this.worker.outputBuffer.open(id);
    const open = (given: Given) => this.#open({ ...given, stopped: () => stop.aborted });
    const execution = new Execution(this.worker, open, (context, act) => this.#guarded(context, act));
    stop.addEventListener("abort", () => execution.wake());
    this.#executions.set(request.program ?? 0, execution);
    try {
      return await execution.run(id, request);
    } finally {
      this.#executions.delete(request.program ?? 0);
    }
  }

  override signal(program: number, signal: number): void {
    this.#executions.get(program)?.signal(signal);
  }

  override query({ kind, code, cursor }: Query): Promise<unknown> {
    const { program } = this.#cellContext();
    if (kind === "is_complete") return Promise.resolve(checkWhole(code, program, this.strip));
    if (kind === "complete") return Promise.resolve(completeAt(code, cursor, this.#known()));
    return super.query({ kind, code, cursor });
  }

  setEnv(env: Record<string, string>): void {
    Object.assign(this.#env, env);
    this.#context?.program.callGuest("setEnv", JSON.stringify(env));
  }

  override setPackages(): void {
    this.#context?.sources.resolver.forget();
  }

  #known(): CompletionNames {
    const { program, surroundings } = this.#cellContext();
    const builtins = this.#library?.names ?? new Set<string>();
    return { program, tree: new Tree(this.worker.folders), cwd: surroundings.cwd, builtins, typed: !!this.strip };
  }

  #cellContext(): Context {
    if (!this.#context) throw new FatalError("the language is not loaded");
    return this.#context;
  }

  #open(given: Given): Context {
    if (!this.#library) throw new FatalError("the language is not loaded");
    return new Context(this.worker, {
      module: this.worker.pack.module(PROGRAM),
      library: this.#library,
      strip: this.strip,
      stdin: null,
      interactive: false,
      write: (stream, data) => this.worker.outputBuffer.write(stream, data),
      ...given,
    });
  }

  async #guarded(context: Context, act: () => Promise<Outcome>): Promise<Outcome> {
    this.#waiting.add(context);
    try {
      return await act();
    } catch (error) {
      throw new FatalError(`the interpreter failed: ${error instanceof Error ? error.message : error}`);
    } finally {
      this.#waiting.delete(context);
      context.rest();
    }
  }
}
