/** Returns memory when a thread is idle: what loading leaves behind is a quarter of a thread's JavaScript heap. */

/** Only a last-resort collection returns pages to the system. */
type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

// V8 exposes it under `--expose-gc`. It cannot be deleted, so it is replaced: the guest must not have it.
const globals = globalThis as { gc?: Collect };
const collect = globals.gc;
globals.gc = undefined;

/** Frees unreferenced memory now. */
export function collectGarbage(): void {
  collect?.({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Milliseconds without a message after which a thread counts as idle. */
const REST = 1000;
/** Messages between two collections; the first one is when the thread is idle for the first time. */
const ENOUGH = 500;

export class IdleCollector {
  #last = performance.now();
  #messages = ENOUGH;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly act = collectGarbage) {
    this.#wait(REST);
  }

  /** Call it with each message. */
  noteActivity(): void {
    this.#last = performance.now();
    if (++this.#messages >= ENOUGH && this.#timer === undefined) this.#wait(REST);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    const left = this.#last + REST - performance.now();
    if (left > 0) return this.#wait(left);
    this.#timer = undefined;
    this.#messages = 0;
    this.act();
  }
}
