/** A compiled regular expression: tests texts and finds the first longest match, by the quickest way that is right. */
import { Automaton } from "./automaton.ts";
import { parseRegex, type RegexNode, type SyntaxOptions } from "./syntax.ts";
import { failsQuickly, findsLongest, hasReference, literalText, translate } from "./translation.ts";

/** Where a match is, and what its groups have matched. */
export interface Match {
  start: number;
  end: number;
  groups: (string | undefined)[];
}

/** What grep, sed and others need of an expression, whatever its syntax. */
export interface Matcher {
  /** How many groups it has. */
  readonly groups: number;
  test(text: string): boolean;
  /** The first match that begins at `from` or later. */
  find(text: string, from: number): Match | undefined;
}

export interface RegexOptions extends SyntaxOptions {
  ignoreCase?: boolean;
  /** The whole line or a whole word must match. */
  whole?: "line" | "word";
}

/** Texts longer than this are first tested whether they match at all. */
const LONG = 1000;
const NO_GROUPS: (string | undefined)[] = [];

/** An expression that is only text. */
class TextMatcher implements Matcher {
  readonly groups = 0;

  constructor(private readonly text: string) {}

  test(text: string): boolean {
    return text.includes(this.text);
  }

  find(text: string, from: number): Match | undefined {
    const start = text.indexOf(this.text, from);
    return start < 0 ? undefined : { start, end: start + this.text.length, groups: NO_GROUPS };
  }
}

/** An expression for which JavaScript's answers are right. */
export class NativeMatcher implements Matcher {
  readonly #tester: RegExp;
  readonly #finder: RegExp;

  constructor(source: string, flags: string, readonly groups: number) {
    this.#tester = new RegExp(source, flags);
    this.#finder = new RegExp(source, `${flags}g`);
  }

  test(text: string): boolean {
    return this.#tester.test(text);
  }

  find(text: string, from: number): Match | undefined {
    this.#finder.lastIndex = from;
    const match = this.#finder.exec(text);
    if (match === null) return undefined;
    const kept = match.groups?.kept__;
    const start = match.index + (kept?.length ?? 0);
    return { start, end: match.index + match[0].length, groups: match.length > 1 ? match.slice(1) : NO_GROUPS };
  }
}

/** An expression with alternatives of different lengths, of which the longest is wanted. */
class LongestMatcher implements Matcher {
  #automaton: Automaton | undefined;
  #searching: Automaton | undefined;
  #grouping: RegExp | undefined;
  readonly #tester: RegExp | undefined;

  constructor(private readonly tree: RegexNode, private readonly ignoreCase: boolean, readonly groups: number) {
    if (failsQuickly(tree)) this.#tester = new RegExp(translate(tree, false), ignoreCase ? "sui" : "su");
  }

  test(text: string): boolean {
    return this.#tester ? this.#tester.test(text) : this.#matchesAfter(text, 0);
  }

  find(text: string, from: number): Match | undefined {
    if (text.length > LONG && !this.#matchesAfter(text, from)) return undefined;
    this.#automaton ??= new Automaton(this.tree, this.ignoreCase);
    for (let start = from; start <= text.length; start++) {
      const end = this.#automaton.matchAt(text, start);
      if (end >= 0) return { start, end, groups: this.groups > 0 ? this.#groupsOf(text, start, end) : NO_GROUPS };
      if (isPair(text, start)) start++;
    }
    return undefined;
  }

  #groupsOf(text: string, start: number, end: number): (string | undefined)[] {
    this.#grouping ??= new RegExp(`(?:${translate(this.tree, true)})$`, this.ignoreCase ? "suiy" : "suy");
    this.#grouping.lastIndex = start;
    // All of the match and no more: the text is cut where the match ends.
    return this.#grouping.exec(text.slice(0, end))?.slice(1) ?? NO_GROUPS;
  }

  #matchesAfter(text: string, from: number): boolean {
    this.#searching ??= new Automaton(this.tree, this.ignoreCase, true);
    return this.#searching.matchesAfter(text, from);
  }
}

function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length;
}

/** Makes an expression ready; throws a RegexError if it is none. */
export function compileRegex(source: string, options: RegexOptions): Matcher {
  const { tree, groups } = parseRegex(source, options);
  return compileTree(tree, groups, options);
}

/** One expression that matches where any of several does. */
export function compileAny(sources: string[], options: RegexOptions): Matcher {
  if (sources.length === 1) return compileRegex(sources[0], options);
  const parts = sources.map((source) => parseRegex(source, options));
  if (parts.some(({ tree }) => hasReference(tree))) return new AnyMatcher(sources.map((s) => compileRegex(s, options)));
  const groups = parts.reduce((sum, part) => sum + part.groups, 0);
  return compileTree({ kind: "choice", items: parts.map(({ tree }) => tree) }, groups, options);
}

function compileTree(tree: RegexNode, groups: number, { ignoreCase = false, whole }: RegexOptions): Matcher {
  const text = ignoreCase ? undefined : literalText(tree);
  if (text !== undefined && whole === undefined) return new TextMatcher(text);
  const wrapped = whole === "line" ? wrapLine(tree) : tree;
  const flags = ignoreCase ? "sui" : "su";
  if (whole === "word") return new NativeMatcher(wrapWord(translate(tree, true)), flags, groups);
  if (hasReference(tree) || failsQuickly(wrapped) && findsLongest(wrapped)) {
    return new NativeMatcher(translate(wrapped, true), flags, groups);
  }
  return new LongestMatcher(wrapped, ignoreCase, groups);
}

function wrapLine(tree: RegexNode): RegexNode {
  return {
    kind: "sequence",
    items: [{ kind: "assert", what: "start" }, tree, { kind: "assert", what: "end" }],
  };
}

/** The source of an expression that matches only whole words. */
export function wrapWord(source: string): string {
  return `(?<![\\p{L}\\p{Nd}_])(?:${source})(?![\\p{L}\\p{Nd}_])`;
}

/** Several expressions, of which the first and longest match counts. */
export class AnyMatcher implements Matcher {
  readonly groups = 0;

  constructor(private readonly items: Matcher[]) {}

  test(text: string): boolean {
    return this.items.some((item) => item.test(text));
  }

  find(text: string, from: number): Match | undefined {
    let best: Match | undefined;
    for (const item of this.items) {
      const match = item.find(text, from);
      if (!match) continue;
      if (!best || match.start < best.start || match.start === best.start && match.end > best.end) best = match;
    }
    return best;
  }
}
