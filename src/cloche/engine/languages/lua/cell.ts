/** How a cell is compiled: its last expression, if it ends with one, is its value. */

import { readTokens, type Token } from "./lexer.ts";
import type { LuaState } from "./state.ts";

export const CELL = "<cell>";
/** With something to close, Lua does not leave the cell for the call that it returns: its line stays in tracebacks. */
const RETURN = "local __ <close> = nil return ";
/** The most characters of a cell that is searched for a value; a larger one is mostly data. */
const LARGEST = 256 << 10;
/** How many positions are tried. */
const TRIES = 8;
const KEYWORD_STARTS = new Set(["nil", "true", "false", "function", "not"]);
const KEYWORDS = new Set(
  "and break do else elseif end for goto if in local or repeat return then until while".split(" "),
);

interface Cell {
  /** What is wrong with it; null if it is compiled and on the stack. */
  wrong: string | null;
  tokens: Token[];
}

export function compileCell(state: LuaState, given: string, name = CELL): Cell {
  // The first line of a script may name its interpreter.
  const code = given.startsWith("#!") ? `--${given}` : given;
  const tokens = code.length > LARGEST ? [] : readTokens(code);
  const starts = tokens.filter(({ first, depth }) => first && depth === 0).slice(-TRIES).reverse();
  // Nothing comes before the first word.
  const sure = starts.filter((each) => each === tokens[0] || beginsExpression(each));
  if (tryReturns(state, code, name, sure)) return { wrong: null, tokens };
  const wrong = state.compile(code, `=${name}`);
  // The beginning of such a line would continue the line before, if that were valid.
  if (wrong && tryReturns(state, code, name, starts.filter(continues))) return { wrong: null, tokens };
  return { wrong, tokens };
}

function tryReturns(state: LuaState, code: string, name: string, places: Token[]): boolean {
  return places.some(({ at }) => state.compile(code.slice(0, at) + RETURN + code.slice(at), `=${name}`) === null);
}

/** Whether only an expression may start here: it cannot continue the line before. */
function beginsExpression({ kind, text }: Token): boolean {
  if (kind === "number" || KEYWORD_STARTS.has(text) || text === "#" || text === "...") return true;
  return kind === "name" && !KEYWORDS.has(text);
}

function continues({ kind, text }: Token): boolean {
  return kind === "string" || ["(", "{", "-", "~"].includes(text);
}
