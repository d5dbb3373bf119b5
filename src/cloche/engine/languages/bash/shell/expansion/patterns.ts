/** Patterns as the shell has them: whole texts, beginnings, ends and what is within. */
import { escapeChar, type Item, parseItems, reverseItems } from "./pattern_items.ts";
import { Simulation } from "./simulate.ts";

export interface PatternOptions {
  /** `@(a|b)` and the like; on unless false. */
  extglob?: boolean;
  nocase?: boolean;
  /** Text and pattern are byte strings, in which only those of ASCII are letters. */
  bytes?: boolean;
}

/** All lengths are in JavaScript's characters; -1 means no match. */
export interface Matcher {
  match(text: string): boolean;
  /** How much of the beginning it matches. */
  prefix(text: string, longest: boolean): number;
  /** How much of the end it matches. */
  suffix(text: string, longest: boolean): number;
  /** The first place from `from` on where it matches, and the end of the longest match there. */
  find(text: string, from: number): { start: number; end: number } | undefined;
}

const CACHE_SIZE = 2048;
const cache = new Map<string, Matcher>();
/** A pattern with no more stars than this cannot make a regular expression slow. */
const MAX_STARS = 2;

/** A pattern made ready; a backslash in it quotes the next character. */
export function compilePattern(
  pattern: string,
  { extglob = true, nocase = false, bytes = false }: PatternOptions = {},
): Matcher {
  const key = `${extglob ? "e" : ""}${nocase ? "n" : ""}${bytes ? "b" : ""}:${pattern}`;
  const known = cache.get(key);
  if (known) return known;
  const matcher = makeMatcher(parseItems(pattern, extglob, bytes), nocase);
  if (cache.size >= CACHE_SIZE) {
    const [oldest] = cache.keys();
    cache.delete(oldest);
  }
  cache.set(key, matcher);
  return matcher;
}

function makeMatcher(items: Item[], nocase: boolean): Matcher {
  if (!nocase && items.every((item) => item.type === "char")) {
    return new TextMatcher(items.map(({ char }) => char).join(""));
  }
  const stars = items.filter(({ type }) => type === "star").length;
  const simple = stars <= MAX_STARS && !items.some(({ type }) => type === "group");
  return simple ? new RegexMatcher(items, nocase) : new PlaceMatcher(items, nocase);
}

/** A pattern that is only text. */
class TextMatcher implements Matcher {
  constructor(private readonly pattern: string) {}

  match(text: string): boolean {
    return text === this.pattern;
  }

  prefix(text: string): number {
    return text.startsWith(this.pattern) ? this.pattern.length : -1;
  }

  suffix(text: string): number {
    return text.endsWith(this.pattern) ? this.pattern.length : -1;
  }

  find(text: string, from: number): { start: number; end: number } | undefined {
    const start = text.indexOf(this.pattern, from);
    return start < 0 ? undefined : { start, end: start + this.pattern.length };
  }
}

/** Without groups and with few stars, JavaScript's own expressions are the quickest. */
class RegexMatcher implements Matcher {
  readonly #greedy: string;
  readonly #lazy: string;
  readonly #flags: string;
  readonly #made = new Map<string, RegExp>();

  constructor(items: Item[], nocase: boolean) {
    this.#greedy = items.map((item) => sourceOf(item, "[^]*")).join("");
    this.#lazy = items.map((item) => sourceOf(item, "[^]*?")).join("");
    this.#flags = nocase ? "ui" : "u";
  }

  #regex(source: string, flags = ""): RegExp {
    const known = this.#made.get(source);
    if (known) return known;
    const regex = new RegExp(source, this.#flags + flags);
    this.#made.set(source, regex);
    return regex;
  }

  match(text: string): boolean {
    return this.#regex(`^${this.#lazy}$`).test(text);
  }

  prefix(text: string, longest: boolean): number {
    return this.#regex(`^${longest ? this.#greedy : this.#lazy}`).exec(text)?.[0].length ?? -1;
  }

  suffix(text: string, longest: boolean): number {
    if (longest) return this.#regex(`${this.#lazy}$`).exec(text)?.[0].length ?? -1;
    return this.#regex(`^[^]*(${this.#lazy})$`).exec(text)?.[1].length ?? -1;
  }

  find(text: string, from: number): { start: number; end: number } | undefined {
    const regex = this.#regex(this.#greedy, "g");
    regex.lastIndex = from;
    const match = regex.exec(text);
    return match ? { start: match.index, end: match.index + match[0].length } : undefined;
  }
}

function sourceOf(item: Item, star: string): string {
  switch (item.type) {
    case "char":
      return escapeChar(item.char);
    case "any":
      return "[^]";
    case "set":
      return item.source;
    default:
      return star;
  }
}

/** Any pattern. */
class PlaceMatcher implements Matcher {
  readonly #simulation: Simulation;
  #reversed: Item[] | undefined;

  constructor(private readonly items: Item[], nocase: boolean) {
    this.#simulation = new Simulation(nocase);
  }

  match(text: string): boolean {
    const chars = [...text];
    return this.#simulation.run(this.items, chars, 0)[chars.length] === 1;
  }

  prefix(text: string, longest: boolean): number {
    const chars = [...text];
    const places = this.#simulation.run(this.items, chars, 0);
    return lengthOf(chars, 0, longest ? places.lastIndexOf(1) : places.indexOf(1));
  }

  suffix(text: string, longest: boolean): number {
    const chars = [...text].reverse();
    const places = this.#simulation.run(this.#reversed ??= reverseItems(this.items), chars, 0);
    return lengthOf(chars, 0, longest ? places.lastIndexOf(1) : places.indexOf(1));
  }

  find(text: string, from: number): { start: number; end: number } | undefined {
    const chars = [...text.slice(from)];
    let start = from;
    for (let at = 0; at <= chars.length; at++) {
      const end = this.#simulation.run(this.items, chars, at).lastIndexOf(1);
      if (end >= 0) return { start, end: start + lengthOf(chars, at, end) };
      start += chars[at]?.length ?? 0;
    }
    return undefined;
  }
}

/** The length of the text between two places. */
function lengthOf(chars: string[], from: number, to: number): number {
  if (to < 0) return -1;
  let length = 0;
  for (let i = from; i < to; i++) length += chars[i].length;
  return length;
}

/** What a quoted character is preceded by a backslash for. */
const SPECIAL = /[\\*?[\]()|!+@^:=.-]/g;

/** Text as a pattern that matches only that. */
export function escapePattern(text: string): string {
  return text.replace(SPECIAL, "\\$&");
}

/** Whether unquoted text has anything of a pattern in it. */
export function hasPattern(text: string, extglob: boolean): boolean {
  return /[*?[]/.test(text) || extglob && /[+@!]\(/.test(text);
}

/** A pattern without its backslashes, where it turned out to match nothing. */
export function unescapePattern(pattern: string): string {
  return pattern.replace(/\\([\s\S])/g, "$1");
}
