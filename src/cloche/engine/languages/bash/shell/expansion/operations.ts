/** ${x#…}, ${x/…}, ${x:…}, ${x^…}, ${x@…}. */
import { blame, evaluateArithmetic } from "../arithmetic/evaluate.ts";
import { ExpansionError, type Interpreter } from "../interpreter.ts";
import { IndexedArray } from "../state/arrays.ts";
import { readValue } from "../state/assign.ts";
import type { ArithmeticNode, ParameterOperation, ParameterPart } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import { localeOf } from "./locale.ts";
import { bad, type ParameterValue } from "./parameters.ts";
import { compilePattern, type Matcher, type PatternOptions } from "./patterns.ts";
import { expandPrompt } from "./prompt.ts";
import { transformText } from "./transform.ts";
import { expandPattern, expandReplacement, expandWord } from "./words.ts";

type Of<T extends ParameterOperation["type"]> = Extract<ParameterOperation, { type: T }>;

/** The result of an operation, for a list that of each element. */
export function* operate(
  shell: Interpreter,
  part: ParameterPart,
  operation: ParameterOperation,
  value: ParameterValue,
): Task<string | string[]> {
  if (operation.type === "Substring") return yield* substring(shell, part, operation, value);
  if (operation.type === "Transform" && operation.operator === "P") return yield* expandPrompts(shell, value);
  const change = yield* changeOf(shell, operation);
  return value.list ? value.list.map(change) : change(value.text ?? "");
}

/** `${x@P}` */
function* expandPrompts(shell: Interpreter, { list, text = "" }: ParameterValue): Task<string | string[]> {
  if (!list) return yield* expandPrompt(shell, text);
  const expanded: string[] = [];
  for (const each of list) expanded.push(yield* expandPrompt(shell, each));
  return expanded;
}

function* changeOf(shell: Interpreter, operation: ParameterOperation): Task<(text: string) => string> {
  switch (operation.type) {
    case "Remove": {
      const { encode, decode } = localeOf(shell);
      const matcher = compilePattern(encode(yield* expandPattern(shell, operation.pattern)), optionsOf(shell));
      return (text) => decode(remove(encode(text), matcher, operation));
    }
    case "Replace":
      return yield* replacer(shell, operation);
    case "Case": {
      const { encode, decode, bytes } = localeOf(shell);
      const pattern = operation.pattern &&
        compilePattern(encode(yield* expandPattern(shell, operation.pattern)), optionsOf(shell));
      return (text) => decode(changeCase(encode(text), operation, pattern, bytes));
    }
    case "Transform":
      return (text) => transformText(operation.operator, text);
  }
  throw new Error(`no operation: ${operation.type}`);
}

function optionsOf(shell: Interpreter): PatternOptions {
  return { extglob: shell.state.shopt.has("extglob"), bytes: localeOf(shell).bytes };
}

function remove(text: string, matcher: Matcher, { side, longest }: Of<"Remove">): string {
  if (side === "prefix") {
    const length = matcher.prefix(text, longest);
    return length < 0 ? text : text.slice(length);
  }
  const length = matcher.suffix(text, longest);
  return length < 0 ? text : text.slice(0, text.length - length);
}

function* replacer(shell: Interpreter, operation: Of<"Replace">): Task<(text: string) => string> {
  const { all, anchor } = operation;
  const { encode, decode } = localeOf(shell);
  const pattern = encode(yield* expandPattern(shell, operation.pattern));
  const matcher = compilePattern(pattern, { ...optionsOf(shell), nocase: shell.state.shopt.has("nocasematch") });
  const replacement = operation.replacement ? yield* replacementOf(shell, operation.replacement) : () => "";
  if (pattern === "" && anchor === undefined) return (text) => text;
  const replaced = (match: string) => encode(replacement(decode(match)));
  return (text) => decode(replace(encode(text), matcher, { all, anchor }, replaced));
}

type Replacement = (match: string) => string;

function replace(
  text: string,
  matcher: Matcher,
  { all, anchor }: Pick<Of<"Replace">, "all" | "anchor">,
  replacement: Replacement,
): string {
  if (anchor !== undefined) {
    const length = anchor === "start" ? matcher.prefix(text, true) : matcher.suffix(text, true);
    if (length < 0) return text;
    return anchor === "start"
      ? replacement(text.slice(0, length)) + text.slice(length)
      : text.slice(0, text.length - length) + replacement(text.slice(text.length - length));
  }
  if (text === "") return matcher.match("") ? replacement("") : "";
  let result = "";
  let at = 0;
  while (at < text.length) {
    const found = matcher.find(text, at);
    if (!found || found.start >= text.length) break;
    result += text.slice(at, found.start) + replacement(text.slice(found.start, found.end));
    at = found.end;
    if (found.end === found.start) result += text[at++];
    if (!all) break;
  }
  return result + text.slice(at);
}

/** `&` in the replacement stands for the match, unless it is quoted (patsub_replacement). */
function* replacementOf(shell: Interpreter, word: Of<"Replace">["pattern"]): Task<(match: string) => string> {
  if (word.plain !== undefined && !word.plain.includes("&")) {
    const { plain } = word;
    return () => plain;
  }
  if (!shell.state.shopt.has("patsub_replacement")) {
    const text = yield* expandWord(shell, word);
    return () => text;
  }
  const text = yield* expandReplacement(shell, word);
  if (!/[\\&]/.test(text)) return () => text;
  const pieces = text.split(/(\\[\\&]|&)/);
  return (match) => pieces.map((piece) => piece === "&" ? match : piece.replace(/^\\([\\&])$/, "$1")).join("");
}

/** `ascii` says that there are no other letters. */
function changeCase(text: string, { change, all }: Of<"Case">, pattern: Matcher | undefined, ascii: boolean): string {
  const points = [...text];
  return points.map((char, i) => {
    if (i > 0 && !all || pattern && !pattern.match(char) || ascii && char > "\x7f") return char;
    const upper = char.toUpperCase();
    const lower = char.toLowerCase();
    const changed = change === "upper" ? upper : change === "lower" ? lower : char === lower ? upper : lower;
    return [...changed].length === 1 ? changed : char;
  }).join("");
}

function* substring(
  shell: Interpreter,
  part: ParameterPart,
  operation: Of<"Substring">,
  value: ParameterValue,
): Task<string | string[]> {
  if (operation.offset.text === "" && !operation.length) throw bad(shell, part);
  const offset = yield* compute(shell, part.name, operation.offset);
  const length = operation.length && (yield* compute(shell, part.name, operation.length));
  const scalar = part.subscript !== undefined && typeof readValue(shell, part.name) === "string";
  if (value.list && !scalar) return sliceList(shell, part, value.list, offset, length);
  const { encode, decode } = localeOf(shell);
  const text = encode(value.text ?? value.list?.[0] ?? "");
  const points = /[\ud800-\udbff]/.test(text) ? [...text] : undefined;
  const size = points?.length ?? text.length;
  const start = offset < 0 ? size + offset : offset;
  if (start < 0 || start > size) return "";
  const end = length === undefined ? size : length < 0 ? size + length : Math.min(size, start + length);
  if (end < start) throw new ExpansionError(`${operation.length?.text.trim()}: substring expression < 0`, false);
  return points ? points.slice(start, end).join("") : decode(text.slice(start, end));
}

function* compute(shell: Interpreter, name: string, node: ArithmeticNode): Task<number> {
  try {
    return Number(yield* evaluateArithmetic(shell, node));
  } catch (error) {
    throw blame(error, name);
  }
}

function sliceList(
  shell: Interpreter,
  { name, subscript }: ParameterPart,
  list: string[],
  offset: number,
  length: number | undefined,
): string[] {
  if (length !== undefined && length < 0) throw new ExpansionError(`${length}: substring expression < 0`, false);
  const end = (start: number) => length === undefined ? undefined : start + length;
  if (!subscript) {
    const all = [shell.state.name, ...list];
    const start = offset < 0 ? all.length + offset : offset;
    if (start < 0) return [];
    // $0 counts only if the offset is 0.
    return all.slice(start, end(start));
  }
  const array = readValue(shell, name);
  if (!(array instanceof IndexedArray)) {
    const start = offset < 0 ? list.length + offset : offset;
    return start < 0 ? [] : list.slice(start, end(start));
  }
  // Indices count, not positions.
  const from = offset < 0 ? array.end + offset : offset;
  if (from < 0) return [];
  const start = array.keys().findIndex((key) => Number(key) >= from);
  return start < 0 ? [] : list.slice(start, end(start));
}
