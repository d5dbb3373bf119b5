/** Basic and extended regular expressions of POSIX with GNU's additions, as a tree. */

/** What is wrong with an expression, in GNU's words. */
export class RegexError extends Error {}

export type Assertion =
  | "start"
  | "end"
  | "line start"
  | "line end"
  | "word start"
  | "word end"
  | "boundary"
  | "no boundary";

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
  | { kind: "reference"; group: number }
  | { kind: "sequence"; items: RegexNode[] }
  | { kind: "choice"; items: RegexNode[] }
  | { kind: "repeat"; item: RegexNode; least: number; most: number }
  | { kind: "group"; item: RegexNode };

export interface SyntaxOptions {
  extended: boolean;
  /** `^` and `$` match at every line. */
  multiline?: boolean;
  /** `\n`, `\t`, `\x41` and the like, as sed has them. */
  escapes?: boolean;
  /** awk's own: what the text after a backslash stands for. `\\y` is a word's edge then, and `^*` has a plain star. */
  readEscape?(source: string, at: number): { text: string; end: number };
}

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
  b: { kind: "assert", what: "boundary" },
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
const CONTROLS: Record<string, number> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const MOST_REPEATS = 32767;

/** An escape for one character, as in `\x41`, at the backslash; undefined if it is none. */
export function readCharacterEscape(text: string, at: number): { code: number; length: number } | undefined {
  const letter = text[at + 1];
  if (letter in CONTROLS) return { code: CONTROLS[letter], length: 2 };
  const [number] = /^(?:d\d{3}|o[0-7]{3}|x[0-9a-fA-F]{1,2})/.exec(text.slice(at + 1, at + 5)) ?? [];
  if (number !== undefined) {
    const base = letter === "d" ? 10 : letter === "o" ? 8 : 16;
    return { code: parseInt(number.slice(1), base) & 255, length: 1 + number.length };
  }
  if (letter === "c" && at + 2 < text.length) return { code: text[at + 2].toUpperCase().charCodeAt(0) ^ 64, length: 3 };
  return undefined;
}

/** The tree of an expression; throws an error that says what is wrong. */
export function parseRegex(source: string, options: SyntaxOptions): { tree: RegexNode; groups: number } {
  const parser = new RegexParser(source, options);
  return { tree: parser.run(), groups: parser.groups };
}

class RegexParser {
  groups = 0;
  readonly #closed = new Set<number>();
  #at = 0;
  #depth = 0;

  constructor(private readonly source: string, private readonly options: SyntaxOptions) {}

  run(): RegexNode {
    const tree = this.#choice();
    if (this.#at < this.source.length) throw new RegexError("Unmatched ) or \\)");
    return tree;
  }

  get #repeatsEdges(): boolean {
    return this.options.extended && !this.options.readEscape;
  }

  /** Whether an operator such as `(` stands here; basic expressions have a backslash before it. */
  #sees(operator: string): boolean {
    return this.source.startsWith(this.options.extended ? operator : `\\${operator}`, this.#at);
  }

  #skip(operator: string): void {
    this.#at += this.options.extended ? operator.length : operator.length + 1;
  }

  #choice(): RegexNode {
    const items = [this.#sequence()];
    while (this.#sees("|")) {
      this.#skip("|");
      items.push(this.#sequence());
    }
    return items.length === 1 ? items[0] : { kind: "choice", items };
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (this.#at < this.source.length && !this.#sees("|")) {
      if (this.#sees(")") && (this.#depth > 0 || !this.options.extended)) break;
      const before = items.at(-1);
      const isAtom = before !== undefined && (before.kind !== "assert" || this.#repeatsEdges);
      const repeats = this.#repeat(isAtom);
      if (repeats === undefined) this.#atom(items);
      else if (before && before.kind !== "assert") {
        items[items.length - 1] = { kind: "repeat", item: before, ...repeats };
      }
    }
    return items.length === 1 ? items[0] : { kind: "sequence", items };
  }

  /** How often the item before is repeated. Where nothing stands before it, a sign is a character. */
  #repeat(follows: boolean): { least: number; most: number } | undefined {
    const { source } = this;
    if (source[this.#at] === "*") {
      if (!follows) return undefined;
      this.#at++;
      return { least: 0, most: Infinity };
    }
    for (const sign of ["+", "?"]) {
      if (!this.#sees(sign) || !follows) continue;
      this.#skip(sign);
      return { least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
    }
    return this.#sees("{") ? this.#interval(follows) : undefined;
  }

  #interval(follows: boolean): { least: number; most: number } | undefined {
    const { extended } = this.options;
    const rest = this.source.slice(this.#at);
    const match = (extended ? /^\{(\d*)(,?)(\d*)\}/ : /^\\\{(\d*)(,?)(\d*)\\\}/).exec(rest);
    if (!match || match[1] === "" && match[3] === "" && (match[2] === "" || this.options.readEscape)) {
      if (extended) return undefined;
      throw new RegexError(rest.includes("\\}") ? "Invalid content of \\{\\}" : "Unmatched \\{");
    }
    if (!follows) {
      if (extended) return undefined;
      throw new RegexError("Invalid preceding regular expression");
    }
    const least = Number(match[1] || 0);
    const most = match[2] === "" ? least : match[3] === "" ? Infinity : Number(match[3]);
    if (most < least) throw new RegexError("Invalid content of \\{\\}");
    if (least > MOST_REPEATS || most !== Infinity && most > MOST_REPEATS) {
      throw new RegexError("Regular expression too big");
    }
    this.#at += match[0].length;
    return { least, most };
  }

  #atom(items: RegexNode[]): void {
    if (this.#sees("(")) {
      items.push(this.#group());
      return;
    }
    const code = this.source.codePointAt(this.#at) ?? 0;
    const char = String.fromCodePoint(code);
    if (char === "^" && this.#startsHere(items)) items.push(this.#edge("start", "line start"));
    else if (char === "$" && this.#endsHere()) items.push(this.#edge("end", "line end"));
    else if (char === "\\") return this.#escape(items);
    else if (char === "[") {
      this.#at++;
      items.push(this.#set());
      return;
    } else if (char === ".") items.push({ kind: "any" });
    else items.push({ kind: "char", code });
    this.#at += char.length;
  }

  #edge(whole: Assertion, line: Assertion): RegexNode {
    return { kind: "assert", what: this.options.multiline ? line : whole };
  }

  #startsHere(items: RegexNode[]): boolean {
    return this.options.extended || items.length === 0;
  }

  #endsHere(): boolean {
    return this.options.extended || /^\$(?:$|\\[)|])/.test(this.source.slice(this.#at));
  }

  #group(): RegexNode {
    this.#skip("(");
    const number = ++this.groups;
    this.#depth++;
    const item = this.#choice();
    if (!this.#sees(")")) throw new RegexError("Unmatched ( or \\(");
    this.#skip(")");
    this.#depth--;
    this.#closed.add(number);
    return { kind: "group", item };
  }

  #escape(items: RegexNode[]): void {
    const char = this.source[this.#at + 1];
    if (char === undefined) throw new RegexError("Trailing backslash");
    if (this.options.readEscape) return this.#escapeByCaller(items, this.options.readEscape);
    const known = ESCAPES[char];
    if (known) items.push(known);
    else if (/[1-9]/.test(char)) {
      if (!this.#closed.has(Number(char))) throw new RegexError("Invalid back reference");
      items.push({ kind: "reference", group: Number(char) });
    } else {
      const escape = this.options.escapes ? readCharacterEscape(this.source, this.#at) : undefined;
      if (escape) {
        items.push({ kind: "char", code: escape.code });
        this.#at += escape.length;
        return;
      }
      const code = this.source.codePointAt(this.#at + 1) ?? 0;
      items.push({ kind: "char", code });
      if (code > 0xffff) this.#at++;
    }
    this.#at += 2;
  }

  #escapeByCaller(items: RegexNode[], read: NonNullable<SyntaxOptions["readEscape"]>): void {
    const char = this.source[this.#at + 1];
    const known = char === "y" ? ESCAPES.b : char === "b" ? undefined : ESCAPES[char];
    if (known) {
      items.push(known);
      this.#at += 2;
      return;
    }
    const { text, end } = read(this.source, this.#at + 1);
    for (const letter of text) items.push({ kind: "char", code: letter.codePointAt(0) ?? 0 });
    this.#at = end;
  }

  #set(): RegexNode {
    const set: CharacterSet = { kind: "set", negated: this.source[this.#at] === "^", ranges: [], classes: [] };
    if (set.negated) this.#at++;
    for (let first = true;; first = false) {
      const char = this.source[this.#at];
      if (char === undefined) throw new RegexError("Unmatched [, [^, [:, [., or [=");
      if (char === "]" && !first) break;
      const named = /^\[:(\w*):\]/.exec(this.source.slice(this.#at, this.#at + 16));
      if (!named) {
        this.#range(set);
        continue;
      }
      if (CLASSES[named[1]] === undefined) throw new RegexError("Invalid character class name");
      set.classes.push(named[1]);
      this.#at += named[0].length;
    }
    this.#at++;
    return set;
  }

  #range(set: CharacterSet): void {
    const first = this.#setItem();
    if (this.source[this.#at] !== "-" || this.source[this.#at + 1] === "]" || this.#at + 1 >= this.source.length) {
      set.ranges.push([first, first]);
      return;
    }
    this.#at++;
    const last = this.#setItem();
    if (last < first) throw new RegexError("Invalid range end");
    set.ranges.push([first, last]);
  }

  #setItem(): number {
    const collating = /^\[([.=])(.)\1\]/su.exec(this.source.slice(this.#at, this.#at + 8));
    if (collating) {
      this.#at += collating[0].length;
      return collating[2].codePointAt(0) ?? 0;
    }
    if (this.source[this.#at] === "\\" && this.options.readEscape && this.#at + 1 < this.source.length) {
      const letter = this.source[this.#at + 1];
      // In a set these letters stand for themselves.
      const { text, end } = "wWsS".includes(letter)
        ? { text: letter, end: this.#at + 2 }
        : this.options.readEscape(this.source, this.#at + 1);
      this.#at = end;
      return text.codePointAt(0) ?? 0;
    }
    if (this.source[this.#at] === "\\" && this.options.escapes) {
      const escape = readCharacterEscape(this.source, this.#at);
      if (escape) {
        this.#at += escape.length;
        return escape.code;
      }
    }
    const code = this.source.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }
}
