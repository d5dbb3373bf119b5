/** The parts of a pattern: characters, `?`, `*`, sets and extended groups. */

export type Item =
  | { type: "char"; char: string }
  | { type: "any" }
  | { type: "star" }
  /** The source of a regular expression for one character. */
  | { type: "set"; source: string }
  | { type: "group"; operator: string; branches: Item[][] };

const CLASSES: Record<string, string> = {
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}\\p{N}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: " \\t\\n\\r\\f\\v",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`\\{-~\\p{P}\\p{S}",
  print: "\\x20-\\x7e\\u00a0-\\ud7ff\\ue000-\\u{10ffff}",
  graph: "\\x21-\\x7e\\u00a1-\\ud7ff\\ue000-\\u{10ffff}",
  cntrl: "\\x00-\\x1f\\x7f-\\x9f",
  xdigit: "0-9A-Fa-f",
  ascii: "\\x00-\\x7f",
  word: "\\p{L}\\p{N}_",
};

const ASCII_CLASSES: Record<string, string> = {
  ...CLASSES,
  alpha: "A-Za-z",
  alnum: "0-9A-Za-z",
  upper: "A-Z",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`\\{-~",
  print: "\\x20-\\x7e",
  graph: "\\x21-\\x7e",
  cntrl: "\\x00-\\x1f\\x7f",
  word: "0-9A-Za-z_",
};

const SPECIAL = /[\\^$.*+?()[\]{}|/]/;

/** A character in the source of a regular expression. */
export function escapeChar(char: string): string {
  return SPECIAL.test(char) ? `\\${char}` : char;
}

/** The same within a set, where a dash counts too. */
function escapeMember(char: string): string {
  return char === "-" ? "\\-" : escapeChar(char);
}

/** Reads a pattern; a backslash quotes the next character. */
export function parseItems(pattern: string, extglob: boolean, ascii = false): Item[] {
  return new ItemParser(pattern, extglob, ascii ? ASCII_CLASSES : CLASSES).parse("");
}

class ItemParser {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly extglob: boolean,
    private readonly classes: Record<string, string>,
  ) {}

  /** Reads up to one of these characters, which is not taken. */
  parse(until: string): Item[] {
    const { text } = this;
    const items: Item[] = [];
    let depth = 0;
    while (this.#at < text.length) {
      const char = this.#point();
      if (depth === 0 && until.includes(char)) break;
      if (this.extglob && "?*+@!".includes(char) && text[this.#at + 1] === "(") {
        const group = this.#group(char);
        if (group) {
          items.push(group);
          continue;
        }
      }
      this.#at += char.length;
      if (char === "*") items.push({ type: "star" });
      else if (char === "?") items.push({ type: "any" });
      else if (char === "[") items.push(this.#set() ?? { type: "char", char });
      else if (char === "\\" && this.#at < text.length) {
        const next = this.#point();
        this.#at += next.length;
        items.push({ type: "char", char: next });
      } else {
        // Parentheses without an operator are text, but they come in pairs.
        if (until !== "" && char === "(") depth++;
        if (char === ")") depth--;
        items.push({ type: "char", char });
      }
    }
    return items;
  }

  #point(): string {
    return String.fromCodePoint(this.text.codePointAt(this.#at) ?? 0);
  }

  #group(operator: string): Item | undefined {
    const start = this.#at;
    this.#at += 2;
    const branches: Item[][] = [];
    while (this.#at < this.text.length) {
      branches.push(this.parse("|)"));
      if (this.text[this.#at++] === ")") return { type: "group", operator, branches };
    }
    this.#at = start;
    return undefined;
  }

  /** Reads a set from after its bracket; undefined if it does not close. */
  #set(): Item | undefined {
    const start = this.#at;
    const negated = this.text[this.#at] === "!" || this.text[this.#at] === "^";
    if (negated) this.#at++;
    let source = "";
    for (let first = true;; first = false) {
      if (this.#at >= this.text.length) {
        this.#at = start;
        return undefined;
      }
      if (this.text[this.#at] === "]" && !first) break;
      source += this.#member();
    }
    this.#at++;
    if (source === "") return { type: "set", source: negated ? "[^]" : "[]" };
    return { type: "set", source: `[${negated ? "^" : ""}${source}]` };
  }

  #member(): string {
    const { text } = this;
    const [whole, name] = /^\[:(\w+):\]/.exec(text.slice(this.#at, this.#at + 16)) ?? [];
    if (whole !== undefined) {
      this.#at += whole.length;
      return this.classes[name] ?? "";
    }
    const low = this.#element();
    const [dash, after] = [text[this.#at], text[this.#at + 1]];
    if (dash !== "-" || after === "]" || after === undefined) return escapeMember(low);
    this.#at++;
    const high = this.#element();
    if ((low.codePointAt(0) ?? 0) > (high.codePointAt(0) ?? 0)) return "";
    return `${escapeMember(low)}-${escapeMember(high)}`;
  }

  /** One character: as it is, after a backslash, or as [.x.] or [=x=]. */
  #element(): string {
    const { text } = this;
    const [whole, , char] = /^\[([.=])([\s\S])\1\]/u.exec(text.slice(this.#at, this.#at + 8)) ?? [];
    if (whole !== undefined) {
      this.#at += whole.length;
      return char;
    }
    if (text[this.#at] === "\\" && this.#at + 1 < text.length) this.#at++;
    const point = this.#point();
    this.#at += point.length;
    return point;
  }
}

/** The items for matching from the end. */
export function reverseItems(items: Item[]): Item[] {
  return items.map((item) => item.type === "group" ? { ...item, branches: item.branches.map(reverseItems) } : item)
    .reverse();
}
