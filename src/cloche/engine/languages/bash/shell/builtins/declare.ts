/** declare, typeset, local, export, readonly. */
import { type DeclarationBuiltin, type DeclarationWord, ExpansionError, type Interpreter } from "../interpreter.ts";
import { AssociativeArray, IndexedArray } from "../state/arrays.ts";
import { applyAssignment, assignArray, convert, isName } from "../state/assign.ts";
import { printVariable } from "../state/print.ts";
import { CAPITALIZED, EXPORTED, INTEGER, LOWER, NAMEREF, READONLY, TRACED, UPPER, type Value } from "../state/variables.ts";
import { printFunction } from "../syntax/print.ts";
import type { Task } from "../task.ts";

const BITS: Record<string, number> = { i: INTEGER, l: LOWER, u: UPPER, c: CAPITALIZED, n: NAMEREF, r: READONLY, t: TRACED, x: EXPORTED };

interface Wanted {
  on: number;
  off: number;
  flags: Set<string>;
}

function declaring(command: string, always: number, isLocal: boolean): DeclarationBuiltin {
  return function* (shell, args) {
    const wanted: Wanted = { on: always, off: 0, flags: new Set() };
    let at = 0;
    for (; at < args.length; at++) {
      const word = args[at];
      if (typeof word !== "string" || !/^[-+][A-Za-z]+$/.test(word)) break;
      for (const letter of word.slice(1)) {
        if (word[0] === "+") wanted.off |= BITS[letter] ?? 0;
        else if (command === "export" && letter === "n") wanted.off |= EXPORTED;
        else if (letter in BITS && !(command === "readonly" && letter === "n")) wanted.on |= BITS[letter];
        else wanted.flags.add(letter);
      }
    }
    if (args[at] === "--") at++;
    const rest = args.slice(at);
    if (isLocal && shell.state.variables.depth === 0) {
      shell.complain("local: can only be used in a function");
      return 1;
    }
    if (wanted.flags.has("f") || wanted.flags.has("F")) return yield* functions(shell, rest, wanted);
    if (rest.length === 0 || wanted.flags.has("p")) return yield* printThem(shell, command, rest, wanted);
    let code = 0;
    for (const word of rest) {
      try {
        declareOne(shell, word, wanted, command === "declare" && shell.state.variables.depth > 0 || isLocal);
      } catch (error) {
        if (!(error instanceof ExpansionError)) throw error;
        shell.complain(`${command}: ${error.message}`);
        code = 1;
      }
    }
    return code;
  };
}

function declareOne(shell: Interpreter, word: DeclarationWord, wanted: Wanted, local: boolean): void {
  const { variables } = shell.state;
  const assignment = typeof word === "string" ? split(word) : word;
  const { name } = assignment;
  if (!isName(name)) throw new ExpansionError(`\`${typeof word === "string" ? word : name}': not a valid identifier`, false);
  const global = wanted.flags.has("g");
  if (local && !global) {
    const before = variables.hide(name);
    if (!variables.find(name)) variables.replace(name, { value: undefined, attributes: before && before.attributes & EXPORTED ? EXPORTED : 0 });
  }
  const before = variables.find(name);
  const wantsNew = before === undefined || before.value === undefined;
  let value: Value | undefined = before?.value;
  if (wanted.flags.has("A") && !(value instanceof AssociativeArray)) value = new AssociativeArray();
  else if (wanted.flags.has("a") && typeof value !== "object" && (wantsNew || value !== undefined)) {
    value = new IndexedArray(typeof value === "string" ? [value] : []);
  }
  const attributes = ((before?.attributes ?? 0) | (wanted.on & ~READONLY)) & ~wanted.off;
  if (before && before.attributes & READONLY && (assignment.value !== undefined || wanted.off & READONLY)) {
    throw new ExpansionError(`${name}: readonly variable`, false);
  }
  variables.replace(name, { value, attributes: attributes & ~NAMEREF | (wanted.on & NAMEREF && assignment.value === undefined ? NAMEREF : attributes & NAMEREF) });
  if (assignment.value !== undefined) {
    if (wanted.on & NAMEREF && typeof assignment.value === "string") {
      variables.replace(name, { value: assignment.value, attributes });
    } else if (Array.isArray(assignment.value)) assignArray(shell, name, assignment.value, assignment.append);
    else applyAssignment(shell, { ...assignment, value: assignment.value });
  } else if (typeof value === "string" && wanted.on & (INTEGER | UPPER | LOWER)) {
    variables.replace(name, { value: convert(shell, attributes, value), attributes });
  }
  if (wanted.on & READONLY) {
    const now = variables.find(name);
    if (now) variables.replace(name, { ...now, attributes: now.attributes | READONLY });
  }
}

function split(word: string): { name: string; subscript?: string; append: boolean; value?: string } {
  const [, name, subscript, plus, value] = /^([^=[+]*)(?:\[([^]*?)\])?(?:(\+?)=([^]*))?$/.exec(word) ?? [];
  return { name: name ?? word, ...subscript === undefined ? {} : { subscript }, append: plus === "+", ...value === undefined ? {} : { value } };
}

function* printThem(shell: Interpreter, command: string, names: DeclarationWord[], wanted: Wanted): Task<number> {
  const { variables } = shell.state;
  let code = 0;
  const mask = wanted.on;
  const list = names.length > 0
    ? names.map((name) => typeof name === "string" ? name : name.name)
    : command === "local" ? variables.localNames().sort() : [...variables.names()].sort();
  for (const name of list) {
    const variable = variables.find(name);
    if (!variable) {
      shell.complain(`${command}: ${name}: not found`);
      code = 1;
      continue;
    }
    if (names.length === 0) {
      if (mask && (variable.attributes & mask) !== mask) continue;
      if (wanted.flags.has("a") && !(variable.value instanceof IndexedArray)) continue;
      if (wanted.flags.has("A") && !(variable.value instanceof AssociativeArray)) continue;
    }
    yield* shell.print(`${printVariable(name, variable)}\n`);
  }
  return code;
}

function* functions(shell: Interpreter, names: DeclarationWord[], wanted: Wanted): Task<number> {
  const all = shell.state.functions;
  let code = 0;
  for (const name of names.length > 0 ? names.map(String) : [...all.keys()].sort()) {
    const found = all.get(name);
    if (!found) {
      code = 1;
      continue;
    }
    if (wanted.on & EXPORTED) all.set(name, { ...found, exported: true });
    else if (wanted.on & READONLY && names.length > 0) all.set(name, { ...found, readonly: true });
    else if (wanted.flags.has("F")) yield* shell.print(names.length > 0 ? `${name}\n` : `declare -f ${name}\n`);
    else yield* shell.print(`${printFunction(found.node)}\n`);
  }
  return code;
}

export const declarationBuiltins: Record<string, DeclarationBuiltin> = {
  declare: declaring("declare", 0, false),
  typeset: declaring("declare", 0, false),
  local: declaring("local", 0, true),
  export: declaring("export", EXPORTED, false),
  readonly: declaring("readonly", READONLY, false),
};
