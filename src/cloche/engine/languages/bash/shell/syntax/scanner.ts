/** A place in a script's text: blanks, operators, aliases, here-documents that are still to be read. */
import type { RedirectionNode } from "./nodes.ts";

/** A script that cannot be read; `incomplete` says that more text might make it whole. */
export class ShellSyntaxError extends Error {
  override readonly name = "ShellSyntaxError";
  /** Whether reading goes on with the next line: a mistake in a list, or a name that is none. */
  recoverable = false;

  constructor(message: string, readonly line: number, readonly incomplete = false) {
    super(message);
  }
}

export interface ParseOptions {
  /** Looked at where a command begins. */
  aliases?: () => ReadonlyMap<string, string> | undefined;
  /** The number of the first line. */
  line?: number;
  /** Whether `!(…)` where a command begins is a pattern. */
  extglob?: boolean;
  /** Takes what is said about a text that can be read all the same. */
  warn?(text: string, line: number): void;
}

interface PendingDocument {
  /** Where it is announced. */
  line: number;
  node: RedirectionNode;
  delimiter: string;
  quoted: boolean;
  strip: boolean;
}

/** Operators, longest first. */
const OPERATORS = ["&>>", "<<<", "<<-", ";;&", "&&", "||", ";;", ";&", "|&", "&>", "<<", ">>", "<&", ">&", "<>", ">|"];
const SINGLE = ";&|()<>";
const META = /[\s;&|()<>]/;
const BARE = /[^\s;&|()<>'"\\$`]+/y;

export class Scanner {
  at = 0;
  line: number;
  readonly documents: PendingDocument[] = [];
  /** How many `$(` are open. */
  substitutions = 0;
  /** Aliases whose text is being read, with where that ends. */
  #expanding: { name: string; end: number }[] = [];
  /** From here on the next word is looked up too, since an alias ended with a blank. */
  #alsoAt = -1;

  constructor(public text: string, readonly options: ParseOptions = {}) {
    this.line = options.line ?? 1;
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  /** Skips blanks, joined lines and comments. */
  skipBlanks(): void {
    const { text } = this;
    for (;;) {
      const char = text[this.at];
      if (char === " " || char === "\t" || char === "\r" && text[this.at + 1] === "\n") this.at++;
      else if (char === "\\" && text[this.at + 1] === "\n") {
        this.at += 2;
        this.line++;
      } else if (char === "#") {
        const end = text.indexOf("\n", this.at);
        this.at = end < 0 ? text.length : end;
      } else return;
    }
  }

  /** Takes out a backslash with the end of its line, which joins lines even within an operator or a name. */
  join(at: number): boolean {
    if (this.text[at] !== "\\" || this.text[at + 1] !== "\n") return false;
    this.text = this.text.slice(0, at) + this.text.slice(at + 2);
    this.line++;
    for (const each of this.#expanding) if (each.end > at) each.end -= 2;
    if (this.#alsoAt > at) this.#alsoAt -= 2;
    return true;
  }

  /** What a sticky expression finds at a place, in lines that are joined. */
  match(expression: RegExp, at: number): RegExpExecArray | null {
    for (;;) {
      expression.lastIndex = at;
      const found = expression.exec(this.text);
      if (!this.join(at + (found?.[0].length ?? 0))) return found;
    }
  }

  /** The operator here ("" for a word, "\n" for a line's end, "end" at the end); the text is not left. */
  operator(): string {
    this.skipBlanks();
    if (this.ended) return "end";
    const char = this.text[this.at];
    if (char === "\n") return "\n";
    if (!SINGLE.includes(char)) return "";
    while (this.join(this.at + 1) || SINGLE.includes(this.text[this.at + 1]) && this.join(this.at + 2));
    if ((char === "<" || char === ">") && this.text[this.at + 1] === "(") return "";
    return OPERATORS.find((each) => this.text.startsWith(each, this.at)) ?? char;
  }

  /** Takes an operator if it is here. */
  take(operator: string): boolean {
    if (this.operator() !== operator) return false;
    this.at += operator.length;
    return true;
  }

  /** The word here if nothing in it is quoted or expanded. */
  bareWord(): string | undefined {
    this.skipBlanks();
    const [word] = this.match(BARE, this.at) ?? [];
    if (word === undefined) return undefined;
    const next = this.text[this.at + word.length];
    return next === undefined || META.test(next) ? word : undefined;
  }

  takeWord(word: string): boolean {
    if (this.bareWord() !== word) return false;
    this.at += word.length;
    return true;
  }

  /** Skips ends of lines; here-documents that were announced are read. */
  skipLines(): void {
    while (this.operator() === "\n") this.takeLine();
  }

  /** Leaves the rest of the line. */
  skipLine(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  /** Takes the end of a line, and the here-documents that begin after it. */
  takeLine(): void {
    this.at++;
    this.line++;
    for (const document of this.documents.splice(0)) this.#readDocument(document);
  }

  /** Replaced by the parser, which knows how to read text with expansions. */
  readBody: (body: string, quoted: boolean, line: number) => RedirectionNode["target"] = () => {
    throw new Error("no parser");
  };

  #readDocument({ node, delimiter, quoted, strip, line: announced }: PendingDocument): void {
    const lines: string[] = [];
    const first = this.line;
    let closed = false;
    while (!this.ended && !closed) {
      const end = this.text.indexOf("\n", this.at);
      const raw = this.text.slice(this.at, end < 0 ? undefined : end);
      this.at = end < 0 ? this.text.length : end + 1;
      this.line++;
      lines.push(strip ? raw.replace(/^\t+/, "") : raw);
      if (!quoted) this.#joinLast(lines);
      const line = lines[lines.length - 1];
      closed = line === delimiter || raw === delimiter;
      if (closed) lines.pop();
      else if (this.substitutions > 0 && line.startsWith(`${delimiter})`) && raw.endsWith(line)) {
        // As bash has it, `EOF)` ends both the document and the substitution.
        lines.pop();
        this.at -= line.length - delimiter.length + (end < 0 ? 0 : 1);
        this.line--;
        break;
      }
    }
    if (!closed) {
      const found = `here-document at line ${announced} delimited by end-of-file (wanted \`${delimiter}')`;
      this.options.warn?.(`warning: ${found}`, this.ended ? this.line - 1 : this.line);
    }
    const body = lines.map((line) => `${line}\n`).join("");
    node.target = this.readBody(body, quoted, first);
    node.closed = closed;
  }

  #joinLast(lines: string[]): void {
    while ((lines[lines.length - 1].match(/\\+$/)?.[0].length ?? 0) % 2 === 1 && !this.ended) {
      const end = this.text.indexOf("\n", this.at);
      const raw = this.text.slice(this.at, end < 0 ? undefined : end);
      this.at = end < 0 ? this.text.length : end + 1;
      this.line++;
      lines[lines.length - 1] = lines[lines.length - 1].slice(0, -1) + raw;
    }
  }

  /** Puts an alias' text in its place if the word here is one; `first` says that a command begins here. */
  expandAlias(first: boolean): boolean {
    const aliases = this.options.aliases?.();
    if (!aliases || aliases.size === 0) return false;
    this.skipBlanks();
    if (!first && !this.#follows()) return false;
    const word = this.bareWord();
    const value = word === undefined ? undefined : aliases.get(word);
    if (word === undefined || value === undefined) return false;
    this.#expanding = this.#expanding.filter(({ end }) => this.at < end);
    if (this.#expanding.some(({ name }) => name === word)) return false;
    const rest = this.text.slice(this.at + word.length);
    const grown = value.length - word.length;
    for (const each of this.#expanding) each.end += grown;
    this.#expanding.push({ name: word, end: this.at + value.length });
    this.text = this.text.slice(0, this.at) + value + rest;
    this.#alsoAt = /[ \t]$/.test(value) ? this.at + value.length : -1;
    return true;
  }

  /** Whether only blanks are between here and an alias that ended with one. */
  #follows(): boolean {
    return this.#alsoAt >= 0 && this.at >= this.#alsoAt &&
      /^(?:[ \t]|\\\n)*$/.test(this.text.slice(this.#alsoAt, this.at));
  }

  error(message: string, incomplete = false): never {
    throw new ShellSyntaxError(message, this.line, incomplete);
  }

  /** The error for what is here. */
  unexpected(): never {
    const operator = this.operator();
    if (operator === "end") this.error("syntax error: unexpected end of file", true);
    const token = operator === "\n" ? "newline" : operator || (this.bareWord() ?? this.#rawWord());
    return this.error(`syntax error near unexpected token \`${token}'`);
  }

  #rawWord(): string {
    return /^\S+/.exec(this.text.slice(this.at))?.[0] ?? "";
  }

  unclosed(quote: string, line = this.line): never {
    throw new ShellSyntaxError(`unexpected EOF while looking for matching \`${quote}'`, line, true);
  }
}
