/** Ruby's exceptions as results show them: in the user's own lines, with a hint where one helps. */

import type { RunError } from "../../protocol.ts";
import { decodeField } from "./field_lists.ts";

export const CELL = "<cell>";
/** The line that a syntax error is marked in, and below it the mark. */
const MARKED = /^> *(\d+) \| .*\n *[|~ ]*\| ( *)\^/m;
const OPENING = /^\s*(?:def|class|module|if|unless|while|until|for|case|begin)\b|\bdo\s*(?:\|[^|]*\|)?\s*$/;
const CLOSING = /^\s*end\b/;
const ONE_LINE = /\bend\s*$|^\s*def\s+[^=]*\)?\s*=\s/;

/** An error from the fields that Ruby reports for code with this name: class, message, frames, traceback. */
export function readError(fields: Uint8Array[], code: string, name = CELL): RunError {
  const [type, message, frames, traceback] = [0, 1, 2, 3].map((at) => decodeField(fields[at]));
  if (type === "Interrupt") return interrupted(traceback);
  const line = lineIn(message, name);
  if (type === "SyntaxError" && line !== null) return syntaxError(message, code, line);
  const frame = frames.split("\n").find((each) => lineIn(each, name) !== null);
  return { type, message, line: lineIn(frame ?? "", name), column: null, traceback };
}

function interrupted(traceback = ""): RunError {
  return { type: "KeyboardInterrupt", message: "", line: null, column: null, traceback };
}

/** The number that follows the name, with which the text begins. */
function lineIn(text: string, name: string): number | null {
  const line = text.startsWith(`${name}:`) ? Number.parseInt(text.slice(name.length + 1), 10) : NaN;
  return Number.isNaN(line) ? null : line;
}

function syntaxError(message: string, code: string, start: number): RunError {
  const marked = MARKED.exec(message);
  const line = Number(marked?.[1] ?? start);
  const opened = /expected an? `end`|unexpected end-of-input/.test(message) ? findUnclosed(code) : null;
  const hint = opened === null ? "" : `\nhint: what line ${opened.line} opens is never closed: ${opened.text}`;
  const column = marked ? marked[2].length + 1 : null;
  return { type: "SyntaxError", message: message.trimEnd() + hint, line, column, traceback: message.trimEnd() };
}

/** The line whose `end` is missing, judged by the indentation. */
export function findUnclosed(code: string): { line: number; text: string } | null {
  const open: { line: number; text: string; depth: number }[] = [];
  for (const [index, text] of code.split("\n").entries()) {
    if (/^\s*(?:#|$)/.test(text)) continue;
    const depth = /^\s*/.exec(text)?.[0].length ?? 0;
    if (CLOSING.test(text)) {
      // An `end` that is indented less closes the block there; the blocks in between are missing theirs.
      const own = open.findLastIndex((each) => each.depth <= depth);
      if (own >= 0 && own < open.length - 1) return open[open.length - 1];
      open.pop();
    } else if (OPENING.test(text) && !ONE_LINE.test(text)) open.push({ line: index + 1, text: text.trim(), depth });
  }
  return open.at(-1) ?? null;
}

/** Whether more lines could make the code valid. */
export function isUnfinished(message: string): boolean {
  return /unexpected end-of-input|unterminated (?!regexp|.*\n.*invalid)|expected a closing|expected an? `[^`]+` to close/
    .test(message);
}
