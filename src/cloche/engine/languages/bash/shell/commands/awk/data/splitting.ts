/** Ways to split a text into fields. */
import { AwkError } from "../errors.ts";
import type { Pattern, PatternCache } from "../regex/pattern.ts";

/** The fields of a text; `separators`, if given, takes what stood between them, beginning with what came before the first. */
export type Splitter = (text: string, separators?: string[]) => string[];

const SPACE = 32;
const TAB = 9;
const NEWLINE = 10;

/** Where the blanks, tabs and newlines that begin at `at` end. */
export function skipBlanks(text: string, at: number): number {
  const { length } = text;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== TAB && code !== NEWLINE) break;
  }
  return at;
}

/** Where the field that begins at `at` ends. */
export function skipWord(text: string, at: number): number {
  const { length } = text;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === TAB || code === NEWLINE) break;
  }
  return at;
}

/** Fields between blanks, tabs and newlines. */
export function splitBlanks(text: string, separators?: string[]): string[] {
  const fields: string[] = [];
  for (let end = 0;;) {
    const start = skipBlanks(text, end);
    if (separators) separators.push(text.slice(end, start));
    if (start === text.length) return fields;
    end = skipWord(text, start);
    fields.push(text.slice(start, end));
  }
}

function splitCharacters(text: string, separators?: string[]): string[] {
  const fields = Array.from(text);
  if (separators) separators.push("", ...fields.slice(1).map(() => ""));
  return fields;
}

/** Fields between occurrences of one text. */
function byText(separator: string): Splitter {
  return (text, separators) => {
    if (text === "") return [];
    const fields = text.split(separator);
    if (separators) separators.push("", ...fields.slice(1).map(() => separator));
    return fields;
  };
}

/** Fields between matches of a pattern; a match of nothing separates nothing. */
export function byPattern(pattern: Pattern): Splitter {
  if (pattern.source === "") return splitCharacters;
  return (text, separators) => {
    const fields: string[] = [];
    if (text === "") return fields;
    if (separators) separators.push("");
    let begin = 0;
    for (let from = 0; from <= text.length && pattern.find(text, from);) {
      const { start, end } = pattern;
      if (end === start) {
        from = end + 1;
        continue;
      }
      fields.push(text.slice(begin, start));
      if (separators) separators.push(text.slice(start, end));
      begin = from = end;
    }
    fields.push(text.slice(begin));
    return fields;
  };
}

/** Fields by what they look like: FPAT. */
export function byContent(pattern: Pattern): Splitter {
  return (text, separators) => {
    const fields: string[] = [];
    if (text === "") return fields;
    let gap = 0;
    let from = 0;
    // A field of no characters counts, but not right behind another.
    let afterField = false;
    while (from <= text.length && pattern.find(text, from)) {
      const { start, end } = pattern;
      if (start === end && afterField && start === gap) {
        from = end + 1;
        afterField = false;
        continue;
      }
      fields.push(text.slice(start, end));
      if (separators) separators.push(text.slice(gap, start));
      gap = end;
      afterField = end > start;
      from = end > start ? end : end + 1;
    }
    if (separators) separators.push(text.slice(gap));
    return fields;
  };
}

/** Fields of given widths: `FIELDWIDTHS = "5 2:3 *"`. */
export function byWidths(widths: string): Splitter {
  const parts = widths.trim().split(/[ \t]+/).map((word) => {
    const match = word.match(/^(?:(\d+):)?(\d+|\*)$/);
    if (!match) throw new AwkError(`invalid FIELDWIDTHS value, for field, near \`${word}'`);
    return { skip: Number(match[1] ?? 0), width: match[2] === "*" ? Infinity : Number(match[2]) };
  });
  return (text) => {
    const chars = Array.from(text);
    const fields: string[] = [];
    let at = 0;
    for (const { skip, width } of parts) {
      at += skip;
      if (at >= chars.length) break;
      fields.push(chars.slice(at, at + width).join(""));
      at += width;
    }
    return fields;
  };
}

/** Fields by the value of FS; in paragraphs, newlines separate too, unless FS is an expression, as gawk 5.2 has it. */
export function bySeparator(separator: string, patterns: PatternCache, paragraphs: boolean): Splitter {
  if (separator === " ") return splitBlanks;
  if (separator === "") return splitCharacters;
  const chars = Array.from(separator).length;
  const plain = chars === 1 && separator !== "\\" && !(patterns.ignoreCase && /\p{L}/u.test(separator));
  if (plain && !paragraphs) return byText(separator);
  if (chars > 1) return byPattern(patterns.get(separator));
  const quoted = separator.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
  return byPattern(patterns.get(paragraphs ? `(${quoted})|\n` : quoted));
}
