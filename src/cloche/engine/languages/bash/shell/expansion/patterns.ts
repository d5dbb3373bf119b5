/** Patterns: `*`, `?`, `[…]` and, always here, `@(…)` and its like. Escaped characters match themselves. */

export interface PatternOptions {
  nocase?: boolean;
  extglob?: boolean;
}

export interface Matcher {
  match(text: string): boolean;
  /** The length of the longest or shortest prefix that matches; -1 if none does. */
  prefix(text: string, longest: boolean): number;
  /** Where the longest or shortest suffix that matches begins; -1 if none does. */
  suffix(text: string, longest: boolean): number;
  /** For replacing: finds the longest match from each place on. */
  readonly source: string;
  readonly flags: string;
}

const CACHE_SIZE = 1024;
const cache = new Map<string, Matcher>();

export function compilePattern(pattern: string, options: PatternOptions = {}): Matcher {
  const key = `${options.nocase ? "i" : ""}/${pattern}`;
  const known = cache.get(key);
  if (known) return known;
  const made = new RegexMatcher(pattern, options.nocase ? "sui" : "su");
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, made);
  return made;
}

class RegexMatcher implements Matcher {
  readonly source: string;
  readonly #whole: RegExp;
  readonly #literal: string | undefined;
  readonly #lazy: string;

  constructor(pattern: string, readonly flags: string) {
    this.#literal = flags === "su" ? literalOf(pattern) : undefined;
    this.source = toRegex(pattern, true);
    this.#lazy = toRegex(pattern, false);
    this.#whole = new RegExp(`^(?:${this.source})$`, flags);
  }

  match(text: string): boolean {
    return this.#literal === undefined ? this.#whole.test(text) : text === this.#literal;
  }

  prefix(text: string, longest: boolean): number {
    const found = new RegExp(`^(?:${longest ? this.source : this.#lazy})`, this.flags).exec(text);
    return found ? found[0].length : -1;
  }

  suffix(text: string, longest: boolean): number {
    if (longest) {
      const found = new RegExp(`(?:${this.source})$`, this.flags).exec(text);
      return found ? found.index : -1;
    }
    const found = new RegExp(`^(.*)(?:${this.source})$`, this.flags).exec(text);
    return found ? found[1].length : -1;
  }
}

function literalOf(pattern: string): string | undefined {
  if (/[*?[]|[+@!]\(/.test(pattern.replace(/\\[^]/g, ""))) return undefined;
  return pattern.replace(/\\([^])/g, "$1");
}

const CLASSES: Record<string, string> = {
  alnum: "\\p{L}\\p{N}",
  alpha: "\\p{L}",
  ascii: "\\x00-\\x7f",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e\\u00a1-\\u{10ffff}",
  lower: "\\p{Ll}",
  print: "\\x20-\\x7e\\u00a0-\\u{10ffff}",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "\\p{Lu}",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/** A pattern as a regular expression for the flags `su`. */
function toRegex(pattern: string, greedy: boolean): string {
  let regex = "";
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at];
    if (pattern[at + 1] === "(" && "?*+@!".includes(char)) {
      const end = closing(pattern, at + 1);
      if (end > 0) {
        const rest = pattern.slice(end + 1);
        regex += group(char, splitBars(pattern.slice(at + 2, end)), rest, greedy);
        at = end + 1;
        continue;
      }
    }
    if (char === "*") {
      while (pattern[at + 1] === "*" && pattern[at + 2] !== "(") at++;
      regex += greedy ? ".*" : ".*?";
      at++;
    } else if (char === "?") {
      regex += ".";
      at++;
    } else if (char === "[") {
      const set = parseSet(pattern, at);
      regex += set ? set.regex : "\\[";
      at = set ? set.end : at + 1;
    } else {
      if (char === "\\" && at + 1 < pattern.length) at++;
      const point = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
      regex += quote(point);
      at += point.length;
    }
  }
  return regex;
}

function quote(char: string): string {
  return /[\\^$.|?*+()[\]{}\/]/.test(char) ? `\\${char}` : char;
}

function closing(pattern: string, open: number): number {
  for (let at = open, depth = 0; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "(") depth++;
    else if (pattern[at] === ")" && --depth === 0) return at;
  }
  return -1;
}

function splitBars(text: string): string[] {
  const parts = [""];
  for (let at = 0, depth = 0; at < text.length; at++) {
    if (text[at] === "\\") {
      parts[parts.length - 1] += text.slice(at, at + 2);
      at++;
      continue;
    }
    if (text[at] === "(") depth++;
    else if (text[at] === ")") depth--;
    if (text[at] === "|" && depth === 0) parts.push("");
    else parts[parts.length - 1] += text[at];
  }
  return parts;
}

function group(kind: string, alternatives: string[], rest: string, greedy: boolean): string {
  const inner = alternatives.map((each) => toRegex(each, greedy)).join("|");
  const lazy = greedy ? "" : "?";
  if (kind === "@") return `(?:${inner})`;
  if (kind === "!") return `(?:(?!(?:${inner})(?:${toRegex(rest, true)})$).*${lazy})`;
  return `(?:${inner})${kind}${lazy}`;
}

/** `[…]`; undefined if it is not closed. */
function parseSet(pattern: string, start: number): { regex: string; end: number } | undefined {
  let at = start + 1;
  const negated = pattern[at] === "!" || pattern[at] === "^";
  if (negated) at++;
  let items = "";
  for (let first = true; at < pattern.length; first = false) {
    const char = pattern[at];
    if (char === "]" && !first) {
      const regex = items === "" ? (negated ? "." : "(?!)") : `[${negated ? "^" : ""}${items}]`;
      return { regex, end: at + 1 };
    }
    const [named, name] = /^\[[:=.]([^\]]*?)[:=.]\]/.exec(pattern.slice(at)) ?? [];
    if (named !== undefined) {
      items += named[1] === ":" ? CLASSES[name] ?? "" : quoteItem(name);
      at += named.length;
      continue;
    }
    if (char === "\\" && at + 1 < pattern.length) at++;
    const low = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    at += low.length;
    if (pattern[at] === "-" && pattern[at + 1] !== "]" && at + 1 < pattern.length) {
      let next = at + 1;
      if (pattern[next] === "\\") next++;
      const high = String.fromCodePoint(pattern.codePointAt(next) ?? 0);
      at = next + high.length;
      if ((low.codePointAt(0) ?? 0) <= (high.codePointAt(0) ?? 0)) items += `${quoteItem(low)}-${quoteItem(high)}`;
    } else items += quoteItem(low);
  }
  return undefined;
}

function quoteItem(char: string): string {
  return /[\\\]\[^\-&~!#$%*+,.:;<=>?@`{|}()\/]/.test(char) ? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}` : char;
}
