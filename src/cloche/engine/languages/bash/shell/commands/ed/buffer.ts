/** The lines that ed edits. */
import { compileRegex, type Matcher } from "../../../text/regex/regex.ts";
import { RegexError } from "../../../text/regex/syntax.ts";

export class EdError extends Error {}

/** A line; an object, so that marks follow it wherever it goes. */
export interface Line {
  text: string;
}

export class EdBuffer {
  lines: Line[] = [];
  current = 0;
  changed = false;
  readonly #marks = new Map<string, Line>();
  #last: Matcher | undefined;
  #before: { lines: Line[]; texts: string[]; current: number } | undefined;

  constructor(private readonly extended: boolean) {}

  /** Remembers everything for `u`. */
  remember(): void {
    this.#before = { lines: [...this.lines], texts: this.lines.map(({ text }) => text), current: this.current };
  }

  undo(): void {
    const before = this.#before;
    if (!before) throw new EdError("Nothing to undo");
    this.remember();
    this.lines = [...before.lines];
    this.lines.forEach((line, i) => line.text = before.texts[i]);
    this.current = before.current;
    this.changed = true;
  }

  insert(after: number, texts: string[]): void {
    const lines = texts.map((text) => ({ text }));
    // Not by `splice(...lines)`: a file may have more lines than a call has arguments.
    this.lines = [...this.lines.slice(0, after), ...lines, ...this.lines.slice(after)];
    this.current = after + texts.length;
    if (texts.length > 0) this.changed = true;
  }

  remove(first: number, last: number): Line[] {
    if (first < 1) throw new EdError("Invalid address");
    const removed = this.lines.splice(first - 1, last - first + 1);
    this.current = Math.min(first, this.lines.length);
    this.changed = true;
    return removed;
  }

  mark(name: string, line: number): void {
    if (!/^[a-z]$/.test(name)) throw new EdError("Invalid mark character");
    if (line < 1) throw new EdError("Invalid address");
    this.#marks.set(name, this.lines[line - 1]);
  }

  findMark(name: string): number {
    const line = this.#marks.get(name);
    const at = line ? this.lines.indexOf(line) : -1;
    if (at < 0) throw new EdError("Invalid address");
    return at + 1;
  }

  compile(source: string, ignoreCase = false): Matcher {
    if (source === "") {
      if (!this.#last) throw new EdError("No previous pattern");
      return this.#last;
    }
    try {
      return this.#last = compileRegex(source, { extended: this.extended, ignoreCase });
    } catch (error) {
      if (error instanceof RegexError) throw new EdError(error.message);
      throw error;
    }
  }

  /** The next line that matches, around the end of the text. */
  search(source: string, forward: boolean): number {
    const matcher = this.compile(source);
    const count = this.lines.length;
    for (let step = 1; step <= count; step++) {
      const at = ((this.current - 1 + (forward ? step : -step)) % count + count) % count;
      if (matcher.test(this.lines[at].text)) return at + 1;
    }
    throw new EdError("No match");
  }
}
