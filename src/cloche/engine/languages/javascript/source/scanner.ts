/** Splits JavaScript into tokens, as far as is needed to find its top level. */

type Kind = "word" | "number" | "string" | "template" | "regex" | "mark";

export interface Token {
  kind: Kind;
  text: string;
  start: number;
  end: number;
  /** How many brackets, braces and parentheses are open around it. */
  depth: number;
  /** Whether it is the first of its line. */
  fresh: boolean;
}

interface Scanned {
  tokens: Token[];
  /** What is open at the end, innermost last: brackets, or a quote for an unfinished string. */
  open: string[];
  /** Where the innermost of it begins. */
  since: number | null;
}

interface Open {
  mark: string;
  at: number;
  /** Whether a `/` after it begins a regular expression. */
  regex: boolean;
}

const SPACE = /[\s\uFEFF]+/y;
const COMMENT = /\/\/[^\n\u2028\u2029]*|\/\*[^]*?\*\/|#![^\n]*/y;
const UNENDED = /\/\*/y;
const WORD = /[#@]?(?:[\p{ID_Start}$_]|\\u)(?:[\p{ID_Continue}$\u200c\u200d]|\\u\{?[0-9a-fA-F]+\}?)*/uy;
const NUMBER = /(?:0[xXoObB][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?n?)/y;
const STRING = /"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[\p{ID_Continue}$]*/uy;
const MARK =
  />>>=|\.\.\.|\*\*=|===|!==|>>>|<<=|>>=|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[^]/y;
const TEMPLATE = /(?:[^`\\$]|\\[^]|\$(?!\{))*(`|\$\{)?/y;

/** Words that are followed by a value, so that a `/` begins a regular expression. */
const OPERATORS = new Set(
  "return typeof case in of delete void throw new do else instanceof yield await extends default".split(" "),
);
const HEADS = new Set(["if", "while", "for", "with"]);
const CLOSING: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

export function scanSource(code: string): Scanned {
  return new Scanner(code).scan();
}

/** Whether a token can be the last of an expression. */
export function endsValue(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === "word") return !OPERATORS.has(token.text);
  if (token.kind === "mark") return [")", "]", "}", "++", "--"].includes(token.text);
  return true;
}

class Scanner {
  readonly #tokens: Token[] = [];
  readonly #open: Open[] = [];
  #at = 0;
  #fresh = true;
  /** Whether a `/` would begin a regular expression. */
  #regex = true;

  constructor(private readonly code: string) {}

  scan(): Scanned {
    while (this.#at < this.code.length) if (!this.#skip() && !this.#token()) break;
    const since = this.#open.at(-1)?.at ?? null;
    return { tokens: this.#tokens, open: this.#open.map(({ mark }) => mark), since };
  }

  #skip(): boolean {
    const found = this.#match(SPACE) ?? this.#match(COMMENT);
    if (found === undefined) return false;
    if (found.includes("\n")) this.#fresh = true;
    return true;
  }

  /** False if it is not closed. */
  #token(): boolean {
    const start = this.#at;
    if (this.#match(UNENDED) !== undefined) return this.#endless("/*", start);
    const char = this.code[start];
    if (char === "`") return this.#template(start);
    if (char === "}" && this.#open.at(-1)?.mark === "${") {
      this.#open.pop();
      return this.#template(start);
    }
    const text = this.#match(WORD);
    if (text !== undefined) return this.#word(text, start);
    if (/[\d.]/.test(char) && this.#match(NUMBER) !== undefined) return this.#add("number", start, false);
    const string = this.#match(STRING);
    if (string !== undefined) {
      this.#add("string", start, false);
      return string.length > 1 && string.endsWith(char) || this.#endless(char, start);
    }
    if (this.#regex && char === "/" && this.#match(REGEX) !== undefined) return this.#add("regex", start, false);
    this.#match(MARK);
    return this.#mark(this.code.slice(start, this.#at), start);
  }

  #word(text: string, start: number): boolean {
    const before = this.#tokens.at(-1)?.text;
    return this.#add("word", start, OPERATORS.has(text) && before !== "." && before !== "?.");
  }

  #mark(text: string, start: number): boolean {
    if (text === "(" || text === "[" || text === "{") return this.#begin(text, start);
    if (text in CLOSING) {
      const index = this.#open.findLastIndex(({ mark }) => mark === CLOSING[text]);
      const regex = index >= 0 && this.#open[index].regex;
      if (index >= 0) this.#open.length = index;
      return this.#add("mark", start, regex);
    }
    const value = (text === "++" || text === "--") && !this.#regex;
    return this.#add("mark", start, !value);
  }

  #begin(text: string, start: number): boolean {
    const before = this.#tokens.at(-1);
    const head = text === "(" && before?.kind === "word" && HEADS.has(before.text);
    // Braces after an operator are an object, which is a value; others are blocks.
    const block = text === "{" &&
      (!this.#regex || before === undefined || [";", "{", "}", "=>", ")"].includes(before.text) ||
        ["else", "do"].includes(before.text));
    this.#add("mark", start, true);
    this.#open.push({ mark: text, at: start, regex: head || block });
    return true;
  }

  #template(start: number): boolean {
    if (this.code[this.#at] === "`" || this.code[this.#at] === "}") this.#at++;
    const text = this.#match(TEMPLATE) ?? "";
    this.#add("template", start, text.endsWith("${"));
    if (text.endsWith("${")) this.#open.push({ mark: "${", at: this.#at - 2, regex: false });
    else if (!text.endsWith("`")) return this.#endless("`", start);
    return true;
  }

  #endless(mark: string, at: number): false {
    this.#open.push({ mark, at, regex: false });
    return false;
  }

  #add(kind: Kind, start: number, regex: boolean): true {
    const text = this.code.slice(start, this.#at);
    this.#tokens.push({ kind, text, start, end: this.#at, depth: this.#open.length, fresh: this.#fresh });
    this.#fresh = false;
    this.#regex = regex;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.code)?.[0];
    if (found === undefined || found === "") return undefined;
    this.#at += found.length;
    return found;
  }
}
