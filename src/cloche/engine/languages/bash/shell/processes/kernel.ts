/** What all processes of a shell share: process numbers, commands, the interrupt, and turns. */
import type { Task } from "../task.ts";
import { giveWay, isTurnDue } from "../turns.ts";
import { type Command, Killed } from "./command.ts";
import { Jobs } from "./jobs.ts";
import { Process } from "./process.ts";
import { SIGINT } from "./signals.ts";
import type { SystemFiles } from "./system_files.ts";

/** Commands between two looks at the clock. */
const COMMANDS = 128;
/** A bomb of processes ends here. */
const MOST_PROCESSES = 512;
const FIRST_PID = 100;
/** The number of the shell itself. */
export const SHELL_PID = 42;
/** What the sandbox calls itself. */
export const HOST_NAME = "cloche";

export interface KernelOptions {
  files: SystemFiles;
  /** Read often; true ends what runs in the foreground. */
  isInterrupted(): boolean;
  /** Called with the run for which the thread computes; 0 when it waits. */
  mark?(run: number): void;
  /** The number of a new process, if others count too. */
  nextPid?(): number;
}

export class Kernel {
  readonly files: SystemFiles;
  readonly commands = new Map<string, Command>();
  readonly processes = new Map<number, Process>();
  readonly jobs = new Jobs();
  /** Counts down to the next `attend`. */
  budget = COMMANDS;
  /** The run that is active in the shell itself; 0 between two. */
  liveRun = 0;
  #nextPid = FIRST_PID;
  #turn = 0;

  constructor(readonly options: KernelOptions) {
    this.files = options.files;
  }

  nextPid(): number {
    return this.options.nextPid?.() ?? this.#nextPid++;
  }

  createProcess(parent: Process | undefined, title: string, pid?: number): Process {
    if (this.processes.size >= MOST_PROCESSES) {
      throw new Error(`fork: Resource temporarily unavailable: ${MOST_PROCESSES} processes run already`);
    }
    return new Process(this, pid ?? (parent ? this.nextPid() : SHELL_PID), parent, parent?.run ?? 0, title);
  }

  /** Called every so many commands: ends a process that is to end, lets others run. */
  *attend(process: Process): Task<void> {
    this.budget = COMMANDS;
    if (process.endedBy !== undefined) throw new Killed(process.endedBy);
    if (isTurnDue()) yield this.#breathe(process);
    if (process.endedBy !== undefined) throw new Killed(process.endedBy);
    if (this.options.isInterrupted() && process.run === this.liveRun) throw new Killed(SIGINT);
  }

  async #breathe(process: Process): Promise<void> {
    this.#turn++;
    this.options.mark?.(0);
    await giveWay();
    const turn = ++this.#turn;
    this.options.mark?.(process.run);
    if (!this.options.mark) return;
    // Then it has ended or waits, and no other has started since.
    void giveWay().then(() => turn === this.#turn && this.options.mark?.(0));
  }
}
