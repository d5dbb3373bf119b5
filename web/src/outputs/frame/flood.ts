/** Notices who sends far more messages than anybody needs. */

/** Messages within the time below which are too many. */
const MANY = 1000;
const WITHIN = 1000;

export class FloodGauge {
  #count = 0;
  #since = 0;

  /** Counts a message; true if there are too many. `now` is in milliseconds. */
  add(now: number): boolean {
    if (now - this.#since > WITHIN) {
      this.#since = now;
      this.#count = 0;
    }
    return ++this.#count > MANY;
  }
}
