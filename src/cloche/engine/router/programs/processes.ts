/** Interpreters that run one program each: they end with it, and after the first a spare one is kept for a while. */

import type { WorkerSlot } from "../worker_slot.ts";

/** Milliseconds that a spare one waits for a program. */
const SPARE_TIME = 20_000;
const UNUSED = "nobody used it";

interface ProcessActions {
  start(number: number): WorkerSlot;
  end(slot: WorkerSlot, why: string): void;
  /** How many there may be at once. */
  limit(): number;
  /** None is left. */
  allGone(): void;
}

export class Processes {
  readonly #open = new Map<number, WorkerSlot>();
  #spare: WorkerSlot | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly actions: ProcessActions, private readonly spareTime = SPARE_TIME) {}

  /** One for a program; undefined if there are too many. */
  take(): WorkerSlot | undefined {
    clearTimeout(this.#timer);
    const slot = this.#spare ?? this.#start();
    this.#spare = undefined;
    return slot;
  }

  /** It has ended. */
  gone(slot: WorkerSlot): void {
    this.#open.delete(slot.process);
    if (this.#spare === slot) this.#spare = undefined;
  }

  /** Keeps one ready for the next program. */
  prepare(): void {
    clearTimeout(this.#timer);
    this.#spare ??= this.#start();
    this.#timer = setTimeout(() => this.clear(), this.spareTime);
  }

  /** Gives the spare one back. */
  clear(): void {
    clearTimeout(this.#timer);
    if (this.#spare) this.actions.end(this.#spare, UNUSED);
    if (this.#open.size === 0) this.actions.allGone();
  }

  #start(): WorkerSlot | undefined {
    const limit = this.actions.limit();
    for (let number = 1; number <= limit; number++) {
      if (this.#open.has(number)) continue;
      const slot = this.actions.start(number);
      this.#open.set(number, slot);
      return slot;
    }
    return undefined;
  }
}
