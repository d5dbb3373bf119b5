/** Standard input of a program: bytes that were given, or lines from the user. */

const EMPTY = new Uint8Array(0);

export class Input {
  #rest: Uint8Array;

  /** `ask` returns the next line, null at the end; without it, there are only the bytes. */
  constructor(given: Uint8Array | null, private readonly ask: (() => string | null) | null) {
    this.#rest = given ?? EMPTY;
  }

  get ended(): boolean {
    return this.#rest.length === 0;
  }

  read(max: number): Uint8Array {
    if (this.#rest.length === 0) {
      const line = this.ask?.() ?? null;
      if (line !== null) this.#rest = new TextEncoder().encode(line.endsWith("\n") ? line : line + "\n");
    }
    const part = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
}
