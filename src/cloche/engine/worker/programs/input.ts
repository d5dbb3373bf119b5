/** Standard input of a program: bytes that were piped in, or lines from the user. */

const EMPTY = new Uint8Array(0);
const NEWLINE = 10;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What is typed at the prompt of a session to give up a line: Ctrl-C. */
export const INTERRUPT_KEY = "\x03";

/** Asks the user for a line; null ends the input. */
export type AskLine = (prompt: string) => string | null;

export class ProgramInput {
  #rest: Uint8Array;
  #ask: AskLine | null;

  /** The user is asked when the bytes have been read; without `ask` there are only the bytes. */
  constructor(given: Uint8Array | null = null, ask: AskLine | null = null) {
    this.#rest = given ?? EMPTY;
    this.#ask = ask;
  }

  /** Whether everything that has arrived was read. */
  get drained(): boolean {
    return this.#rest.length === 0;
  }

  /** Whether the user can be asked. */
  get interactive(): boolean {
    return this.#ask !== null;
  }

  /** At most `max` bytes; none at the end. */
  read(max: number): Uint8Array {
    this.#askIfEmpty("");
    return this.#take(max);
  }

  /** Fills what it can, and returns how many bytes that is; 0 at the end. */
  readInto(target: Uint8Array): number {
    const part = this.read(target.length);
    target.set(part);
    return part.length;
  }

  /** A line with a newline, even if the input ends without one; null at the end. */
  readLine(prompt: string): string | null {
    this.#askIfEmpty(prompt);
    if (this.drained) return null;
    const at = this.#rest.indexOf(NEWLINE);
    const line = decoder.decode(this.#take(at < 0 ? this.#rest.length : at));
    this.#take(1);
    return `${line}\n`;
  }

  /** Everything that has arrived, for a program that reads on; null if there is nothing. */
  takeRest(): Uint8Array | null {
    return this.drained ? null : this.#take(this.#rest.length);
  }

  #take(count: number): Uint8Array {
    const part = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  #askIfEmpty(prompt: string): void {
    if (!this.drained || !this.#ask) return;
    const line = this.#ask(prompt);
    // The user is not asked again after the end: C reads twice there.
    if (line === null) this.#ask = null;
    else this.#rest = encoder.encode(line.endsWith("\n") ? line : `${line}\n`);
  }
}
