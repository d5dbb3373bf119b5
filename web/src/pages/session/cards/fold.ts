/** The beginning and the end of a long text. */

export interface Folded {
  head: string;
  tail: string;
  /** Lines between them. */
  left: number;
}

const LINES = 24;
const CHARACTERS = 6000;
const HEAD = { lines: 8, characters: 2000 };
const TAIL = { lines: 12, characters: 3000 };

/** Undefined if the text is short enough to be shown as it is. */
export function foldText(text: string): Folded | undefined {
  const lines = countLines(text, LINES + 1);
  if (lines <= LINES && text.length <= CHARACTERS) return undefined;
  const head = text.slice(0, Math.min(findLine(text, HEAD.lines), HEAD.characters));
  const end = Math.max(findLineFromEnd(text, TAIL.lines), text.length - TAIL.characters, head.length);
  return { head, tail: text.slice(end), left: countLines(text.slice(head.length, end), Infinity) };
}

/** The last lines of a text, at most so many, and at most so many characters. */
export function cutTail(text: string, lines: number, characters: number): string {
  return text.slice(Math.max(findLineFromEnd(text, lines), text.length - characters));
}

function countLines(text: string, most: number): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0 && count < most; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Where the line with this number, from 0, begins. */
function findLine(text: string, number: number): number {
  let at = 0;
  for (let line = 0; line < number; line++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

function findLineFromEnd(text: string, number: number): number {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let line = 0; line < number; line++) {
    if (at <= 0) return 0;
    at = text.lastIndexOf("\n", at - 1);
    if (at < 0) return 0;
  }
  return at + 1;
}
