/** What a Lua program may use of its worker: input and output, variables, commands, and missing modules. */

import { RequestError } from "../../worker/request_errors.ts";
import { Tree } from "../../fs/tree.ts";
import type { LanguageWorker } from "../language.ts";
import { ProgramInput } from "../../worker/programs/input.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";
import type { ExecRequest, ExecResult, Stream } from "../../protocol.ts";
import { concatBytes } from "../../text/bytes.ts";
import type { LuaServices } from "./state.ts";

export interface ProgramContext extends Pick<ExecRequest, "live" | "merge" | "flows" | "program"> {
  run: number;
  /** Null if the user is asked. */
  stdin: Uint8Array | null;
  cwd: string;
  env: Record<string, string>;
}

export class LuaProgramServices implements LuaServices {
  readonly tree: Tree;
  #printed: ProgramOutput;
  #input = new ProgramInput();

  constructor(private readonly worker: LanguageWorker, private context: ProgramContext) {
    this.tree = new Tree(worker.folders);
    this.#printed = new ProgramOutput(worker, context);
    this.begin(context);
  }

  /** Another piece of code runs in the same state. */
  begin(context: ProgramContext): void {
    this.context = context;
    this.#printed = new ProgramOutput(this.worker, context);
    this.#input = new ProgramInput(context.stdin, context.stdin === null ? () => this.#askLine() : null);
  }

  get cwd(): string {
    return this.context.cwd;
  }

  get interrupted(): boolean {
    return this.worker.shared.interrupted;
  }

  get killed(): boolean {
    return this.worker.shared.killed;
  }

  variable(name: string): string | undefined {
    const { env } = this.context;
    return Object.hasOwn(env, name) ? env[name] : undefined;
  }

  write(to: Stream, data: Uint8Array): void {
    this.#printed.write(to, data);
  }

  /** How the program has ended, and what it has printed. */
  result(exitCode: number): ExecResult {
    return { ...this.#printed.result(exitCode), ended: this.#input.drained };
  }

  read(into: Uint8Array): number {
    return this.#input.readInto(into);
  }

  /** The input that is left. */
  readAll(): Uint8Array {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const buffer = new Uint8Array(64 << 10);
    for (let count = this.read(buffer); count > 0; count = this.read(buffer)) parts.push(buffer.slice(0, count));
    return concatBytes(parts);
  }

  execute(script: string, stdin: Uint8Array, capture: boolean): { exitCode: number; stdout: Uint8Array } {
    const { run, cwd, env, live } = this.context;
    this.worker.outputBuffer.flush();
    const request = { script, stdin, cwd, env, live: live && !capture, merge: false };
    const { exitCode, stdout, stderr } = this.worker.blocking.exec(run, "bash", request);
    if (stdout.length > 0 && !capture) this.write("stdout", stdout);
    if (stderr.length > 0) this.write("stderr", stderr);
    return { exitCode, stdout };
  }

  provide(module: string): string | null {
    if (!this.worker.init.config.autoInstall) return "";
    this.worker.outputBuffer.flush();
    try {
      this.worker.blocking.request(this.context.run, { kind: "provide", language: "lua", name: module });
      return null;
    } catch (error) {
      if (error instanceof RequestError) return error.message;
      throw error;
    }
  }

  #askLine(): string | null {
    this.worker.outputBuffer.flush();
    return this.worker.blocking.input(this.context.run, "", false);
  }
}
