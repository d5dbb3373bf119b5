/** Prepares a cell of Perl: its top-level variables stay, and its last statement is the value. */

import { type Token, tokenizePerl, type Tokens } from "./tokens.ts";

/** How the value of the last statement is shown: not at all, as it is, or always as a list or a hash. */
type ValueKind = "none" | "auto" | "list" | "hash";

export interface Cell {
  source: string;
  kind: ValueKind;
  /** The variables that it declares, with their sigils. */
  names: string[];
  /** What it may read from DATA. */
  data: string;
}

/** Statements that have no value worth showing. */
const SILENT = new Set(
  ("my our local state print printf say use no package sub for foreach while until if unless else elsif continue BEGIN END INIT push unshift " +
    "open close opendir closedir binmode mkdir rmdir unlink rename chmod utime chdir exit die warn sleep select seek " +
    "truncate undef srand system exec require return tie untie delete symlink link format")
    .split(" "),
);
const BLOCKS = new Set(
  "sub for foreach while until if unless BEGIN END INIT CHECK UNITCHECK package else elsif"
    .split(" "),
);
const HEADS = new Set("for foreach while until if unless elsif".split(" "));
const ASSIGNMENT = /^(?:[-+*\/.%&|^x]|\*\*|\|\||&&|\/\/|<<|>>)?=$/;

/**
 * Variables that are declared with `my` at the top level become package variables: they are there in the next cell, and
 * for `use strict` they are declared in it.
 */
export function prepareCell(source: string): Cell {
  const { tokens, data } = tokenizePerl(source);
  const starts = statementStarts(tokens);
  const edits: Edit[] = [];
  const names: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token.kind !== "word") continue;
    // What follows is in another package, which uses `my` to hide its variables.
    if (token.text === "package" && token.parent < 0 && isFlat(tokens, index)) {
      break;
    }
    if (
      (token.text !== "my" && token.text !== "our") ||
      !isTopLevel(tokens, index)
    ) continue;
    const found = declaration(tokens, index);
    if (!found) continue;
    names.push(...found.names);
    if (token.text === "my") {
      edits.push(...rewritten(tokens, index, found, starts));
    }
  }
  return {
    source: edited(source, edits),
    kind: kindOf(lastStatement(tokens, starts)),
    names: [...new Set(names)],
    data,
  };
}

/** Whether more lines are needed before it can run. */
export function isComplete(
  { unclosed, stray }: Tokens,
): "complete" | "incomplete" | "invalid" {
  if (stray) return "invalid";
  return unclosed ? "incomplete" : "complete";
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

interface Declaration {
  names: string[];
  /** The token after it. */
  next: number;
  /** Whether it is a list with gaps. */
  gaps: boolean;
}

function declaration(tokens: Token[], index: number): Declaration | null {
  const first = tokens[index + 1];
  if (first?.text === "sub") return { names: [], next: index + 1, gaps: false };
  if (first?.kind === "variable") {
    return { names: [first.text], next: index + 2, gaps: false };
  }
  if (first?.text !== "(") return null;
  let next = index + 2;
  while (next < tokens.length && tokens[next].parent === index + 1) next++;
  const inner = tokens.slice(
    index + 2,
    next - (tokens[next - 1]?.text === ")" ? 1 : 0),
  );
  const names = inner.filter(({ kind }) => kind === "variable").map((
    { text },
  ) => text);
  return {
    names,
    next: tokens[next]?.text === ")" ? next + 1 : next,
    gaps: inner.some(({ text }) => text === "undef"),
  };
}

function rewritten(
  tokens: Token[],
  index: number,
  found: Declaration,
  starts: number[],
): Edit[] {
  const { names, next, gaps } = found;
  const { start } = tokens[index];
  const end = start + "my".length;
  if (names.length === 0) return [{ start, end, text: "  " }];
  // A new variable is empty, but one of the package may have been there before.
  const emptied = names.map((name) => name[0] + "::" + name.slice(1)).join(
    ", ",
  );
  const after = tokens[next];
  const first = starts.findLast((each) => each <= index) ?? 0;
  if (first === index && (after === undefined || after.text === ";")) {
    return [{
      start,
      end: after?.start ?? endOf(tokens[next - 1]),
      text: `our (${names.join(", ")}) = ()`,
    }];
  }
  const edits = after?.text === "=" ? [] : [insertion(tokens[first].start, `(${emptied}) = (); `)];
  if (!gaps) return [...edits, { start, end, text: "our" }];
  const inner = tokens.slice(index + 1, next).filter(({ kind }) => kind === "variable");
  return [
    ...edits,
    { start, end, text: "" },
    ...inner.map((each) => insertion(each.start, "our ")),
  ];
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

function endOf({ start, text }: Token): number {
  return start + text.length;
}

function edited(source: string, edits: Edit[]): string {
  let text = source;
  for (
    const { start, end, text: other } of edits.toSorted((one, two) => two.start - one.start)
  ) {
    const lines = source.slice(start, end).split("\n").length - 1;
    text = text.slice(0, start) + other + "\n".repeat(lines) + text.slice(end);
  }
  return text;
}

/** `package Name;`, not `package Name { ... }`. */
function isFlat(tokens: Token[], index: number): boolean {
  const after = tokens.slice(index + 1, index + 4).find(({ text }) => text === ";" || text === "{");
  return after?.text === ";";
}

/** Whether no block is around it, nor the head of one: a variable of a loop is the loop's. */
function isTopLevel(tokens: Token[], index: number): boolean {
  const before = tokens[index - 1];
  if (before && (before.text === "for" || before.text === "foreach")) {
    return false;
  }
  for (let at = tokens[index].parent; at >= 0; at = tokens[at].parent) {
    if (tokens[at].text === "{") return false;
    const head = tokens[at - 1];
    if (
      head?.kind === "word" && HEADS.has(head.text) &&
      beginsStatement(tokens, at - 1)
    ) return false;
  }
  return true;
}

function beginsStatement(tokens: Token[], index: number): boolean {
  return index === 0 || /^[;{}]$/.test(tokens[index - 1].text);
}

function kindOf(last: Token[]): ValueKind {
  const [first] = last;
  if (
    !first ||
    first.kind === "word" && SILENT.has(first.text) && !isNameless(last)
  ) return "none";
  if (
    last.some(({ kind, text, parent }) => kind === "sign" && parent === first.parent && ASSIGNMENT.test(text))
  ) {
    return "none";
  }
  if (last.length === 1 && first.kind === "variable") {
    return first.text.startsWith("%") ? "hash" : first.text.startsWith("@") ? "list" : "auto";
  }
  const closes = last.findIndex(({ text, parent }, index) => index > 0 && parent === first.parent && text === ")");
  return first.text === "(" && closes === last.length - 1 ? "list" : "auto";
}

/** The tokens with which statements of the top level begin. */
function statementStarts(tokens: Token[]): number[] {
  const starts: number[] = [];
  let first = 0;
  for (let index = 0; index < tokens.length; index++) {
    if (tokens[index].parent >= 0) continue;
    // The closing bracket of a block ends a statement that needs no semicolon.
    if (index > first && endsBlock(tokens, first, index - 1)) first = index;
    if (index === first) starts.push(index);
    if (tokens[index].text === ";" && tokens[index].kind === "sign") {
      first = index + 1;
    }
  }
  return starts;
}

/** Without the semicolon; empty statements do not count. */
function lastStatement(tokens: Token[], starts: number[]): Token[] {
  const isEnd = ({ text, kind, parent }: Token) => text === ";" && kind === "sign" && parent < 0;
  const first = starts.findLast((start) => !isEnd(tokens[start]));
  if (first === undefined) return [];
  const end = tokens.findIndex((token, index) => index > first && isEnd(token));
  return tokens.slice(first, end < 0 ? tokens.length : end);
}

function endsBlock(tokens: Token[], first: number, last: number): boolean {
  const { text, kind } = tokens[last];
  if (text !== "}" || kind !== "sign") return false;
  return BLOCKS.has(tokens[first].text) && tokens[first].kind === "word" &&
    !isNameless(tokens.slice(first, first + 2));
}

/** A sub without a name is a value. */
function isNameless(statement: Token[]): boolean {
  return statement[0].text === "sub" && statement[1]?.kind !== "word";
}
