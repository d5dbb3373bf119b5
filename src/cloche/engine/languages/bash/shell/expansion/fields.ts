/** Fields on their way: text, and the same with quoted pattern characters escaped. */

const SPECIAL = /[\\*?[\]!+@()|^-]/g;
const ESCAPED = /\\[^]/g;
const PATTERN = /[*?]|\[[^]*\]|[+@!]\(/;

/** Text as a pattern that matches only itself. */
export function escapePattern(text: string): string {
  return text.replace(SPECIAL, "\\$&");
}

export interface Field {
  text: string;
  escaped: string;
  /** Whether unquoted characters make it a pattern. */
  pattern: boolean;
}

export class FieldBuilder {
  readonly fields: Field[] = [];
  #text = "";
  #escaped = "";
  #pattern = false;
  /** Whether there is a field, even an empty one. */
  #open = false;

  /** `separators`: IFS, by which what is expanded without quotes is split; undefined: it is not split. */
  constructor(readonly separators: string | undefined) {}

  addLiteral(text: string): void {
    if (text === "") return;
    this.#open = true;
    this.#text += text;
    this.#escaped += text;
    this.#pattern ||= PATTERN.test(this.#escaped.length === text.length ? text : this.#escaped.replace(ESCAPED, ""));
  }

  addQuoted(text: string): void {
    this.#open = true;
    this.#text += text;
    this.#escaped += text === "" ? "" : escapePattern(text);
  }

  /** What an expansion without quotes gave: split here unless nothing is split. */
  addExpanded(text: string): void {
    if (this.separators === undefined || text === "") return this.addLiteral(text);
    this.#split(text, this.separators);
  }

  #split(text: string, separators: string): void {
    if (separators === "") return this.addLiteral(text);
    const blank = [...separators].filter((char) => " \t\n".includes(char)).join("");
    let at = 0;
    // Blanks at the start end a field that is open.
    const skipBlanks = () => {
      const start = at;
      while (at < text.length && blank.includes(text[at])) at++;
      return at > start;
    };
    if (skipBlanks()) this.breakOpen();
    while (at < text.length) {
      let end = at;
      while (end < text.length && !separators.includes(text[end])) end++;
      this.addLiteral(text.slice(at, end));
      if (end >= text.length) return;
      at = end;
      skipBlanks();
      if (at < text.length && separators.includes(text[at])) {
        at++;
        skipBlanks();
        this.breakField();
      } else this.breakOpen();
    }
  }

  /** Ends the field here; it counts even if it is empty. */
  breakField(): void {
    this.fields.push({ text: this.#text, escaped: this.#escaped, pattern: this.#pattern });
    this.#text = this.#escaped = "";
    this.#pattern = this.#open = false;
  }

  /** Ends the field if there is one. */
  breakOpen(): void {
    if (this.#open) this.breakField();
  }

  /** All text so far as one, where nothing is split. */
  get text(): string {
    return this.#text;
  }

  get escaped(): string {
    return this.#escaped;
  }
}
