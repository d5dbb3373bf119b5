/** Alarms that programs have set: only another thread can count time while they compute. */

import type { WorkerSlot } from "../worker_slot.ts";

const SIGALRM = 14;
const LONGEST_MS = 2 ** 31 - 1;

/** When a signal is wanted, and how often after that. */
export interface AlarmTimes {
  /** Milliseconds; 0 withdraws it. */
  ms: number;
  /** Milliseconds between two; 0 for one only. */
  every: number;
}

export class Alarms {
  readonly #timers = new Map<WorkerSlot, ReturnType<typeof setTimeout>>();

  /** A worker wants a signal; what it wanted before is forgotten. */
  set(slot: WorkerSlot, { ms, every }: AlarmTimes): void {
    this.forget(slot);
    if (ms <= 0) return;
    const ring = () => {
      slot.shared.deliver(SIGALRM);
      this.set(slot, { ms: every, every });
    };
    this.#timers.set(slot, setTimeout(ring, Math.min(ms, LONGEST_MS)));
  }

  /** The worker is gone. */
  forget(slot: WorkerSlot): void {
    clearTimeout(this.#timers.get(slot));
    this.#timers.delete(slot);
  }
}
