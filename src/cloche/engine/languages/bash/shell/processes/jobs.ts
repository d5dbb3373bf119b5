/** Background jobs, as `jobs`, `wait` and `%1` know them. */
import type { Interpreter } from "../interpreter.ts";
import type { Process } from "./process.ts";

/** One command started with `&`. */
export interface Job {
  /** Its number, as in `%1`. */
  readonly id: number;
  readonly process: Process;
  /** The shell that has started it. */
  readonly owner: Process;
  readonly text: string;
  /** Whether job control was on when it was started, so that `fg` may take it. */
  readonly controlled: boolean;
  /** Not to be listed any more: disowned. */
  hidden: boolean;
}

/** Whether `fg` and `bg` work: after `set -m`, and always in the sandbox's own shell. */
export function hasJobControl({ process, state }: Pick<Interpreter, "process" | "state">): boolean {
  return process.parent === undefined || state.options.has("monitor");
}

/** Whether somebody sees what it says about jobs: the sandbox's own shell and `bash -i`, not scripts and subshells. */
export function isAtTerminal({ process, state }: Pick<Interpreter, "process" | "state">): boolean {
  return state.subshell === 0 && (process.parent === undefined || state.startLetters.includes("i"));
}

/** How many ended jobs are remembered for a later `wait`. */
const REMEMBERED = 256;

export class Jobs {
  readonly #jobs: Job[] = [];

  add(owner: Process, process: Process, text: string, controlled: boolean): Job {
    const id = Math.max(0, ...this.of(owner).map((job) => job.id)) + 1;
    const job: Job = { id, process, owner, text, controlled, hidden: false };
    this.#jobs.push(job);
    this.#forgetOldest();
    return job;
  }

  /** The jobs that a process has started, oldest first. */
  of(owner: Process): Job[] {
    return this.#jobs.filter((job) => job.owner === owner && !job.hidden);
  }

  /** Finds a process number among a process' jobs; `%1`, `%%`, `%+`, `%-`, `%text`, `%?text` too. */
  find(owner: Process, word: string): Job | undefined {
    if (!word.startsWith("%")) {
      return this.#jobs.findLast((job) => job.owner === owner && job.process.pid === Number(word));
    }
    const own = this.of(owner);
    const name = word.slice(1);
    if (name === "" || name === "%" || name === "+") return own.at(-1);
    if (name === "-") return own.at(-2) ?? own.at(-1);
    if (/^\d+$/.test(name)) return own.find((job) => job.id === Number(name));
    if (name.startsWith("?")) return own.findLast((job) => job.text.includes(name.slice(1)));
    return own.findLast((job) => job.text.startsWith(name));
  }

  running(): Job[] {
    return this.#jobs.filter((job) => job.process.code === undefined);
  }

  forget(job: Job): void {
    const at = this.#jobs.indexOf(job);
    if (at >= 0) this.#jobs.splice(at, 1);
  }

  #forgetOldest(): void {
    const ended = this.#jobs.filter((job) => job.process.code !== undefined);
    for (const job of ended.slice(0, Math.max(0, ended.length - REMEMBERED))) this.forget(job);
  }
}
