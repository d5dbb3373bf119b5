/** A compiled regular expression: tests texts and finds matches, by the quickest way that is right. */
import { Automaton } from "../../../../text/regex/automaton.ts";
import { parseRegex, RegexError, type RegexNode } from "../../../../text/regex/syntax.ts";
import { failsQuickly, findsLongest, literalText, translate } from "../../../../text/regex/translation.ts";
import { AwkError } from "../errors.ts";
import { readEscape } from "../program/escapes.ts";

/** A group of a match; undefined if it took no part in it. */
export interface GroupMatch {
  start: number;
  text: string;
}

/** Texts longer than this are first tested whether they match at all. */
const LONG = 1000;

export class Pattern {
  /** Where the match that `find` has found begins and ends. */
  start = 0;
  end = 0;
  readonly #tree: RegexNode;
  readonly #literal: string | undefined;
  readonly #tester: RegExp | undefined;
  readonly #finder: RegExp | undefined;
  #automaton: Automaton | undefined;
  #searching: Automaton | undefined;
  #grouping: RegExp | undefined;

  constructor(readonly source: string, private readonly ignoreCase: boolean) {
    const tree = readPattern(source);
    this.#tree = tree;
    this.#literal = ignoreCase ? undefined : literalText(tree);
    if (this.#literal !== undefined || !failsQuickly(tree)) return;
    const translated = translate(tree, false);
    this.#tester = new RegExp(translated, ignoreCase ? "sui" : "su");
    if (findsLongest(tree)) this.#finder = new RegExp(translated, ignoreCase ? "suig" : "sug");
  }

  test(text: string): boolean {
    if (this.#literal !== undefined) return text.includes(this.#literal);
    if (this.#tester !== undefined) return this.#tester.test(text);
    return this.#matchesAfter(text, 0);
  }

  /** Looks for the first longest match that begins at `from` or later. */
  find(text: string, from: number): boolean {
    if (this.#literal !== undefined) {
      this.start = text.indexOf(this.#literal, from);
      this.end = this.start + this.#literal.length;
      return this.start >= 0;
    }
    const finder = this.#finder;
    if (finder === undefined) return this.#search(text, from);
    finder.lastIndex = from;
    const match = finder.exec(text);
    if (match === null) return false;
    this.start = match.index;
    this.end = match.index + match[0].length;
    return true;
  }

  /** The groups of a match that `find` has found. */
  groups(text: string, start: number, end: number): (GroupMatch | undefined)[] {
    this.#grouping ??= new RegExp(`(?:${translate(this.#tree, true)})$`, this.ignoreCase ? "suiyd" : "suyd");
    this.#grouping.lastIndex = start;
    // All of the match and no more: the text is cut where the match ends.
    const match = this.#grouping.exec(text.slice(0, end));
    return (match?.indices ?? []).slice(1).map((range) =>
      range && { start: range[0], text: text.slice(range[0], range[1]) }
    );
  }

  #matchesAfter(text: string, from: number): boolean {
    this.#searching ??= new Automaton(this.#tree, this.ignoreCase, true);
    return this.#searching.matchesAfter(text, from);
  }

  #search(text: string, from: number): boolean {
    this.#automaton ??= new Automaton(this.#tree, this.ignoreCase);
    if (text.length > LONG && !this.#matchesAfter(text, from)) return false;
    for (let at = from; at <= text.length; at++) {
      const end = this.#automaton.matchAt(text, at);
      if (end < 0) {
        if (isPair(text, at)) at++;
        continue;
      }
      this.start = at;
      this.end = end;
      return true;
    }
    return false;
  }
}

function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length;
}

function readPattern(source: string): RegexNode {
  try {
    return parseRegex(source, { extended: true, readEscape }).tree;
  } catch (error) {
    if (error instanceof RegexError) throw new AwkError(`invalid regexp: ${error.message}: /${source}/`);
    throw error;
  }
}

const KEPT = 500;

/** Patterns by their source, so that each is compiled once. */
export class PatternCache {
  #patterns = new Map<string, Pattern>();
  #ignoreCase = false;

  get(source: string): Pattern {
    const known = this.#patterns.get(source);
    if (known) return known;
    if (this.#patterns.size >= KEPT) this.#patterns.clear();
    const pattern = new Pattern(source, this.#ignoreCase);
    this.#patterns.set(source, pattern);
    return pattern;
  }

  set ignoreCase(value: boolean) {
    if (value === this.#ignoreCase) return;
    this.#ignoreCase = value;
    this.#patterns = new Map();
  }

  get ignoreCase(): boolean {
    return this.#ignoreCase;
  }
}
