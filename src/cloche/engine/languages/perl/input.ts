/** Standard input of a program: bytes given at the start, or lines from the user. */

import { Interrupted } from "../../worker/request_errors.ts";

const EMPTY = new Uint8Array(0);

export class Input {
  #bytes: Uint8Array;

  /** `ask` returns the next line, or null at the end; `interrupted` is called if an interrupt ends it. */
  constructor(
    bytes: Uint8Array | null,
    private readonly ask: (() => string | null) | null = null,
    private readonly interrupted: () => void = () => {},
  ) {
    this.#bytes = bytes ?? EMPTY;
  }

  get ended(): boolean {
    return this.#bytes.length === 0;
  }

  read(max: number): Uint8Array {
    if (this.#bytes.length === 0 && this.ask) this.#bytes = this.#line(this.ask);
    const part = this.#bytes.subarray(0, max);
    this.#bytes = this.#bytes.subarray(part.length);
    return part;
  }

  /** All that is left; null when nothing is. */
  rest(): Uint8Array | null {
    const left = this.#bytes;
    this.#bytes = EMPTY;
    return left.length > 0 ? left : null;
  }

  #line(ask: () => string | null): Uint8Array {
    try {
      const line = ask();
      return line === null ? EMPTY : new TextEncoder().encode(line.endsWith("\n") ? line : line + "\n");
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.interrupted();
      return EMPTY;
    }
  }
}
