/** Fields on their way: text, and which of it was quoted. */
import { escapePattern } from "./patterns.ts";

export { escapePattern } from "./patterns.ts";

const PATTERN = /[*?[]|[+@!]\(/;
const BLANKS = " \t\n";

export interface Field {
  text: string;
  /** The same with a backslash before what was quoted and would count in a pattern. */
  escaped: string;
  /** Whether unquoted characters make it a pattern. */
  pattern: boolean;
}

/** What separated the field before: nothing, blanks, or another separator. */
type Separated = "no" | "blanks" | "separator";

export class FieldBuilder {
  readonly fields: Field[] = [];
  #text = "";
  /** Where quoted text begins and ends, in turns. */
  #quoted: number[] = [];
  #pattern = false;
  /** Whether there is a field, even an empty one. */
  #open = false;
  #separated: Separated = "no";

  /** `separators`: IFS, by which what is expanded without quotes is split; undefined: it is not split. */
  constructor(readonly separators: string | undefined) {}

  /** Whether there is a field, even an empty one. */
  get open(): boolean {
    return this.#open;
  }

  addLiteral(text: string): void {
    if (text === "") return;
    this.#open = true;
    this.#separated = "no";
    this.#text += text;
    this.#pattern ||= PATTERN.test(text) || text.startsWith("(") && /[+@!]$/.test(this.#text.slice(0, -text.length));
  }

  addQuoted(text: string): void {
    this.#open = true;
    this.#separated = "no";
    if (text === "") return;
    const start = this.#text.length;
    this.#text += text;
    if (this.#quoted.at(-1) === start) this.#quoted[this.#quoted.length - 1] = this.#text.length;
    else this.#quoted.push(start, this.#text.length);
  }

  /** What an expansion without quotes gave: split here unless nothing is split. */
  addExpanded(text: string): void {
    const { separators } = this;
    if (separators === undefined || separators === "" || text === "") return this.addLiteral(text);
    for (let at = 0; at < text.length;) {
      let end = at;
      while (end < text.length && !separators.includes(text[end])) end++;
      if (end > at) this.addLiteral(text.slice(at, end));
      if (end < text.length) this.#separate(BLANKS.includes(text[end]));
      at = end + 1;
    }
  }

  #separate(blank: boolean): void {
    if (this.#open) this.breakField();
    else if (blank) {
      if (this.#separated === "no") return;
    } else if (this.#separated !== "blanks") this.breakField();
    if (!blank) this.#separated = "separator";
    else if (this.#separated === "no") this.#separated = "blanks";
  }

  /** Ends the field here; it counts even if it is empty. */
  breakField(): void {
    this.fields.push({ text: this.#text, escaped: this.#pattern ? this.escaped : this.#text, pattern: this.#pattern });
    this.#text = "";
    this.#quoted = [];
    this.#pattern = this.#open = false;
    this.#separated = "no";
  }

  /** Ends the field if there is one. */
  breakOpen(): void {
    if (this.#open) this.breakField();
    this.#separated = "no";
  }

  /** All text so far as one, where nothing is split. */
  get text(): string {
    return this.#text;
  }

  get escaped(): string {
    return this.escape(escapePattern);
  }

  /** The text with what was quoted changed. */
  escape(change: (quoted: string) => string): string {
    let escaped = "";
    let at = 0;
    for (let i = 0; i < this.#quoted.length; i += 2) {
      escaped += this.#text.slice(at, this.#quoted[i]) + change(this.#text.slice(this.#quoted[i], this.#quoted[i + 1]));
      at = this.#quoted[i + 1];
    }
    return at === 0 ? this.#text : escaped + this.#text.slice(at);
  }
}
