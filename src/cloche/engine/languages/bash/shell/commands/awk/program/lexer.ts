/** The words of an awk program. */
import { AwkError } from "../errors.ts";
import { readEscape } from "./escapes.ts";

export type TokenKind =
  | "end"
  | "newline"
  | "number"
  | "string"
  | "name"
  | "function name"
  | "word"
  | "builtin"
  | "mark";

export interface Token {
  kind: TokenKind;
  /** The word, mark, name or text. */
  text: string;
  value: number;
  start: number;
  line: number;
}

const WORDS = new Set(
  ("BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile exit return delete in " +
    "getline print printf switch case default").split(" "),
);

export const BUILTINS = new Set(
  ("length substr index split patsplit sub gsub gensub match sprintf toupper tolower sin cos atan2 exp log sqrt int rand " +
    "srand system close fflush systime strftime mktime strtonum and or xor compl lshift rshift asort asorti isarray " +
    "typeof").split(" "),
);

const MARKS = [
  "**=",
  "&&",
  "||",
  "|&",
  "++",
  "--",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "^=",
  "**",
  "==",
  "<=",
  ">=",
  "!=",
  "!~",
  ">>",
];
const SINGLE = "{}()[];,+-*/%^!<>|?:~$=@";
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const NAME = /[A-Za-z_][A-Za-z_0-9]*/y;

/** Reads tokens one at a time; the parser says where a slash begins a regular expression. */
export class Lexer {
  #at = 0;
  #line = 1;
  readonly warnings: string[] = [];

  constructor(private readonly text: string, readonly source: string) {}

  get position(): { at: number; line: number } {
    return { at: this.#at, line: this.#line };
  }

  /** Continues at a place where it has been before. */
  set position({ at, line }: { at: number; line: number }) {
    [this.#at, this.#line] = [at, line];
  }

  next(): Token {
    this.#skipBlanks();
    const start = this.#at;
    const char = this.text[start];
    if (char === undefined) return this.#token("end", "", start);
    if (char === "\n") {
      const token = this.#token("newline", "newline", ++this.#at - 1);
      this.#line++;
      return token;
    }
    if (char === '"') return this.#string();
    if (/[0-9.]/.test(char)) return this.#number(start);
    if (/[A-Za-z_]/.test(char)) return this.#word(start);
    const mark = MARKS.find((item) => this.text.startsWith(item, start)) ?? (SINGLE.includes(char) ? char : undefined);
    if (mark === undefined) throw this.error(`syntax error: unexpected character '${char}'`, start);
    this.#at += mark.length;
    const usual = mark === "**" ? "^" : mark === "**=" ? "^=" : mark;
    return this.#token("mark", usual, start);
  }

  /** The regular expression whose first slash is at `start`. */
  regex(start: number): string {
    let source = "";
    let inBracket = false;
    for (let at = start + 1;; at++) {
      const char = this.text[at];
      if (char === undefined || char === "\n") throw this.error("unterminated regexp", start);
      if (char === "\\" && this.text[at + 1] !== undefined) {
        at++;
        if (this.text[at] === "\n") this.#line++;
        else source += this.text[at] === "/" ? "/" : `\\${this.text[at]}`;
        continue;
      }
      if (char === "/" && !inBracket) {
        this.#at = at + 1;
        return source;
      }
      source += char;
      if (inBracket) {
        const named = this.text.slice(at).match(/^\[([:.=])[^\]\n/]*\1\]/);
        if (named) {
          source += named[0].slice(1);
          at += named[0].length - 1;
        } else if (char === "]") inBracket = false;
      } else if (char === "[" && this.#closes(at)) {
        inBracket = true;
        // The first character of a set is never its end.
        const first = this.text.slice(at + 1).match(/^\^?\]|^\^/)?.[0] ?? "";
        source += first;
        at += first.length;
      }
    }
  }

  /** Whether the set that begins here ends on this line. */
  #closes(at: number): boolean {
    return /^\[\^?\]?(?:\\[^\n]|\[([:.=])[^\]\n]*\1\]|[^\]\\\n])*\]/.test(this.text.slice(at));
  }

  error(message: string, at = this.#at): AwkError {
    const begin = this.text.lastIndexOf("\n", at - 1) + 1;
    const end = this.text.indexOf("\n", at);
    const shown = this.text.slice(begin, end < 0 ? undefined : end);
    const where = `${this.source}:${this.#line}: `;
    const space = shown.slice(0, at - begin).replace(/[^\t]/g, " ");
    return new AwkError(`awk: ${where}${shown}\nawk: ${where}${space}^ ${message}`, true);
  }

  #skipBlanks(): void {
    for (;; this.#at++) {
      const char = this.text[this.#at];
      if (char === "#") {
        const end = this.text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.text.length : end;
        if (end < 0) return;
        this.#at--;
      } else if (char === "\\" && /^\\\r?\n/.test(this.text.slice(this.#at, this.#at + 3))) {
        this.#at = this.text.indexOf("\n", this.#at);
        this.#line++;
      } else if (char !== " " && char !== "\t" && char !== "\r" && char !== "\f" && char !== "\v") return;
    }
  }

  #token(kind: TokenKind, text: string, start: number, value = 0): Token {
    return { kind, text, value, start, line: this.#line };
  }

  #string(): Token {
    const start = this.#at++;
    let text = "";
    for (;;) {
      const char = this.text[this.#at];
      if (char === undefined || char === "\n") throw this.error("unterminated string", start);
      this.#at++;
      if (char === '"') break;
      if (char !== "\\") {
        text += char;
        continue;
      }
      if (this.text[this.#at] === "\n") {
        this.#at++;
        this.#line++;
        continue;
      }
      const escape = readEscape(this.text, this.#at);
      if (escape.unknown) this.#warn(escape.text);
      text += escape.text;
      this.#at = escape.end;
    }
    return this.#token("string", text, start);
  }

  #warn(char: string): void {
    const where = `${this.source}:${this.#line}`;
    const line = `awk: ${where}: warning: escape sequence \`\\${char}' treated as plain \`${char}'\n`;
    if (!this.warnings.includes(line)) this.warnings.push(line);
  }

  #number(start: number): Token {
    NUMBER.lastIndex = start;
    const word = NUMBER.exec(this.text)?.[0];
    if (word === undefined) throw this.error("syntax error", start);
    this.#at += word.length;
    const octal = /^0[0-7]+$/.test(word);
    return this.#token("number", word, start, octal ? parseInt(word, 8) : Number(word));
  }

  #word(start: number): Token {
    NAME.lastIndex = start;
    const text = NAME.exec(this.text)?.[0] ?? "";
    this.#at += text.length;
    if (WORDS.has(text)) return this.#token("word", text === "func" ? "function" : text, start);
    if (BUILTINS.has(text)) return this.#token("builtin", text, start);
    return this.#token(this.text[this.#at] === "(" ? "function name" : "name", text, start);
  }
}
