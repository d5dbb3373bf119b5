/** $x and ${…}. */
import { ExpansionError, fatal, type Interpreter } from "../interpreter.ts";
import { AssociativeArray, IndexedArray } from "../state/arrays.ts";
import {
  assignElement,
  assignVariable,
  parseElement,
  readElement,
  readValue,
  readVariable,
  resolveName,
} from "../state/assign.ts";
import { DYNAMIC } from "../state/dynamic.ts";
import { SET_LETTERS } from "../state/shell_state.ts";
import { NAMEREF } from "../state/variables.ts";
import type { ParameterOperation, ParameterPart } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import type { FieldBuilder } from "./fields.ts";
import { countCharacters } from "./locale.ts";
import { operate } from "./operations.ts";
import { transformArray } from "./transform.ts";
import { expandParts, expandSubscript, expandWord } from "./words.ts";

/** What a parameter has: one text, or a list as "$@" is. Undefined: it is not set. */
export interface ParameterValue {
  text?: string;
  list?: string[];
  /** The list is joined in quotes, as "$*" is. */
  star?: boolean;
}

/** The text of a parameter without operation; what is not set is empty, or an error under `set -u`. */
export function readParameter(shell: Interpreter, { name, text: written }: ParameterPart): string {
  const text = findParameter(shell, name);
  if (text !== undefined) return text;
  if (shell.state.options.has("nounset")) throw unbound(shell, /^\$[\d!]/.test(written) ? written : name);
  return "";
}

/** What cannot be expanded. */
export function bad({ state }: Interpreter, { text }: ParameterPart): ExpansionError {
  return new ExpansionError(`${text}: bad substitution`, state.options.has("posix") && !state.interactive);
}

function unbound(shell: Interpreter, name: string): ExpansionError {
  return fatal(shell, `${name}: unbound variable`);
}

/** A name, a number, or one of the special parameters but @ and *. */
export function findParameter(shell: Interpreter, name: string): string | undefined {
  const code = name.charCodeAt(0);
  if (code >= 65 && code !== 95 || name.length > 1 && code > 57) return readVariable(shell, name);
  const { state } = shell;
  if (code >= 48 && code <= 57) return name === "0" ? state.name : state.positional[Number(name) - 1];
  switch (name) {
    case "?":
      return String(state.status);
    case "#":
      return String(state.positional.length);
    case "$":
      return String(state.shellPid);
    case "!":
      return state.lastJob === undefined ? undefined : String(state.lastJob);
    case "-":
      return optionLetters(shell);
  }
  return readVariable(shell, name);
}

function optionLetters({ state }: Interpreter): string {
  const letters = Object.keys(SET_LETTERS).filter((letter) => state.options.has(SET_LETTERS[letter]));
  return letters.join("") + state.startLetters;
}

export function* expandParameter(
  shell: Interpreter,
  part: ParameterPart,
  out: FieldBuilder,
  quoted: boolean,
): Task<void> {
  const { operation } = part;
  if (operation?.type === "Bad") throw bad(shell, part);
  if (operation?.type === "Names") return addList(shell, out, namesBy(shell, part.name), operation.star, quoted);
  if (operation?.type === "Keys") return addList(shell, out, keysOf(shell, part.name), operation.star, quoted);
  const target = part.indirect ? yield* follow(shell, part) : part;
  if (target === undefined) return;
  const value = yield* readTarget(shell, target);
  yield* apply(shell, target, value, out, quoted);
}

/** The parameter that ${!x} names; with a name that is a reference, the name it refers to is the result. */
function* follow(shell: Interpreter, part: ParameterPart): Task<ParameterPart | undefined> {
  const { indirect: _, ...plain } = part;
  const variable = shell.state.variables.find(part.name);
  if (variable && variable.attributes & NAMEREF && !part.subscript) {
    return { ...plain, name: "", literal: resolveName(shell, part.name) } as ParameterPart;
  }
  const found = yield* readTarget(shell, { ...plain, operation: undefined });
  const text = found.list && found.list.length > 0 ? found.list.join(" ") : found.text;
  if (text === undefined) {
    if (variable) return { ...plain, name: "", literal: undefined } as ParameterPart;
    throw new ExpansionError(`${part.name}: invalid indirect expansion`, false);
  }
  const { name, subscript } = parseElement(shell, text);
  if (!/^([A-Za-z_]\w*|\d+|[@*#?$!-])$/.test(name)) throw new ExpansionError(`${text}: invalid variable name`, false);
  if (subscript === undefined) return { ...plain, name, subscript: undefined };
  const inner = subscript === "@" || subscript === "*"
    ? subscript
    : { text: subscript, word: { type: "Word" as const, parts: [], text: subscript, plain: subscript } };
  return { ...plain, name, subscript: inner };
}

function* readTarget(shell: Interpreter, part: ParameterPart): Task<ParameterValue> {
  if ("literal" in part) return { text: part.literal as string | undefined };
  const { name, subscript } = part;
  if (name === "@" || name === "*") return { list: shell.state.positional, star: name === "*" };
  if (subscript === undefined) return { text: findParameter(shell, name) };
  if (subscript !== "@" && subscript !== "*" && subscript.text === "") throw bad(shell, part);
  if (subscript === "@" || subscript === "*") {
    const value = readValue(shell, name);
    const list = value === undefined ? [] : typeof value === "string" ? [value] : value.values();
    return { list, star: subscript === "*" };
  }
  return { text: readElement(shell, name, yield* expandSubscript(shell, name, subscript)) };
}

function* apply(
  shell: Interpreter,
  part: ParameterPart,
  value: ParameterValue,
  out: FieldBuilder,
  quoted: boolean,
): Task<void> {
  const { operation } = part;
  if (operation && "colon" in operation) return yield* applyDefault(shell, part, operation, value, out, quoted);
  if (value.text === undefined && value.list === undefined) {
    const declared = operation?.type === "Transform" && /[aA]/.test(operation.operator) && "literal" in part === false;
    if (shell.state.options.has("nounset")) throw unbound(shell, nameOf(part));
    if (declared) return add(out, String(transformArray(shell, part, operation.operator, value)), quoted);
    if (operation?.type === "Length") return add(out, "0", quoted);
    return add(out, "", quoted);
  }
  if (operation?.type === "Length") return add(out, String(lengthOf(shell, value)), quoted);
  if (operation?.type === "Transform" && /[AKka]/.test(operation.operator)) {
    const result = transformArray(shell, part, operation.operator, value);
    if (typeof result === "string") return add(out, result, quoted);
    return addList(shell, out, result, value.star ?? false, quoted);
  }
  if (!operation) {
    if (value.list) return addList(shell, out, value.list, value.star ?? false, quoted);
    return add(out, value.text ?? "", quoted);
  }
  const result = yield* operate(shell, part, operation, value);
  if (typeof result === "string") add(out, result, quoted);
  else addList(shell, out, result, value.star ?? false, quoted);
}

function nameOf({ name, subscript }: ParameterPart): string {
  return typeof subscript === "object" ? `${name}[${subscript.text}]` : name;
}

/** Characters; of a list, its elements. */
function lengthOf(shell: Interpreter, { list, text = "" }: ParameterValue): number {
  return list ? list.length : countCharacters(shell, text);
}

function add(out: FieldBuilder, text: string, quoted: boolean): void {
  if (quoted) out.addQuoted(text);
  else out.addExpanded(text);
}

/** A list: in quotes one field each or, for a star, one joined; else each is split. */
export function addList(shell: Interpreter, out: FieldBuilder, list: string[], star: boolean, quoted: boolean): void {
  const ifs = readVariable(shell, "IFS");
  if (star && quoted || out.separators === undefined && star) {
    const joined = list.join(ifs === undefined ? " " : ifs.slice(0, 1));
    return list.length === 0 && !quoted ? undefined : quoted ? out.addQuoted(joined) : out.addLiteral(joined);
  }
  if (out.separators === undefined) return quoted ? out.addQuoted(list.join(" ")) : out.addLiteral(list.join(" "));
  // Another separator than a blank keeps empty elements apart.
  if (!quoted && ifs !== undefined && /^[^ \t\n]/.test(ifs)) return out.addExpanded(list.join(ifs[0]));
  list.forEach((item, i) => {
    if (i > 0) quoted ? out.breakField() : out.breakOpen();
    if (quoted) out.addQuoted(item);
    else out.addExpanded(item);
  });
}

/** How many elements "$@" or "${a[@]}" has. */
export function countElements(shell: Interpreter, { name, subscript }: ParameterPart): number {
  if (subscript === undefined) return shell.state.positional.length;
  const value = readValue(shell, name);
  return value === undefined ? 0 : typeof value === "string" ? 1 : value.size;
}

function* applyDefault(
  shell: Interpreter,
  part: ParameterPart,
  operation: ParameterOperation & { colon: boolean },
  value: ParameterValue,
  out: FieldBuilder,
  quoted: boolean,
): Task<void> {
  const { colon, word, type } = operation as ParameterOperation & { type: "Default"; colon: boolean };
  const kind: string = type;
  const has = value.list
    ? value.list.length > 0 && !(colon && joinList(shell, value, quoted) === "")
    : value.text !== undefined && !(colon && value.text === "");
  if (kind === "Alternative") {
    if (has) yield* expandParts(shell, word.parts, out, quoted ? "quoted" : "expanded");
    else if (quoted && !value.list) out.addQuoted("");
    return;
  }
  if (has) {
    return value.list
      ? addList(shell, out, value.list, value.star ?? false, quoted)
      : add(out, value.text ?? "", quoted);
  }
  if (kind === "Default") {
    if (word.parts.length === 0 && quoted) out.addQuoted("");
    return yield* expandParts(shell, word.parts, out, quoted ? "quoted" : "expanded");
  }
  const text = yield* expandWord(shell, word);
  if (kind === "Error") {
    const reason = text !== "" ? text : colon ? "parameter null or not set" : "parameter not set";
    throw fatal(shell, `${nameOf(part)}: ${reason}`);
  }
  yield* assignDefault(shell, part, text);
  add(out, text, quoted);
}

function joinList(shell: Interpreter, { list = [], star }: ParameterValue, quoted: boolean): string {
  return list.join(star && quoted ? (readVariable(shell, "IFS") ?? " ").slice(0, 1) : " ");
}

function* assignDefault(shell: Interpreter, part: ParameterPart, text: string): Task<void> {
  const { name, subscript } = part;
  if (!/^[A-Za-z_]/.test(name)) throw new ExpansionError(`$${name}: cannot assign in this way`, false);
  if (typeof subscript === "object") {
    assignElement(shell, name, yield* expandSubscript(shell, name, subscript), text);
  } else assignVariable(shell, name, text);
}

function namesBy(shell: Interpreter, prefix: string): string[] {
  const names = new Set([...shell.state.variables.names(), ...DYNAMIC.keys()]);
  return [...names].filter((name) => name.startsWith(prefix)).sort();
}

function keysOf(shell: Interpreter, name: string): string[] {
  const value = readValue(shell, name);
  if (value instanceof IndexedArray || value instanceof AssociativeArray) return value.keys();
  return value === undefined ? [] : ["0"];
}
