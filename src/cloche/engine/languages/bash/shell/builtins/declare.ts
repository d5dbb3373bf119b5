/** declare, typeset, local, export, readonly. */
import { expandAssignment } from "../expansion/words.ts";
import {
  type DeclarationBuiltin,
  type DeclarationWord,
  type ExpandedAssignment,
  ExpansionError,
  type Interpreter,
} from "../interpreter.ts";
import { AssociativeArray, IndexedArray } from "../state/arrays.ts";
import { applyAssignment, assignArray, isName, parseElement, resolveName, splitElement } from "../state/assign.ts";
import {
  CAPITALIZED,
  EXPORTED,
  INTEGER,
  LOWER,
  NAMEREF,
  READONLY,
  TEMPORARY,
  TRACED,
  UPPER,
  type Value,
  type Variable,
} from "../state/variables.ts";
import { Parser } from "../syntax/parser.ts";
import type { Task } from "../task.ts";
import { declareFunctions, printVariables } from "./declarations.ts";

const BITS: Record<string, number> = {
  i: INTEGER,
  l: LOWER,
  u: UPPER,
  c: CAPITALIZED,
  n: NAMEREF,
  r: READONLY,
  t: TRACED,
  x: EXPORTED,
};
const CASES = LOWER | UPPER | CAPITALIZED;

type Command = "declare" | "typeset" | "local" | "export" | "readonly";

const LETTERS: Record<Command, string> = {
  declare: "aAcfFgiIlnprtux",
  typeset: "aAcfFgiIlnprtux",
  local: "aAcgiIlnprtux",
  export: "fnp",
  readonly: "aAfp",
};
const USAGE: Record<Command, string> = {
  declare: "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",
  typeset: "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
  local: "local [option] name[=value] ...",
  export: "export [-fn] [name[=value] ...] or export -p",
  readonly: "readonly [-aAf] [name[=value] ...] or readonly -p",
};

/** What the options of a call ask for. */
export interface Wanted {
  command: Command;
  /** Attributes to set and to take away. */
  on: number;
  off: number;
  flags: Set<string>;
}

function declaring(command: Command, always: number): DeclarationBuiltin {
  return function* (shell, args) {
    const wanted: Wanted = { command, on: always, off: 0, flags: new Set() };
    const rest = readOptions(shell, args, wanted);
    if (!rest) return 2;
    const { depth } = shell.state.variables;
    if (command === "local" && depth === 0) {
      shell.complain("local: can only be used in a function");
      return 1;
    }
    if (wanted.flags.has("f") || wanted.flags.has("F")) return yield* declareFunctions(shell, rest, wanted);
    if (rest.length === 0 || wanted.flags.has("p")) return yield* printVariables(shell, rest, wanted);
    const local = depth > 0 && (command === "declare" || command === "typeset" || command === "local");
    let code = 0;
    for (const word of rest) if (!(yield* declareWord(shell, word, wanted, local))) code = 1;
    return code;
  };
}

/** The words after the options; a wrong option is said and gives undefined. */
function readOptions(shell: Interpreter, args: DeclarationWord[], wanted: Wanted): DeclarationWord[] | undefined {
  const { command } = wanted;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    if (word === "--") return args.slice(at + 1);
    if (typeof word !== "string" || !/^[-+]./.test(word)) break;
    for (const letter of word.slice(1)) {
      if (!LETTERS[command].includes(letter)) {
        shell.complain(`${command}: ${word[0]}${letter}: invalid option`);
        shell.say(`${command}: usage: ${USAGE[command]}`);
        return undefined;
      }
      if (command === "export" && letter === "n") wanted.off |= EXPORTED;
      else if (letter in BITS) {
        if (word[0] === "+") wanted.off |= BITS[letter];
        else wanted.on |= BITS[letter];
      } else wanted.flags.add(word[0] === "+" ? `+${letter}` : letter);
    }
  }
  return args.slice(at);
}

/** Declares one name; what fails is said. */
function* declareWord(shell: Interpreter, word: DeclarationWord, wanted: Wanted, local: boolean): Task<boolean> {
  try {
    const given = typeof word === "string" ? parseText(shell, word) : word;
    const lists = wanted.flags.has("a") || wanted.flags.has("A");
    const assignment = lists && typeof given.value === "string" ? yield* parseList(shell, given, given.value) : given;
    declareOne(shell, assignment, wanted, local);
    return true;
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.fatal) throw error;
    shell.complain(`${wanted.command}: ${error.message}`);
    return false;
  }
}

type Declared = Omit<ExpandedAssignment, "value"> & { value?: ExpandedAssignment["value"] };

/** A word that was no assignment as written. */
function parseText(shell: Interpreter, word: string): Declared {
  const [, target, plus, value] = /^([^=]*?)(?:(\+?)=([^]*))?$/.exec(word) ?? [];
  const { name, subscript } = parseElement(shell, target ?? word);
  if (!isName(name)) throw new ExpansionError(`\`${word}': not a valid identifier`, false);
  const declared: Declared = { name, append: plus === "+" };
  if (subscript !== undefined) declared.subscript = subscript;
  return value === undefined ? declared : { ...declared, value };
}

/** With -a and -A, a value may be the text of a list in parentheses. */
function* parseList(shell: Interpreter, declared: Declared, value: string): Task<Declared> {
  if (!/^\([^]*\)$/.test(value) || declared.subscript !== undefined) return declared;
  const [statement] = new Parser(`x=${value}`).parseLine() ?? [];
  const [command] = statement?.pipelines[0]?.commands ?? [];
  if (command?.type !== "Simple" || command.assignments.length !== 1) return declared;
  return { ...declared, value: (yield* expandAssignment(shell, command.assignments[0])).value };
}

function declareOne(shell: Interpreter, assignment: Declared, wanted: Wanted, local: boolean): void {
  const { variables } = shell.state;
  const { command, flags, on, off } = wanted;
  if ((command === "export" || command === "readonly") && assignment.subscript !== undefined) {
    throw new ExpansionError(`\`${assignment.name}[${assignment.subscript}]': not a valid identifier`, false);
  }
  const hides = local && !flags.has("g");
  if (hides && on & NAMEREF && assignment.value === assignment.name) {
    // A reference to the caller's variable of the same name is that variable.
    shell.complain(`${command}: warning: ${assignment.name}: circular name reference`);
    return variables.reveal(assignment.name);
  }
  if (hides) hideName(shell, assignment.name, flags);
  const follows = !hides && !((on | off) & NAMEREF);
  const name = follows ? splitElement(resolveName(shell, assignment.name)).name : assignment.name;
  const global = flags.has("g") && local;
  const before = global ? variables.findGlobal(name) : variables.find(name);
  if (before && before.attributes & READONLY && (assignment.value !== undefined || off & READONLY)) {
    throw new ExpansionError(`${name}: readonly variable`, false);
  }
  const put = (variable: Variable) =>
    global ? variables.replaceGlobal(name, variable) : variables.replace(name, variable);
  if (on & NAMEREF) return declareReference(name, assignment, before, on & ~READONLY & ~off, put);
  const attributes = attributesOf(before?.attributes ?? 0, on, off);
  put({ value: arrayFor(name, before?.value, assignment, flags), attributes });
  if (assignment.value !== undefined) assignDeclared(shell, { ...assignment, name, value: assignment.value }, global);
  if (!(on & READONLY)) return;
  const now = global ? variables.findGlobal(name) : variables.find(name);
  if (now) put({ ...now, attributes: now.attributes | READONLY });
}

/** Makes a name the function's own; a variable from before its call keeps its value there. */
function hideName(shell: Interpreter, name: string, flags: Set<string>): void {
  const { variables, shopt } = shell.state;
  if (variables.isLocal(name)) return;
  const outer = variables.find(name);
  if (outer && outer.attributes & READONLY) throw new ExpansionError(`${name}: readonly variable`, false);
  variables.hide(name);
  const inherits = flags.has("I") || shopt.has("localvar_inherit") || outer && outer.attributes & TEMPORARY;
  if (outer && inherits) variables.replace(name, { ...outer, attributes: outer.attributes & ~(NAMEREF | TEMPORARY) });
  else variables.replace(name, { value: undefined, attributes: 0 });
}

function attributesOf(before: number, on: number, off: number): number {
  const cases = on & CASES;
  // Two of them cancel each other.
  const wanted = cases & (cases - 1) ? on & ~CASES : on;
  const kept = cases ? before & ~CASES : before;
  return (kept | (wanted & ~READONLY)) & ~off;
}

function declareReference(
  name: string,
  { value }: Declared,
  before: Variable | undefined,
  on: number,
  put: (variable: Variable) => void,
): void {
  const target = typeof value === "string" ? value : before?.value;
  if (typeof target === "object") throw new ExpansionError(`${name}: reference variable cannot be an array`, false);
  if (target === name) throw new ExpansionError(`${name}: nameref variable self references not allowed`, false);
  if (target !== undefined && target !== "" && !isName(splitElement(target).name)) {
    throw new ExpansionError(`\`${target}': invalid variable name for name reference`, false);
  }
  put({ value: target, attributes: (before?.attributes ?? 0) | on });
}

/** The value that a name starts with: -a and -A make an array of it. */
function arrayFor(
  name: string,
  value: Value | undefined,
  { value: given }: Declared,
  flags: Set<string>,
): Value | undefined {
  if (flags.has("A")) {
    if (value instanceof AssociativeArray) return value;
    if (value instanceof IndexedArray) {
      throw new ExpansionError(`${name}: cannot convert indexed to associative array`, false);
    }
    return value === undefined ? AssociativeArray.declared() : new AssociativeArray([["0", value]]);
  }
  if (flags.has("a")) {
    if (value instanceof AssociativeArray) {
      throw new ExpansionError(`${name}: cannot convert associative to indexed array`, false);
    }
    if (value instanceof IndexedArray) return value;
    return value === undefined ? IndexedArray.declared() : new IndexedArray([value]);
  }
  return value === undefined && Array.isArray(given) ? IndexedArray.declared() : value;
}

function assignDeclared(shell: Interpreter, assignment: ExpandedAssignment, global: boolean): void {
  const { variables } = shell.state;
  const { name, value, append } = assignment;
  const local = global ? variables.find(name) : undefined;
  const outer = global ? variables.findGlobal(name) : undefined;
  const shadowed = global && local !== outer;
  // For -g the name means the outer variable for a moment.
  if (shadowed && outer) variables.replace(name, outer);
  try {
    if (Array.isArray(value)) assignArray(shell, name, value, append);
    else applyAssignment(shell, assignment);
  } finally {
    if (shadowed) {
      variables.replaceGlobal(name, variables.find(name));
      if (local) variables.replace(name, local);
      else variables.remove(name);
    }
  }
}

export const declarationBuiltins: Record<string, DeclarationBuiltin> = {
  declare: declaring("declare", 0),
  typeset: declaring("typeset", 0),
  local: declaring("local", 0),
  export: declaring("export", EXPORTED),
  readonly: declaring("readonly", READONLY),
};
