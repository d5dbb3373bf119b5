/** Background jobs: tasks on the same event loop, each over a copy of the shell's state. */
import { type ExecResult, type ScriptNode, serialize } from "just-bash";
import { Process, type ProcessTable } from "./process.ts";

/** One command started with `&`. */
export interface Job {
  /** Its number, as in `%1`. */
  readonly id: number;
  readonly pid: number;
  /** The run that has begun it. */
  readonly run: number;
  readonly parent: Process;
  readonly text: string;
  /** Settles with the exit code, never rejects. */
  readonly done: Promise<number>;
  /** Undefined while it runs. */
  code: number | undefined;
  /** The signal that `kill` sent. */
  signal: number | undefined;
  /** Not to be listed any more: disowned, or waited for. */
  hidden: boolean;
}

/** How many ended jobs are remembered for a later `wait`. */
const REMEMBERED = 256;

/** The jobs of one shell and of its children. */
export class Jobs {
  readonly #jobs = new Map<number, Job>();
  readonly #controllers = new Map<number, AbortController>();

  constructor(private readonly table: ProcessTable) {}

  /** Starts a job when the caller next yields. */
  start(
    parent: Process,
    script: ScriptNode,
    run: (child: Process, signal: AbortSignal) => Promise<ExecResult>,
  ): Job {
    const child = parent.child();
    const controller = new AbortController();
    const text = serialize(script).trim();
    const job: Job = {
      id: this.#freeId(parent),
      pid: child.pid,
      run: child.run,
      parent,
      text,
      done: this.#follow(child, controller, run),
      code: undefined,
      signal: undefined,
      hidden: false,
    };
    this.#controllers.set(child.pid, controller);
    this.#jobs.set(child.pid, job);
    this.#forgetOldest();
    return job;
  }

  async #follow(
    child: Process,
    controller: AbortController,
    run: (child: Process, signal: AbortSignal) => Promise<ExecResult>,
  ): Promise<number> {
    await this.table.breathe(child);
    const ended = controller.signal.aborted
      ? 0
      : await run(child, controller.signal).then(({ exitCode }) => exitCode, () => 1);
    const job = this.#jobs.get(child.pid);
    const code = job?.signal === undefined ? ended : 128 + job.signal;
    this.#controllers.delete(child.pid);
    if (job) job.code = code;
    return code;
  }

  /** The jobs that a process has started, oldest first. */
  of(parent: Process): Job[] {
    return [...this.#jobs.values()].filter((job) => job.parent === parent && !job.hidden);
  }

  /** Finds `123` among all jobs; `%1`, `%%`, `%+`, `%-`, `%text` among those of a process. */
  find(parent: Process, word: string): Job | undefined {
    if (!word.startsWith("%")) return this.#jobs.get(Number(word));
    const own = this.of(parent);
    const name = word.slice(1);
    if (name === "" || name === "%" || name === "+") return own.at(-1);
    if (name === "-") return own.at(-2) ?? own.at(-1);
    if (/^\d+$/.test(name)) return own.find((job) => job.id === Number(name));
    return own.findLast((job) => job.text.startsWith(name));
  }

  running(): Job[] {
    return [...this.#jobs.values()].filter((job) => job.code === undefined);
  }

  forget(job: Job): void {
    this.#jobs.delete(job.pid);
  }

  /** Ends a job as a signal would; false if it has ended already. */
  kill(job: Job, signal: number): boolean {
    if (job.code !== undefined) return false;
    job.signal ??= signal;
    this.#controllers.get(job.pid)?.abort();
    return true;
  }

  /** Those that runs have left which are over. */
  left(): Job[] {
    return this.running().filter((job) => job.run !== this.table.live);
  }

  /** Ends them and waits for that. */
  async stop(): Promise<void> {
    const running = this.left();
    for (const job of running) this.kill(job, 9);
    await Promise.all(running.map((job) => job.done));
  }

  #freeId(parent: Process): number {
    return Math.max(0, ...this.of(parent).map((job) => job.id)) + 1;
  }

  #forgetOldest(): void {
    const ended = [...this.#jobs.values()].filter((job) => job.code !== undefined);
    for (const job of ended.slice(0, Math.max(0, ended.length - REMEMBERED))) this.forget(job);
  }
}
