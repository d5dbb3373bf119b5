/** A cell of Perl, made ready to be run: variables of its top level outlive it, and what its last statement is. */

import { type Token, tokenize, type Tokens } from "./tokens.ts";

/** How the value of the last statement is shown: not at all, as it is, or as a list or a hash in any case. */
export type ValueKind = "none" | "auto" | "list" | "hash";

export interface Cell {
  source: string;
  kind: ValueKind;
  /** The variables that it declares, with their signs. */
  names: string[];
  /** What it may read from DATA. */
  data: string;
}

/** Statements that have no value worth showing. */
const SILENT = new Set(
  ("my our local state print printf say use no package sub for foreach while until if unless else elsif continue BEGIN END INIT push unshift " +
    "open close opendir closedir binmode mkdir rmdir unlink rename chmod utime chdir exit die warn sleep select seek " +
    "truncate undef srand system exec require return tie untie delete symlink link format").split(" "),
);
const BLOCKS = new Set(
  "sub for foreach while until if unless BEGIN END INIT CHECK UNITCHECK package else elsif".split(" "),
);
const HEADS = new Set("for foreach while until if unless elsif".split(" "));
const ASSIGNMENT = /^(?:[-+*\/.%&|^x]|\*\*|\|\||&&|\/\/|<<|>>)?=$/;

/**
 * Variables that are declared with `my` at the top level become package variables: they are there in the next cell, and
 * for `use strict` they are declared in it.
 */
export function prepareCell(source: string): Cell {
  const { tokens, data } = tokenize(source);
  const edits: Edit[] = [];
  const names: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token.kind !== "word") continue;
    // What follows belongs to another package, where `my` is for hiding.
    if (token.text === "package" && token.parent < 0 && isFlat(tokens, index)) break;
    if ((token.text !== "my" && token.text !== "our") || !isTopLevel(tokens, index)) continue;
    const found = declaration(tokens, index);
    if (!found) continue;
    names.push(...found.names);
    if (token.text === "my") edits.push(...rewritten(tokens, index, found));
  }
  return { source: edited(source, edits), kind: kindOf(tokens), names: [...new Set(names)], data };
}

/** Whether more is to come before it can be run. */
export function isComplete({ unclosed, stray }: Tokens): "complete" | "incomplete" | "invalid" {
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
  if (first?.kind === "variable") return { names: [first.text], next: index + 2, gaps: false };
  if (first?.text !== "(") return null;
  let next = index + 2;
  while (next < tokens.length && tokens[next].parent === index + 1) next++;
  const inner = tokens.slice(index + 2, next - (tokens[next - 1]?.text === ")" ? 1 : 0));
  const names = inner.filter(({ kind }) => kind === "variable").map(({ text }) => text);
  return {
    names,
    next: tokens[next]?.text === ")" ? next + 1 : next,
    gaps: inner.some(({ text }) => text === "undef"),
  };
}

function rewritten(tokens: Token[], index: number, { names, next, gaps }: Declaration): Edit[] {
  const { start } = tokens[index];
  const end = start + "my".length;
  if (names.length === 0) return [{ start, end, text: "  " }];
  const after = tokens[next];
  const begins = index === 0 || /^[;}]$/.test(tokens[index - 1].text);
  // A new variable is empty, one of the package may have been there before.
  const fresh = begins && (after === undefined || after.text === ";");
  if (fresh) return [{ start, end: after?.start ?? endOf(tokens[next - 1]), text: `our (${names.join(", ")}) = ()` }];
  if (!gaps) return [{ start, end, text: "our" }];
  const inner = tokens.slice(index + 1, next).filter(({ kind }) => kind === "variable");
  return [{ start, end, text: "" }, ...inner.map((each) => ({ start: each.start, end: each.start, text: "our " }))];
}

function endOf({ start, text }: Token): number {
  return start + text.length;
}

function edited(source: string, edits: Edit[]): string {
  let text = source;
  for (const { start, end, text: other } of edits.toReversed()) {
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
  if (before && (before.text === "for" || before.text === "foreach")) return false;
  for (let at = tokens[index].parent; at >= 0; at = tokens[at].parent) {
    if (tokens[at].text === "{") return false;
    const head = tokens[at - 1];
    if (head?.kind === "word" && HEADS.has(head.text) && beginsStatement(tokens, at - 1)) return false;
  }
  return true;
}

function beginsStatement(tokens: Token[], index: number): boolean {
  return index === 0 || /^[;{}]$/.test(tokens[index - 1].text);
}

function kindOf(tokens: Token[]): ValueKind {
  const last = lastStatement(tokens);
  const [first] = last;
  if (!first || first.kind === "word" && SILENT.has(first.text) && !isNameless(last)) return "none";
  if (last.some(({ kind, text, parent }) => kind === "sign" && parent === first.parent && ASSIGNMENT.test(text))) {
    return "none";
  }
  if (last.length === 1 && first.kind === "variable") {
    return first.text.startsWith("%") ? "hash" : first.text.startsWith("@") ? "list" : "auto";
  }
  const closes = last.findIndex(({ text, parent }, index) => index > 0 && parent === first.parent && text === ")");
  return first.text === "(" && closes === last.length - 1 ? "list" : "auto";
}

function lastStatement(tokens: Token[]): Token[] {
  let last: Token[] = [];
  let current: Token[] = [];
  for (const token of tokens) {
    if (token.parent < 0 && token.text === ";" && token.kind === "sign") {
      if (current.length > 0) last = current;
      current = [];
      continue;
    }
    // The closing bracket of a block ends a statement that needs no semicolon.
    if (current.length > 0 && token.parent < 0 && endsBlock(current)) {
      last = current;
      current = [];
    }
    current.push(token);
  }
  return current.length > 0 ? current : last;
}

function endsBlock(statement: Token[]): boolean {
  const [first] = statement;
  const last = statement[statement.length - 1];
  if (last.text !== "}" || last.kind !== "sign") return false;
  return BLOCKS.has(first.text) && first.kind === "word" && !isNameless(statement);
}

/** A sub without a name is a value. */
function isNameless(statement: Token[]): boolean {
  return statement[0].text === "sub" && statement[1]?.kind !== "word";
}
