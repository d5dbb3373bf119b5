/** Rung by whoever changes a pipe or ends a process, heard by all workers of a sandbox; and the numbers of processes. */

import { SHARED_WORDS } from "../memory_budget.ts";

const RINGS = 0;
const PROCESSES = 1;
const FIRST_PROCESS = 100;

export class Bell {
  readonly #words: Int32Array;

  /** `memory` is what the workers share. */
  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, SHARED_WORDS * Int32Array.BYTES_PER_ELEMENT);
  }

  /** To be read before one looks whether there is something to wait for. */
  get rings(): number {
    return Atomics.load(this.#words, RINGS);
  }

  ring(): void {
    Atomics.add(this.#words, RINGS, 1);
    Atomics.notify(this.#words, RINGS);
  }

  /** Blocks until it is rung after `rings` was read. */
  block(rings: number, ms: number): void {
    Atomics.wait(this.#words, RINGS, rings, ms);
  }

  /** Settles when it is rung after `rings` was read. */
  async next(rings: number, ms?: number): Promise<void> {
    const wait = Atomics.waitAsync(this.#words, RINGS, rings, ms);
    if (wait.async) await wait.value;
  }

  /** The number of a new process. */
  nextProcess(): number {
    return FIRST_PROCESS + Atomics.add(this.#words, PROCESSES, 1);
  }
}
