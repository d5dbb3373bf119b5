/** Standard input of R: bytes that were given, or lines from the user. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NEWLINE = 10;

export class Input {
  #rest: Uint8Array;
  /** The user is not asked again after the end: C reads twice there. */
  #ended = false;

  /** `ask` returns null at the end of input. */
  constructor(given: Uint8Array | null, private readonly ask: ((prompt: string) => string | null) | null) {
    this.#rest = given ?? new Uint8Array(0);
  }

  get ended(): boolean {
    return this.#rest.length === 0;
  }

  /** Fills what it can; 0 at the end. */
  read(into: Uint8Array): number {
    if (this.#rest.length === 0) this.#askFor("");
    const part = this.#rest.subarray(0, into.length);
    into.set(part);
    this.#rest = this.#rest.subarray(part.length);
    return part.length;
  }

  /** A line with its end, even where the input has none; null at the end of input. */
  line(prompt: string): string | null {
    if (this.#rest.length === 0) this.#askFor(prompt);
    if (this.#rest.length === 0) return null;
    const at = this.#rest.indexOf(NEWLINE);
    const end = at < 0 ? this.#rest.length : at;
    const line = decoder.decode(this.#rest.subarray(0, end));
    this.#rest = this.#rest.subarray(end + 1);
    return `${line}\n`;
  }

  #askFor(prompt: string): void {
    const line = this.#ended ? null : this.ask?.(prompt) ?? null;
    if (line === null) this.#ended = true;
    else this.#rest = encoder.encode(`${line}\n`);
  }
}
