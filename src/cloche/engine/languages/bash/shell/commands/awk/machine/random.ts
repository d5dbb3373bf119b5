/** rand and srand. */

export class Random {
  #seed = 1;
  #state = 0;

  constructor() {
    this.seed(1);
  }

  /** Sets the seed; returns the one before. */
  seed(seed: number): number {
    const before = this.#seed;
    this.#seed = seed;
    this.#state = (Math.trunc(seed) ^ 0x9e3779b9) | 0;
    return before;
  }

  /** A number of at least 0 and less than 1: 53 bits of two steps of a 32-bit mixer. */
  next(): number {
    return (this.#step() * 2 ** 21 + (this.#step() >>> 11)) / 2 ** 53;
  }

  #step(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
