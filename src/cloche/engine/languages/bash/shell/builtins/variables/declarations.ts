/** What declare, export and readonly print, and functions as they declare them. */
import { quoteAssigned } from "../../expansion/quote.ts";
import type { DeclarationWord, Interpreter } from "../../interpreter.ts";
import { AssociativeArray, IndexedArray } from "../../state/arrays.ts";
import { findDynamic } from "../../state/dynamic.ts";
import { printValue, printVariable } from "../../state/print.ts";
import { EXPORTED, READONLY, TRACED, type Variable } from "../../state/variables.ts";
import { printFunction } from "../../syntax/print.ts";
import type { Task } from "../../task.ts";
import type { Wanted } from "../../state/declare.ts";
import type { ShellFunction } from "../../state/shell_state.ts";

/** Prints the names that are given, else all that have the attributes. */
export function* printVariables(shell: Interpreter, words: DeclarationWord[], wanted: Wanted): Task<number> {
  const { variables } = shell.state;
  const { command, flags, on } = wanted;
  if (words.length > 0) return yield* printNamed(shell, words, wanted);
  const computed = flags.has("a") ? COMPUTED_LISTS : flags.has("A") ? COMPUTED_MAPS : [];
  const all = command === "local"
    ? variables.localNames().sort()
    : [...variables.names(), ...on === 0 ? computed : []].sort();
  const bare = (command === "declare" || command === "typeset") && on === 0 && flags.size === 0;
  let text = "";
  for (const name of all) {
    const variable = variables.find(name) ?? (computed.includes(name) ? readComputed(shell, name) : undefined);
    if (!variable || !isWanted(variable, wanted)) continue;
    if (!bare) text += `${printVariable(name, variable)}\n`;
    else if (variable.value !== undefined) text += `${printPlain(name, variable.value)}\n`;
  }
  if (bare) { for (const { node } of shell.state.functions.values()) text += `${printFunction(node)}\n`; }
  yield* shell.print(text);
  return 0;
}

/** Arrays that are computed but listed with the others. */
const COMPUTED_LISTS = ["BASH_LINENO", "BASH_SOURCE", "DIRSTACK", "FUNCNAME"];
const COMPUTED_MAPS = ["BASH_ALIASES", "BASH_CMDS"];

function readComputed(shell: Interpreter, name: string): Variable | undefined {
  const dynamic = findDynamic(shell, name);
  return dynamic && { value: dynamic.read(shell) ?? IndexedArray.declared(), attributes: 0 };
}

function isWanted(variable: Variable, { on, flags }: Wanted): boolean {
  if (on && (variable.attributes & on) !== on) return false;
  if (flags.has("a") && !(variable.value instanceof IndexedArray)) return false;
  return !flags.has("A") || variable.value instanceof AssociativeArray;
}

/** `name=value`, as `set` prints it. */
function printPlain(name: string, value: NonNullable<Variable["value"]>): string {
  return `${name}=${typeof value === "string" ? quoteAssigned(value) : printValue(value)}`;
}

function* printNamed(shell: Interpreter, words: DeclarationWord[], { command }: Wanted): Task<number> {
  let code = 0;
  for (const word of words) {
    const name = typeof word === "string" ? word : word.name;
    const dynamic = findDynamic(shell, name)?.read(shell);
    const variable = shell.state.variables.find(name) ??
      (dynamic === undefined ? undefined : { value: dynamic, attributes: 0 });
    if (variable) yield* shell.print(`${printVariable(name, variable)}\n`);
    else {
      shell.complain(`${command}: ${name}: not found`);
      code = 1;
    }
  }
  return code;
}

/** -f and -F: prints functions, or gives them attributes. */
export function* declareFunctions(shell: Interpreter, words: DeclarationWord[], wanted: Wanted): Task<number> {
  const all = shell.state.functions;
  const { command, on, off, flags } = wanted;
  if (words.length === 0) return yield* listFunctions(shell, wanted);
  let code = 0;
  for (const word of words) {
    const name = typeof word === "string" ? word : word.name;
    const found = all.get(name);
    if (typeof word !== "string" || /^[^=]+=/.test(word)) {
      shell.complain(`${command}: cannot use \`-f' to make functions`);
      return 1;
    }
    if (!found) {
      if (command === "export" || command === "readonly") shell.complain(`${command}: ${name}: not a function`);
      else if (flags.has("p")) shell.complain(`${command}: ${name}: not found`);
      code = 1;
    } else if ((on | off) & MARKS) {
      if (found.readonly && off & READONLY) {
        shell.complain(`${command}: ${name}: readonly function`);
        code = 1;
      } else all.set(name, markFunction(found, wanted));
    } else if (flags.has("F") && flags.has("p")) yield* shell.print(`declare -f${marksOf(found)} ${name}\n`);
    else yield* shell.print(flags.has("F") ? `${name}\n` : `${printFunction(found.node)}\n`);
  }
  return code;
}

const MARKS = EXPORTED | READONLY | TRACED;

function markFunction(found: ShellFunction, { on, off }: Wanted): ShellFunction {
  return {
    ...found,
    exported: (found.exported || (on & EXPORTED) !== 0) && !(off & EXPORTED),
    readonly: found.readonly || (on & READONLY) !== 0,
    traced: (found.traced || (on & TRACED) !== 0) && !(off & TRACED),
  };
}

function marksOf({ readonly, traced, exported }: ShellFunction): string {
  return `${readonly ? "r" : ""}${traced ? "t" : ""}${exported ? "x" : ""}`;
}

/** A function's text, and what else would make it what it is. */
function defineFunction(name: string, found: ShellFunction): string {
  const marks = marksOf(found);
  return `${printFunction(found.node)}\n${marks === "" ? "" : `declare -f${marks} ${name}\n`}`;
}

/** All functions, or those that have the attributes. */
function* listFunctions(shell: Interpreter, { on, flags }: Wanted): Task<number> {
  for (const [name, found] of [...shell.state.functions].sort(([a], [b]) => a < b ? -1 : 1)) {
    if (on & EXPORTED && !found.exported || on & READONLY && !found.readonly || on & TRACED && !found.traced) continue;
    yield* shell.print(flags.has("F") ? `declare -f${marksOf(found)} ${name}\n` : defineFunction(name, found));
  }
  return 0;
}
