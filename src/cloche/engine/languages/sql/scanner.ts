/** Scans SQL text: blanks and comments, lines and columns, words. */

const CODES = { newline: 10, space: 32, dash: 45, dot: 46, slash: 47, semicolon: 59, star: 42 };

/** Where the next statement or dot command begins, after blanks, comments and lone semicolons. */
export function skipBlank(text: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const next = skipOne(text, at);
    if (next === at) return at;
    at = next;
  }
}

function skipOne(text: Uint8Array, at: number): number {
  const [code, after] = [text[at], text[at + 1]];
  if (code === CODES.semicolon || code === CODES.space || code >= 9 && code <= 13) return at + 1;
  if (code === CODES.dash && after === CODES.dash) return endOfLine(text, at);
  if (code !== CODES.slash || after !== CODES.star) return at;
  for (let end = at + 2; end < text.length; end++) {
    if (text[end] === CODES.star && text[end + 1] === CODES.slash) return end + 2;
  }
  return text.length;
}

export function endOfLine(text: Uint8Array, from: number): number {
  const end = text.indexOf(CODES.newline, from);
  return end < 0 ? text.length : end;
}

/** Whether a dot command starts here, at the start of a line. */
export function isCommand(text: Uint8Array, at: number): boolean {
  return text[at] === CODES.dot && (at === 0 || text[at - 1] === CODES.newline);
}

/** Line and column, from 1, of a byte. */
export function placeOf(text: Uint8Array, at: number): { line: number; column: number } {
  const before = new TextDecoder().decode(text.subarray(0, at));
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: [...before.slice(start)].length + 1 };
}

/** The position of a word in a part of the text; -1 if it is not there. */
export function findWord(text: Uint8Array, from: number, to: number, word: string): number {
  const part = new TextDecoder().decode(text.subarray(from, to));
  const pattern = new RegExp(`(?<![\\w$])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w$])`, "i");
  const found = pattern.exec(part);
  return found ? from + new TextEncoder().encode(part.slice(0, found.index)).length : -1;
}
