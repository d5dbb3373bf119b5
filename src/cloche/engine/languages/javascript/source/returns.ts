/**
 * A cell may return from its top level, like the body of a function: `return x` becomes a throw of x, marked as returned,
 * and top-level `catch` blocks rethrow it.
 */

import { applyEdits, type Edit, type Edited } from "./positions.ts";
import { endsValue, scanSource, type Token } from "./scanner.ts";

const GUEST = `globalThis[Symbol.for("cloche")]`;
/** Setting it marks a thrown value as returned. */
const LEAVE = `throw ${GUEST}.returned=`;
/** Words whose parentheses are followed by a block, not by the body of a function. */
const HEADS = new Set(["if", "while", "for", "await", "switch", "catch", "with", "case"]);

export function rewriteReturns(source: string): Edited {
  if (!/\breturn\b/.test(source)) return { code: source };
  const { tokens } = scanSource(source);
  const [returns, catches] = findOutside(tokens);
  if (returns.length === 0) return { code: source };
  const edits = [...returns.map((index) => leave(tokens, index)), ...catches.flatMap((index) => pass(tokens, index))];
  return applyEdits(source, edits);
}

/** The `return`s and `catch`es that are in no function. */
function findOutside(tokens: Token[]): [returns: number[], catches: number[]] {
  const [returns, catches]: [number[], number[]] = [[], []];
  /** The depth of the function that the walk is in. */
  let inside: number | undefined;
  tokens.forEach((token, index) => {
    if (inside !== undefined) {
      if (token.text === "}" && token.depth === inside) inside = undefined;
    } else if (token.text === "{" && isBody(tokens, index)) inside = token.depth;
    else if (token.text === "return" && begins(tokens, index)) returns.push(index);
    else if (token.text === "catch" && tokens[index - 1]?.text === "}") catches.push(index);
  });
  return [returns, catches];
}

/** Whether these braces are the body of a function: its parameters, and perhaps a type, are before them. */
function isBody(tokens: Token[], index: number): boolean {
  if (tokens[index - 1]?.text === "=>") return true;
  const close = tokens[index - 1]?.text === ")" ? index - 1 : beforeType(tokens, index);
  return close !== undefined && !HEADS.has(tokens[openOf(tokens, close) - 1]?.text);
}

/** The parenthesis before a type such as `: Promise<{ a: string }>`. */
function beforeType(tokens: Token[], index: number): number | undefined {
  const { depth } = tokens[index];
  for (let at = index - 1; at >= 0 && tokens[at].depth >= depth; at--) {
    const { text } = tokens[at];
    if (tokens[at].depth > depth) continue;
    if (text === ")" && tokens[at + 1].text === ":") return at;
    if (text === ";" || text === "=") return undefined;
    if (text !== "}") continue;
    at = openOf(tokens, at);
    // Braces that are not part of a type end the search.
    if (![":", "<", "|", "&", ","].includes(tokens[at - 1]?.text)) return undefined;
  }
  return undefined;
}

function openOf(tokens: Token[], close: number): number {
  const mark = tokens[close].text === ")" ? "(" : "{";
  return tokens.findLastIndex(({ text, depth }, at) => at < close && text === mark && depth === tokens[close].depth);
}

/** Whether it is a statement, not the name of a member. */
function begins(tokens: Token[], index: number): boolean {
  const [before, token, next] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (token.kind !== "word" || next?.text === ":") return false;
  if (!before || [";", "{", "}", ")", ":", "else", "do"].includes(before.text)) return !isMethod(tokens, index);
  return token.fresh && endsValue(before);
}

function isMethod(tokens: Token[], index: number): boolean {
  const open = tokens[index + 1];
  if (open?.text !== "(") return false;
  const close = tokens.findIndex(({ text, depth }, at) => at > index + 1 && text === ")" && depth === open.depth);
  return tokens[close + 1]?.text === "{" && !tokens[close + 1].fresh;
}

function leave(tokens: Token[], index: number): Edit {
  const [{ start, end }, next] = [tokens[index], tokens[index + 1]];
  const empty = !next || next.fresh || next.text === ";" || next.text === "}";
  return { start, end, text: empty ? `${LEAVE}void 0;` : LEAVE };
}

/** Rethrows a returned value. */
function pass(tokens: Token[], index: number): Edit[] {
  const [open, name, close] = tokens.slice(index + 1, index + 4);
  const check = (caught: string) => `if(${GUEST}.returned)throw ${caught};`;
  const after = ({ end }: Token, text: string): Edit => ({ start: end, end, text });
  if (open?.text === "{") return [after(tokens[index], "($0)"), after(open, check("$0"))];
  const last = tokens.findIndex(({ text, depth }, at) => at > index + 1 && text === ")" && depth === open?.depth);
  const body = tokens[last + 1];
  if (last < 0 || body?.text !== "{") return [];
  if (name.kind === "word" && close.text !== ")" && close.text !== ":") return [];
  if (name.kind === "word") return [after(body, check(name.text))];
  const pattern = tokens.slice(index + 2, last);
  const text = pattern.map((each, at) => `${at > 0 && each.start > pattern[at - 1].end ? " " : ""}${each.text}`).join(
    "",
  );
  const gone = pattern.map(({ start, end }): Edit => ({ start, end, text: "" }));
  return [after(open, "$0"), ...gone, after(body, `${check("$0")}let ${text}=$0;`)];
}
