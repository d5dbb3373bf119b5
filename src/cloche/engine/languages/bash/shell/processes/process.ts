/** One process: a shell, a subshell, a stage of a pipeline, a job, or a program that another one has started. */
import { type Later, type Task, TaskRun } from "../task.ts";
import { Killed } from "./command.ts";
import type { Kernel } from "./kernel.ts";
import { isHarmless, nameOf, SIGINT, SIGKILL } from "./signals.ts";

export class Process {
  /** What the foreground waits for: a signal that ends this process ends those too. */
  readonly foreground = new Set<Process>();
  /** Signals that a trap will handle. */
  readonly pending: string[] = [];
  /** Set when `attend` has to look: a trap is due, or it has to end. */
  signalled = false;
  /** The exit code; undefined while it runs. */
  code: number | undefined;
  /** While a program that it runs is about to end by a signal. */
  isEnding = false;
  /** When it began, in milliseconds since 1970. */
  readonly started = Date.now();
  /** The signal that has ended it. */
  endedBy: number | undefined;
  /** What a signal does: "" ignores it, undefined has its usual effect. Set by the shell that runs in it. */
  trapOf: (name: string) => string | undefined = () => undefined;
  /** The program that runs in it takes a signal; false if it does not handle that. */
  takeSignal: (signal: number) => boolean = () => false;
  /** The signal that has ended the last program in it. */
  programEndedBy: number | undefined;
  readonly #done = Promise.withResolvers<number>();
  /** The innermost last: one that has taken a new stack waits for the next. */
  readonly #tasks: Pick<TaskRun<unknown>, "raise">[] = [];
  #controller: AbortController | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(
    readonly kernel: Kernel,
    readonly pid: number,
    readonly parent: Process | undefined,
    /** The run that has begun it. */
    public run: number,
    /** What `ps` shows. */
    public title: string,
  ) {
    kernel.processes.set(pid, this);
  }

  /** Settles with the exit code; never rejects. */
  get done(): Later<number> {
    return this.code ?? this.#done.promise;
  }

  /** For the programs that run in it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.endedBy !== undefined) this.#controller.abort(new Killed(this.endedBy));
    return this.#controller.signal;
  }

  /** A child; it runs when `start` is called. */
  fork(title = this.title): Process {
    return this.kernel.createProcess(this, title);
  }

  /** Runs a task, which must not throw, to its end. The shell itself does so again for each script. */
  start(task: Task<number>): Later<number> {
    this.code = this.endedBy = undefined;
    this.#controller = undefined;
    this.signalled = this.pending.length > 0;
    this.kernel.processes.set(this.pid, this);
    const run = new TaskRun(task);
    this.#tasks.push(run);
    const code = run.start();
    return code instanceof Promise ? code.then((value) => this.#end(value)) : this.#end(code);
  }

  /** Starts a task that was to be started later, unless it has been ended before. */
  startLate(task: Task<number>): void {
    if (this.endedBy === undefined) this.start(task);
    else this.#end(128 + this.endedBy);
  }

  /** Runs a part of the task on a stack of its own: generators that call each other use up the one they run on. */
  *runDeep<T>(task: Task<T>): Task<T> {
    const run = new TaskRun(task);
    this.#tasks.push(run);
    try {
      return (yield Promise.resolve().then(() => run.start())) as T;
    } finally {
      this.#tasks.splice(this.#tasks.indexOf(run), 1);
    }
  }

  /** Starts a child and waits for it: a signal to this one ends it too. */
  *runChild(child: Process, task: Task<number>): Task<number> {
    this.foreground.add(child);
    try {
      const code = child.start(task);
      return code instanceof Promise ? (yield code) as number : code;
    } finally {
      this.foreground.delete(child);
    }
  }

  /** Sends a signal; false if the process has ended. */
  kill(signal: number): boolean {
    if (this.code !== undefined) return false;
    if (signal === 0) return true;
    const name = nameOf(signal) ?? "";
    const trap = signal === SIGKILL ? undefined : this.trapOf(name);
    if (trap === "" || signal !== SIGKILL && this.takeSignal(signal)) return true;
    if (trap !== undefined) {
      this.pending.push(name);
      this.signalled = true;
      for (const act of [...this.#listeners]) act();
      return true;
    }
    if (!isHarmless(signal)) this.#stop(signal);
    return true;
  }

  /** Ends it as an interrupt from outside does, whatever its traps say. */
  interrupt(): void {
    if (this.code === undefined) this.#stop(SIGINT);
  }

  #stop(signal: number): void {
    for (const child of [...this.foreground]) child.kill(signal);
    this.endedBy ??= signal;
    this.signalled = true;
    this.#controller?.abort(new Killed(signal));
    if (!this.isEnding) this.#tasks.at(-1)?.raise(new Killed(signal));
  }

  /** Calls `act` when a trap becomes due; returns how to stop that. */
  onTrap(act: () => void): () => void {
    this.#listeners.add(act);
    return () => this.#listeners.delete(act);
  }

  #end(code: number): number {
    this.code = code;
    this.#tasks.length = 0;
    this.kernel.processes.delete(this.pid);
    this.#done.resolve(code);
    return code;
  }
}
