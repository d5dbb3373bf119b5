/** The memory of several interpreters of one sandbox, which together have one limit. */

/** How many there can be at most. */
const ENTRIES = 64;
const PAGE = 65536;
/** Words behind the entries, for what else all workers share: see `bell.ts`. */
const MORE_WORDS = 2;

/** Where those words begin. */
export const SHARED_WORDS = ENTRIES;

export class MemoryBudget {
  readonly #pages: Int32Array;

  constructor(
    readonly buffer: SharedArrayBuffer = new SharedArrayBuffer((ENTRIES + MORE_WORDS) * Int32Array.BYTES_PER_ELEMENT),
  ) {
    this.#pages = new Int32Array(buffer, 0, ENTRIES);
  }

  /** Notes how much one of them has. */
  set(number: number, bytes: number): void {
    Atomics.store(this.#pages, number, Math.ceil(bytes / PAGE));
  }

  /** Bytes that all others have. */
  besides(number: number): number {
    let pages = 0;
    for (let other = 0; other < this.#pages.length; other++) {
      if (other !== number) pages += Atomics.load(this.#pages, other);
    }
    return pages * PAGE;
  }
}
