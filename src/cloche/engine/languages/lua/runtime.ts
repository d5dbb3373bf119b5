/** Lua: one state for all cells, a fresh one for each `lua` in bash. */

import { Tree } from "../../fs/tree.ts";
import { Interrupted } from "../../worker/request_errors.ts";
import { CELL, compileCell } from "./cell.ts";
import { runCommand, setArguments } from "./command.ts";
import { completeLua } from "./completion.ts";
import { interruptError, isIncomplete, runtimeError, syntaxError } from "./errors.ts";
import { localNames } from "./lexer.ts";
import { type Failure, type LuaFiles, LuaState } from "./state.ts";
import { LuaProgramServices, type ProgramContext } from "./services.ts";
import type { ExecRequest, ExecResult, Outcome, Query, RunRequest } from "../../protocol.ts";
import { encodeLatin1 } from "../../text/bytes.ts";
import { ENVIRONMENT } from "../environment.ts";
import { FatalError, LanguageRuntime } from "../language.ts";

const HOME = "/workspace";
const INTERRUPTED = 130;
/** Names of locals that are remembered for hints. */
const REMEMBERED = 1000;

export default class LuaRuntime extends LanguageRuntime {
  readonly #env: Record<string, string> = { ...ENVIRONMENT, ...this.worker.init.config.env };
  readonly #locals = new Set<string>();
  readonly #files: LuaFiles = {
    module: this.worker.pack.module("lua.wasm"),
    prelude: this.worker.pack.read("prelude.lua"),
  };
  #world: LuaProgramServices | undefined;
  #state: LuaState | undefined;

  load(): Promise<void> {
    Object.assign(this.#env, this.worker.init.config.added);
    this.#world = new LuaProgramServices(this.worker, this.#context(0, null));
    const [files, world] = [this.#files, this.#world];
    const again = this.fromSaved((saved) => new LuaState(files, world, saved));
    this.#state = again ?? new LuaState(files, world);
    if (again && this.#state.compile("math.randomseed(...)", "=seed") === null) {
      this.#state.push(again.thread, String(crypto.getRandomValues(new Uint32Array(1))[0]));
      again.call(1);
      again.clear();
    }
    return Promise.resolve();
  }

  memory(): number {
    return this.#state?.vm.size ?? 0;
  }

  protected override image(): Uint8Array[] | string {
    const state = this.#ready();
    state.clear();
    return state.save();
  }

  setEnv(env: Record<string, string>): void {
    Object.assign(this.#env, env);
  }

  run(id: number, request: RunRequest): Promise<Outcome> {
    const { stdin, interactive } = request;
    this.worker.outputBuffer.open(id);
    const input = stdin === null ? (interactive ? null : new Uint8Array(0)) : encodeLatin1(atob(stdin));
    this.#world?.begin(this.#context(id, input));
    return this.#guarded(() => {
      try {
        return this.#runCell(this.#ready(), request);
      } finally {
        this.worker.outputBuffer.flush();
      }
    });
  }

  exec(id: number, request: ExecRequest): Promise<ExecResult> {
    const { argv = [], ...given } = request;
    this.worker.outputBuffer.open(id);
    return this.#guarded(() => {
      const world = new LuaProgramServices(this.worker, { ...given, run: id });
      const state = new LuaState(this.#files, world);
      const exitCode = uninterrupted(() => runCommand(state, world, argv));
      state.close();
      state.vm.system.closeFiles();
      this.worker.outputBuffer.flush();
      return world.result(exitCode);
    });
  }

  override query({ kind, code, cursor }: Query): Promise<unknown> {
    const state = this.#ready();
    if (kind === "complete") return Promise.resolve(completeLua(state, new Tree(this.worker.folders), code, cursor));
    if (kind !== "is_complete") return super.query({ kind, code, cursor });
    const { wrong } = compileCell(state, code);
    state.clear();
    const status = wrong === null ? "complete" : isIncomplete(wrong) ? "incomplete" : "invalid";
    return Promise.resolve({ status });
  }

  #runCell(state: LuaState, request: RunRequest): Outcome {
    const { code, args, file = CELL } = request;
    const words = this.words(request, "lua");
    try {
      if (words) setArguments(state, words, 0);
      const { wrong, tokens } = compileCell(state, code, file);
      if (wrong !== null) return { value: null, error: syntaxError(wrong, code, file), exitCode: 1 };
      for (const word of args ?? []) state.push(state.thread, word);
      const failure = state.call(args?.length);
      const quiet = failure || state.isNil && tokens.at(-1)?.text === ")";
      const shown = quiet ? { value: null } : state.show();
      const outcome = this.#outcome(state, file, failure, shown);
      for (const name of localNames(tokens)) if (this.#locals.size < REMEMBERED) this.#locals.add(name);
      return outcome;
    } finally {
      state.clear();
    }
  }

  #outcome(state: LuaState, name: string, failure: Failure | null, shown: Pick<Outcome, "value" | "data">): Outcome {
    const { stopped } = state;
    if (stopped?.why === "exit") return { value: null, error: null, exitCode: stopped.code };
    if (stopped) return { value: null, error: interruptError(failure?.traceback ?? "", name), exitCode: INTERRUPTED };
    if (!failure) return { ...shown, error: null, exitCode: 0 };
    return { value: null, error: runtimeError(failure, { state, name, locals: this.#locals }), exitCode: 1 };
  }

  /** If this throws, the module has stopped halfway and cannot be used any more. */
  #guarded<T>(act: () => T): Promise<T> {
    try {
      return Promise.resolve(act());
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return Promise.reject(new FatalError(this.worker.shared.killed ? "Lua was ended" : `Lua failed: ${message}`));
    }
  }

  #ready(): LuaState {
    if (!this.#state) throw new FatalError("Lua is not loaded");
    return this.#state;
  }

  #context(run: number, stdin: Uint8Array | null): ProgramContext {
    return { run, stdin, cwd: HOME, env: this.#env, live: true, merge: false };
  }
}

/** The exit code of something that may wait for input. */
function uninterrupted(act: () => number): number {
  try {
    return act();
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED;
    throw error;
  }
}
