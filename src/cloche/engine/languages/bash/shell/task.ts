/** Work that may have to wait, written as generators that yield promises: what need not wait runs without a promise. */

/** A value, or a promise of it. */
export type Later<T> = T | Promise<T>;

/** Work on the way to a `T`; it yields what it waits for, and is resumed with the value of that. */
export type Task<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits for a value only if it has to: `const line = yield* wait(stream.read(512))`. */
export function* wait<T>(value: Later<T>): Task<T> {
  return value instanceof Promise ? (yield value) as T : value;
}

/** Whether a builtin returned a task and not its exit code. */
export function isTask<T>(value: T | Task<T>): value is Task<T> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** Runs a task to its end; it can be ended from outside where it waits. */
export class TaskRun<T> {
  #done: PromiseWithResolvers<T> | undefined;
  /** Counts the waits, so that the promise of one that was given up changes nothing. */
  #turn = 0;
  #waits = false;
  #ended = false;

  constructor(private readonly task: Task<T>) {}

  /** Whether it is waiting, so that `raise` reaches it. */
  get waits(): boolean {
    return this.#waits;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Runs until the task ends or has to wait. */
  start(): Later<T> {
    const step = this.#next(undefined);
    if (step.done) return step.value;
    this.#done = Promise.withResolvers<T>();
    this.#waitFor(step.value);
    return this.#done.promise;
  }

  /** Throws an error into the task where it waits; false if it does not wait. */
  raise(error: Error): boolean {
    if (!this.#waits) return false;
    this.#waits = false;
    this.#turn++;
    this.#settle(() => this.task.throw(error));
    return true;
  }

  #next(value: unknown): IteratorResult<Promise<unknown>, T> {
    const step = this.task.next(value);
    if (step.done) this.#ended = true;
    return step;
  }

  #waitFor(promise: Promise<unknown>): void {
    const turn = ++this.#turn;
    this.#waits = true;
    promise.then(
      (value) => this.#resume(turn, () => this.task.next(value)),
      (error) => this.#resume(turn, () => this.task.throw(error)),
    );
  }

  #resume(turn: number, act: () => IteratorResult<Promise<unknown>, T>): void {
    if (turn !== this.#turn || !this.#waits) return;
    this.#waits = false;
    this.#settle(act);
  }

  #settle(act: () => IteratorResult<Promise<unknown>, T>): void {
    let step: IteratorResult<Promise<unknown>, T>;
    try {
      step = act();
    } catch (error) {
      this.#ended = true;
      return this.#done?.reject(error);
    }
    if (!step.done) return this.#waitFor(step.value);
    this.#ended = true;
    this.#done?.resolve(step.value);
  }
}

/** Runs a task that nobody ends from outside. */
export function runTask<T>(task: Task<T>): Later<T> {
  return new TaskRun(task).start();
}
