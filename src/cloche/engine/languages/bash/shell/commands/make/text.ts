/** Words, patterns and references in the text of a makefile. */

export function splitWords(text: string): string[] {
  return text.split(/[ \t\n\r\f\v]+/).filter((word) => word !== "");
}

/** The place of the bracket that closes the one at `open`; -1 if none does. */
export function findClosing(text: string, open: number): number {
  const [opening, closing] = text[open] === "(" ? ["(", ")"] : ["{", "}"];
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === opening) depth++;
    else if (text[at] === closing && --depth === 0) return at;
  }
  return -1;
}

/** The first of some characters that is in no reference; -1 if there is none. */
export function findOutside(text: string, characters: string, from = 0): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "$" && (text[at + 1] === "(" || text[at + 1] === "{")) {
      const end = findClosing(text, at + 1);
      if (end < 0) return -1;
      at = end;
    } else if (text[at] === "$") at++;
    else if (text[at] === "\\" && characters.includes(text[at + 1]) && text[at + 1] !== "=") at++;
    else if (characters.includes(text[at])) return at;
  }
  return -1;
}

interface Percent {
  before: string;
  after: string | undefined;
}

/** Where `%` is in a pattern; `\%` is a plain one. */
function splitPattern(pattern: string): Percent {
  let before = "";
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === "\\" && pattern[at + 1] === "%") before += pattern[++at];
    else if (pattern[at] === "%") return { before, after: pattern.slice(at + 1) };
    else before += pattern[at];
  }
  return { before, after: undefined };
}

/** What `%` matches; undefined if the word does not match. */
export function matchWord(pattern: string, word: string): string | undefined {
  const { before, after } = splitPattern(pattern);
  if (after === undefined) return before === word ? "" : undefined;
  if (word.length < before.length + after.length || !word.startsWith(before) || !word.endsWith(after)) return undefined;
  return word.slice(before.length, word.length - after.length);
}

/** As `$(patsubst)` does. */
export function substitutePattern(pattern: string, replacement: string, text: string): string {
  const target = splitPattern(replacement);
  const hasPercent = splitPattern(pattern).after !== undefined;
  return splitWords(text).map((word) => {
    const stem = matchWord(pattern, word);
    if (stem === undefined) return word;
    return target.after === undefined || !hasPercent ? replacement : target.before + stem + target.after;
  }).join(" ");
}

/** A line without its comment; `\#` is a plain one. */
export function stripComment(text: string): string {
  let out = "";
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "$" && (text[at + 1] === "(" || text[at + 1] === "{")) {
      const end = findClosing(text, at + 1);
      if (end > 0) {
        out += text.slice(at, end + 1);
        at = end;
        continue;
      }
    }
    if (text[at] === "\\" && text[at + 1] === "#") out += text[++at];
    else if (text[at] === "#") break;
    else out += text[at];
  }
  return out;
}

export function directoryOf(name: string): string {
  const at = name.lastIndexOf("/");
  return at < 0 ? "./" : name.slice(0, at + 1);
}

export function fileOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

export function suffixOf(name: string): string {
  const at = name.lastIndexOf(".");
  return at > name.lastIndexOf("/") && at >= 0 ? name.slice(at) : "";
}
