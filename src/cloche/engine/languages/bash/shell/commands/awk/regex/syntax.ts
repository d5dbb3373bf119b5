/** Extended regular expressions of POSIX with GNU's additions, as a tree. */
import { AwkError } from "../errors.ts";
import { readEscape } from "../program/escapes.ts";

export type Assertion = "start" | "end" | "word start" | "word end" | "boundary" | "no boundary";

export interface CharacterSet {
  kind: "set";
  negated: boolean;
  ranges: [first: number, last: number][];
  /** Named classes, such as "alpha". */
  classes: string[];
}

export type RegexNode =
  | { kind: "char"; code: number }
  | CharacterSet
  | { kind: "any" }
  | { kind: "assert"; what: Assertion }
  | { kind: "sequence"; items: RegexNode[] }
  | { kind: "choice"; items: RegexNode[] }
  | { kind: "repeat"; item: RegexNode; least: number; most: number }
  | { kind: "group"; item: RegexNode };

/** The classes of characters as parts of a JavaScript set. */
export const CLASSES: Record<string, string> = {
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}\\p{Nd}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: " \\t-\\r\\u2028\\u2029\\u3000",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`\\{-~\\p{P}\\p{S}",
  print: "\\x20-\\x7e\\u00a0-\\u{10ffff}",
  graph: "\\x21-\\x7e\\u00a1-\\u{10ffff}",
  cntrl: "\\x00-\\x1f\\x7f",
  xdigit: "0-9A-Fa-f",
};

const WORD: CharacterSet = { kind: "set", negated: false, ranges: [[95, 95]], classes: ["alnum"] };
const SPACE: CharacterSet = { kind: "set", negated: false, ranges: [], classes: ["space"] };
const ESCAPES: Record<string, RegexNode> = {
  y: { kind: "assert", what: "boundary" },
  B: { kind: "assert", what: "no boundary" },
  "<": { kind: "assert", what: "word start" },
  ">": { kind: "assert", what: "word end" },
  "`": { kind: "assert", what: "start" },
  "'": { kind: "assert", what: "end" },
  w: WORD,
  W: { ...WORD, negated: true },
  s: SPACE,
  S: { ...SPACE, negated: true },
};
const MOST_REPEATS = 32767;

/** The tree of an expression; throws an error that names what is wrong. */
export function parseRegex(source: string): RegexNode {
  return new RegexParser(source).run();
}

class RegexParser {
  #at = 0;
  #depth = 0;

  constructor(private readonly source: string) {}

  run(): RegexNode {
    return this.#choice();
  }

  #error(message: string): AwkError {
    return new AwkError(`invalid regexp: ${message}: /${this.source}/`);
  }

  #choice(): RegexNode {
    const items = [this.#sequence()];
    while (this.source[this.#at] === "|") {
      this.#at++;
      items.push(this.#sequence());
    }
    return items.length === 1 ? items[0] : { kind: "choice", items };
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = [];
    for (;;) {
      const char = this.source[this.#at];
      if (char === undefined || char === "|" || char === ")" && this.#depth > 0) break;
      const before = items.at(-1);
      const repeats = before !== undefined && before.kind !== "assert" ? this.#repeat() : undefined;
      if (before && repeats) items[items.length - 1] = { kind: "repeat", item: before, ...repeats };
      else this.#atom(items);
    }
    return items.length === 1 ? items[0] : { kind: "sequence", items };
  }

  #repeat(): { least: number; most: number } | undefined {
    const char = this.source[this.#at];
    if (char === "*" || char === "+" || char === "?") {
      this.#at++;
      return { least: char === "+" ? 1 : 0, most: char === "?" ? 1 : Infinity };
    }
    if (char !== "{") return undefined;
    const match = this.source.slice(this.#at).match(/^\{(\d*)(,?)(\d*)\}/);
    if (!match || match[1] === "" && match[3] === "") return undefined;
    const least = Number(match[1] || 0);
    const most = match[2] === "" ? least : match[3] === "" ? Infinity : Number(match[3]);
    if (most < least) throw this.#error("Invalid content of \\{\\}");
    if (least > MOST_REPEATS || most !== Infinity && most > MOST_REPEATS) {
      throw this.#error("Regular expression too big");
    }
    this.#at += match[0].length;
    return { least, most };
  }

  #atom(items: RegexNode[]): void {
    const code = this.source.codePointAt(this.#at) ?? 0;
    const char = String.fromCodePoint(code);
    this.#at += char.length;
    if (char === "(") items.push(this.#group());
    else if (char === "[") items.push(this.#set());
    else if (char === ".") items.push({ kind: "any" });
    else if (char === "^") items.push({ kind: "assert", what: "start" });
    else if (char === "$") items.push({ kind: "assert", what: "end" });
    else if (char === "\\") this.#escape(items);
    else items.push({ kind: "char", code });
  }

  #group(): RegexNode {
    this.#depth++;
    const item = this.#choice();
    if (this.source[this.#at] !== ")") throw this.#error("Unmatched ( or \\(");
    this.#at++;
    this.#depth--;
    return { kind: "group", item };
  }

  #escape(items: RegexNode[]): void {
    const char = this.source[this.#at];
    if (char === undefined) throw this.#error("Trailing backslash");
    const known = ESCAPES[char];
    if (known) {
      this.#at++;
      items.push(known);
      return;
    }
    for (const letter of this.#escapedText()) items.push({ kind: "char", code: letter.codePointAt(0) ?? 0 });
  }

  #escapedText(): string {
    const escape = readEscape(this.source, this.#at);
    this.#at = escape.end;
    return escape.text;
  }

  #set(): RegexNode {
    const set: CharacterSet = { kind: "set", negated: this.source[this.#at] === "^", ranges: [], classes: [] };
    if (set.negated) this.#at++;
    for (let first = true;; first = false) {
      const char = this.source[this.#at];
      if (char === undefined) throw this.#error("Unmatched [, [^, [:, [., or [=");
      if (char === "]" && !first) break;
      const named = this.source.slice(this.#at).match(/^\[:(\w*):\]/);
      if (named) {
        if (CLASSES[named[1]] === undefined) throw this.#error("Invalid character class name");
        set.classes.push(named[1]);
        this.#at += named[0].length;
        continue;
      }
      if (char === "\\" && "wWsS".includes(this.source[this.#at + 1] ?? "")) this.#classEscape(set);
      else this.#range(set);
    }
    this.#at++;
    return set;
  }

  #classEscape(set: CharacterSet): void {
    const letter = this.source[this.#at + 1];
    this.#at += 2;
    // In a set these letters stand for themselves.
    set.ranges.push([letter.charCodeAt(0), letter.charCodeAt(0)]);
  }

  #range(set: CharacterSet): void {
    const first = this.#setItem();
    if (this.source[this.#at] !== "-" || this.source[this.#at + 1] === "]" || this.#at + 1 >= this.source.length) {
      set.ranges.push([first, first]);
      return;
    }
    this.#at++;
    const last = this.#setItem();
    if (last < first) throw this.#error("Invalid range end");
    set.ranges.push([first, last]);
  }

  #setItem(): number {
    const collating = this.source.slice(this.#at).match(/^\[([.=])(.)\1\]/su);
    if (collating) {
      this.#at += collating[0].length;
      return collating[2].codePointAt(0) ?? 0;
    }
    if (this.source[this.#at] === "\\" && this.#at + 1 < this.source.length) {
      this.#at++;
      return this.#escapedText().codePointAt(0) ?? 0;
    }
    const code = this.source.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }
}
