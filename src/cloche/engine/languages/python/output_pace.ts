/** Watches how fast a program prints: lines that come in floods are cheaper in blocks. */

import type { SharedMemory } from "../../worker/shared_memory.ts";

const WRITES = 512;
const FLOOD = 10;
const TRICKLE = 8192;

export class OutputPace {
  #writes = 0;
  #since = 0;
  #bytes = 0;

  constructor(private readonly shared: SharedMemory) {}

  /** Returns to single lines, for a new program. */
  reset(): void {
    this.#writes = 0;
    this.shared.gathering = false;
  }

  /** Called with each write; asks the interpreter to collect when many writes come within a few milliseconds. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (++this.#writes < WRITES) return;
    const now = performance.now();
    if (!this.shared.gathering && now - this.#since < FLOOD) {
      this.shared.gathering = true;
      this.#bytes = TRICKLE;
      this.shared.requestFlush();
    }
    this.#writes = 0;
    this.#since = now;
  }

  /** Called by the interpreter after that: whether to continue collecting. */
  decide(): boolean {
    if (this.#bytes < TRICKLE) this.shared.gathering = false;
    this.#bytes = 0;
    return this.shared.gathering;
  }
}
