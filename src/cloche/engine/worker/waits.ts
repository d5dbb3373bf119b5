/** Waits of the code in a worker for something outside; an interrupt ends all of them. */

class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** Waits that a cancel ends at once. */
export class PendingWaits {
  /** How to end each, and whether it is for another program. */
  readonly #pending = new Map<(error: Error) => void, boolean>();
  readonly #acts: ((waited: boolean) => void)[] = [];

  add<T>(start: (resolve: (value: T) => void) => () => void, forProgram = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#pending.delete(fail);
        clean();
      };
      const fail = (error: Error) => {
        settle();
        reject(error);
      };
      const clean = start((value) => {
        settle();
        resolve(value);
      });
      this.#pending.set(fail, forProgram);
    });
  }

  onCancel(act: (waited: boolean) => void): void {
    this.#acts.push(act);
  }

  /**
   * Ends all waits. If the signal was taken meanwhile, only those for other programs: one of them, in this same
   * interpreter, may have taken it. The worker was already interrupted; do not interrupt it twice.
   */
  cancel(taken: boolean): void {
    const waiting = [...this.#pending].filter(([, forProgram]) => forProgram || !taken);
    for (const [fail] of waiting) fail(new Cancelled("interrupted"));
    if (!taken) { for (const act of this.#acts) act(waiting.length > 0); }
  }

  endLatest(): boolean {
    const latest = [...this.#pending.keys()].pop();
    latest?.(new Cancelled("interrupted"));
    return latest !== undefined;
  }
}
