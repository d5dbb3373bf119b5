/** Standard input of PHP: bytes that were piped in, or lines from the user. */

const EMPTY = new Uint8Array(0);

export class Input {
  #prompt = "";

  /** `ask` returns the next line, null at the end; without it there is only the piped input. */
  constructor(
    private rest: Uint8Array = EMPTY,
    private readonly ask: ((prompt: string) => string | null) | null = null,
  ) {}

  /** Keeps a prompt for the next question; false if there is no user. */
  prompt(text: string): boolean {
    if (!this.ask) return false;
    this.#prompt = text;
    return true;
  }

  get ended(): boolean {
    return this.rest.length === 0;
  }

  read(into: Uint8Array): number {
    if (this.rest.length === 0 && this.ask) this.#question(this.ask);
    const part = this.rest.subarray(0, into.length);
    into.set(part);
    this.rest = this.rest.subarray(part.length);
    return part.length;
  }

  #question(ask: (prompt: string) => string | null): void {
    const line = ask(this.#prompt);
    this.#prompt = "";
    this.rest = line === null ? EMPTY : new TextEncoder().encode(`${line}\n`);
  }
}
