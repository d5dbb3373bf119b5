/** The processes of a shell: what they share, and what each has of its own. */
import type { ExecResult } from "just-bash";
import type { SpawnOptions } from "./just_bash_types.ts";
import type { ShellInterpreter } from "./interpreter.ts";
import { Jobs } from "./jobs.ts";
import type { SystemFs } from "./system_fs.ts";
import type { AskLine } from "../streams/terminal.ts";
import { Traps } from "./traps.ts";

/** A command that works on the interpreter itself; undefined leaves the call to just-bash. */
export type Builtin = (
  shell: ShellInterpreter,
  args: string[],
  stdin: string,
) => ExecResult | undefined | Promise<ExecResult | undefined>;

/** Scripts that compute without waiting let timers and background jobs run this often. */
const BREATH_MS = 16;

/** Shared by the shell, its children and its background jobs. */
export class ProcessTable {
  readonly jobs = new Jobs(this);
  readonly builtins = new Map<string, Builtin>();
  #nextPid: number;
  #breathed = performance.now();
  #turn = 0;
  /** The run that is active in the shell itself; 0 between two. */
  live = 0;

  /** `limit`: the most bytes that one pipe or substitution may hold. */
  constructor(
    firstPid: number,
    readonly limit: number,
    readonly fs: SystemFs,
    readonly execute: (script: string, options: SpawnOptions) => Promise<ExecResult>,
    /** Called with the run for which the thread computes; 0 when it waits. */
    readonly mark: (run: number) => void,
  ) {
    this.#nextPid = firstPid;
  }

  nextPid(): number {
    return this.#nextPid++;
  }

  /** Whether it is time to let others run. */
  get due(): boolean {
    return performance.now() - this.#breathed > BREATH_MS;
  }

  async breathe(process: Process): Promise<void> {
    this.#turn++;
    this.mark(0);
    await new Promise<void>((resolve) => setTimeout(resolve));
    this.#breathed = performance.now();
    const turn = ++this.#turn;
    this.mark(process.run);
    // Then it has ended or waits, and no other has started since.
    setTimeout(() => turn === this.#turn && this.mark(0));
  }
}

/** One process: the shell, a child shell or a background job. */
export class Process {
  readonly traps = new Traps();
  /** Set if standard input is a terminal with a user. */
  terminal: AskLine | undefined;

  /** `run`: the one that has begun it. */
  constructor(readonly table: ProcessTable, readonly pid: number, public run = 0) {}

  child(run = this.run): Process {
    return new Process(this.table, this.table.nextPid(), run);
  }
}
