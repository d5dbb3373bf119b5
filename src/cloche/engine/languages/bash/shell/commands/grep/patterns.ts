/** What grep looks for. */
import { compilePerl } from "../../../text/regex/perl.ts";
import {
  AnyMatcher,
  compileAny,
  type Match,
  type Matcher,
  NativeMatcher,
  wrapWord,
} from "../../../text/regex/regex.ts";
import { requiredText } from "../../../text/regex/required.ts";
import { RegexError } from "../../../text/regex/syntax.ts";
import { CommandError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";

export type Syntax = "basic" | "extended" | "fixed" | "perl";

export interface Wanted {
  matcher: Matcher;
  /** Without this text nothing matches. */
  required: string;
}

/** Whole lines that are one of several texts. */
class LineSet implements Matcher {
  readonly groups = 0;
  readonly #lines: Set<string>;

  constructor(lines: string[]) {
    this.#lines = new Set(lines);
  }

  test(text: string): boolean {
    return this.#lines.has(text);
  }

  find(text: string, from: number): Match | undefined {
    return from === 0 && this.#lines.has(text) ? { start: 0, end: text.length, groups: [] } : undefined;
  }
}

export function compilePatterns(patterns: string[], syntax: Syntax, given: Given): Wanted {
  const sources = syntax === "perl" ? patterns : patterns.flatMap((pattern) => pattern.split("\n"));
  const ignoreCase = given.last("i", "y", "no-ignore-case") !== undefined &&
    given.last("i", "y", "no-ignore-case") !== "no-ignore-case";
  const whole = given.has("x") ? "line" : given.has("w") ? "word" : undefined;
  if (sources.length === 0) return { matcher: new AnyMatcher([]), required: "" };
  try {
    if (syntax === "perl") {
      if (sources.length > 1) throw new CommandError("the -P option only supports a single pattern", 2);
      return { matcher: compilePerl(sources[0], { ignoreCase, whole }), required: "" };
    }
    if (syntax === "fixed") return compileTexts(sources, ignoreCase, whole);
    const options = { extended: syntax === "extended", ignoreCase, whole } as const;
    const required = sources.length === 1 && !ignoreCase ? requiredText(sources[0], options) : "";
    return { matcher: compileAny(sources, options), required };
  } catch (error) {
    if (error instanceof RegexError) throw new CommandError(error.message, 2);
    throw error;
  }
}

function compileTexts(texts: string[], ignoreCase: boolean, whole: "line" | "word" | undefined): Wanted {
  const required = texts.length === 1 && !ignoreCase ? texts[0] : "";
  if (whole === "line" && !ignoreCase) return { matcher: new LineSet(texts), required };
  const quoted = [...texts].sort((a, b) => b.length - a.length).map((text) =>
    text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  );
  if (texts.length === 1 && !ignoreCase && whole === undefined && texts[0] !== "") {
    return { matcher: compileAny([quoted[0].replace(/\\\//g, "/")], { extended: true }), required };
  }
  const source = quoted.join("|");
  const wrapped = whole === "line" ? `^(?:${source})$` : whole === "word" ? wrapWord(source) : source;
  return { matcher: new NativeMatcher(wrapped, ignoreCase ? "sui" : "su", 0), required };
}
