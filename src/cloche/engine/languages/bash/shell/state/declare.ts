/** Declares variables: attributes, scopes, references. */
import { type ExpandedAssignment, ExpansionError, type Interpreter } from "../interpreter.ts";
import { AssociativeArray, IndexedArray } from "./arrays.ts";
import { applyAssignment, assignArray, isName, resolveName, splitElement } from "./assign.ts";
import { convertValue } from "./convert.ts";
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
} from "./variables.ts";

const CASES = LOWER | UPPER | CAPITALIZED;

/** What the options of a call ask for. */
export interface Wanted {
  command: "declare" | "typeset" | "local" | "export" | "readonly";
  /** Attributes to set and to take away. */
  on: number;
  off: number;
  flags: Set<string>;
}

/** A name with or without a value. */
export type Declared = Omit<ExpandedAssignment, "value"> & { value?: ExpandedAssignment["value"] };

/** Where a name is looked for and put. */
interface Place {
  /** It becomes the function's own. */
  own: boolean;
  /** It is the one outside of all functions. */
  global: boolean;
}

/** `local` says that a function runs whose own variables this declares. */
export function declareVariable(shell: Interpreter, given: Declared, wanted: Wanted, local: boolean): void {
  const { command, flags, on, off } = wanted;
  if ((command === "export" || command === "readonly") && given.subscript !== undefined) refuseElement(given);
  const place = { own: local && !flags.has("g"), global: local && flags.has("g") };
  if (on & NAMEREF) return declareReference(shell, given, wanted, place);
  if (off & NAMEREF && findIn(shell, given.name, place)) return dropReference(shell, given, wanted, place);
  const declared = follow(shell, given, wanted, place);
  if (declared) declarePlain(shell, declared, wanted, place);
}

function refuseElement({ name, subscript }: Declared): never {
  throw new ExpansionError(`\`${name}[${subscript}]': not a valid identifier`, false);
}

/** The variable that a declaration is about; one of a caller is none for a function. */
function findIn({ state: { variables } }: Interpreter, name: string, { own, global }: Place): Variable | undefined {
  if (global) return variables.findGlobal(name);
  return own && !variables.isLocal(name) ? undefined : variables.find(name);
}

function putIn({ state: { variables } }: Interpreter, name: string, variable: Variable, { global }: Place): void {
  if (global) variables.replaceGlobal(name, variable);
  else variables.replace(name, variable);
}

/** Goes to what a reference stands for; undefined if the reference itself was given its target. */
function follow(shell: Interpreter, given: Declared, wanted: Wanted, place: Place): Declared | undefined {
  const variable = findIn(shell, given.name, place);
  if (!variable || !(variable.attributes & NAMEREF)) return given;
  if (typeof variable.value === "string" && variable.value !== "") {
    const target = splitElement(place.global ? variable.value : resolveName(shell, given.name));
    if (target.subscript === undefined) return { ...given, name: target.name };
    if (wanted.command === "export" || wanted.command === "readonly") refuseElement(target as Declared);
    return { ...given, ...target };
  }
  const lists = wanted.flags.has("a") || wanted.flags.has("A") || Array.isArray(given.value);
  if (lists || given.subscript !== undefined) {
    if (given.value !== undefined) shell.complain(`warning: ${given.name}: removing nameref attribute`);
    putIn(shell, given.name, { ...variable, attributes: variable.attributes & ~NAMEREF }, place);
    return given;
  }
  if (given.value === undefined) {
    if (!(wanted.off & READONLY)) {
      const attributes = (variable.attributes | wanted.on) & ~wanted.off;
      putIn(shell, given.name, { ...variable, attributes }, place);
    }
    return undefined;
  }
  if (!place.own && !isTarget(String(given.value))) {
    shell.state.variables.remove(given.name);
    throw new ExpansionError(`\`${given.value}': not a valid identifier`, false);
  }
  declareReference(shell, given, { ...wanted, on: NAMEREF }, place);
  return undefined;
}

function declarePlain(shell: Interpreter, assignment: Declared, wanted: Wanted, place: Place): void {
  const { variables } = shell.state;
  const { flags, on, off } = wanted;
  const { name } = assignment;
  if (place.own) hideName(shell, name, flags);
  else if (on & (EXPORTED | READONLY)) variables.keepTemporary(name);
  const before = place.global ? variables.findGlobal(name) : variables.find(name);
  if (before && before.attributes & READONLY && (assignment.value !== undefined || off & READONLY)) {
    refuseReadonly(name);
  }
  if (
    flags.has("+a") && before?.value instanceof IndexedArray || flags.has("+A") && typeof before?.value === "object"
  ) {
    throw new ExpansionError(`${name}: cannot destroy array variables in this way`, false);
  }
  const attributes = attributesOf(before?.attributes ?? 0, on, off);
  putIn(shell, name, { value: arrayFor(name, before?.value, assignment, flags), attributes }, place);
  if (assignment.value !== undefined) {
    assignDeclared(shell, { ...assignment, name, value: assignment.value }, place.global);
  }
  if (!(on & READONLY)) return;
  const now = place.global ? variables.findGlobal(name) : variables.find(name);
  if (now) putIn(shell, name, { ...now, attributes: now.attributes | READONLY }, place);
}

function refuseReadonly(name: string): never {
  throw new ExpansionError(`${name}: readonly variable`, false);
}

/** Makes a name the function's own; it is exported if what it hides is. */
function hideName(shell: Interpreter, name: string, flags: Set<string>): void {
  const { variables, shopt } = shell.state;
  if (variables.isLocal(name)) return;
  const outer = variables.find(name);
  if (outer && outer.attributes & READONLY) refuseReadonly(name);
  variables.hide(name);
  const inherits = flags.has("I") || shopt.has("localvar_inherit") || outer && outer.attributes & TEMPORARY;
  if (outer && inherits) variables.replace(name, { ...outer, attributes: outer.attributes & ~(NAMEREF | TEMPORARY) });
  else variables.replace(name, { value: undefined, attributes: (outer?.attributes ?? 0) & EXPORTED });
}

function attributesOf(before: number, on: number, off: number): number {
  const cases = on & CASES;
  // Two of them cancel each other.
  const wanted = cases & (cases - 1) ? on & ~CASES : on;
  const kept = cases ? before & ~CASES : before;
  return (kept | (wanted & ~READONLY)) & ~off;
}

/** `declare -n`. */
function declareReference(
  shell: Interpreter,
  given: Declared,
  { command, on, off, flags }: Wanted,
  place: Place,
): void {
  const { name, value, append, subscript } = given;
  const element = subscript === undefined ? name : `${name}[${subscript}]`;
  const known = findIn(shell, name, place);
  if (subscript !== undefined || typeof value === "object" || typeof known?.value === "object") {
    throw new ExpansionError(`${element}: reference variable cannot be an array`, false);
  }
  let target = value;
  if (target !== undefined && on & INTEGER) target = convertValue(shell, INTEGER, target);
  if (target !== undefined && append) target = `${known?.value ?? ""}${target}`;
  if (target !== undefined) checkTarget(shell, name, target, command, place.own || place.global);
  if (place.own) hideName(shell, name, flags);
  const before = place.global ? shell.state.variables.findGlobal(name) : shell.state.variables.find(name);
  if (
    before && before.attributes & READONLY && (value !== undefined || off & READONLY || !(before.attributes & NAMEREF))
  ) {
    refuseReadonly(name);
  }
  const refers = target ?? before?.value;
  if (target === undefined && typeof refers === "string" && !isTarget(refers)) {
    throw new ExpansionError(`\`${refers}': invalid variable name for name reference`, false);
  }
  const kept = value === undefined
    ? before?.attributes ?? 0
    : (before?.attributes ?? 0) & (EXPORTED | TRACED | READONLY);
  const added = on & (value === undefined ? ~0 : EXPORTED | TRACED | READONLY);
  putIn(shell, name, { value: refers, attributes: (kept | added | NAMEREF) & ~off }, place);
}

/** What a reference may stand for: a name or an element. */
export function isTarget(text: string): boolean {
  return isName(splitElement(text).name);
}

function checkTarget(shell: Interpreter, name: string, target: string, command: string, local: boolean): void {
  if (target === "") throw new ExpansionError("`': not a valid identifier", false);
  if (!isTarget(target)) throw new ExpansionError(`\`${target}': invalid variable name for name reference`, false);
  if (splitElement(target).name !== name) return;
  if (!local) throw new ExpansionError(`${name}: nameref variable self references not allowed`, false);
  shell.complain(`${command}: warning: ${name}: circular name reference`);
  shell.complain(`warning: ${name}: circular name reference`);
}

/** `declare +n`: what else is asked for is done to what it stands for. */
function dropReference(shell: Interpreter, given: Declared, wanted: Wanted, place: Place): void {
  const before = findIn(shell, given.name, place);
  const rest = { ...wanted, off: wanted.off & ~NAMEREF };
  if (!before || !(before.attributes & NAMEREF)) return declareVariable(shell, given, rest, place.own || place.global);
  if (before.attributes & READONLY && before.value !== undefined) refuseReadonly(given.name);
  if (given.value !== undefined || rest.on !== 0) declareVariable(shell, given, rest, place.own || place.global);
  putIn(shell, given.name, { ...before, attributes: before.attributes & ~NAMEREF }, place);
}

/** The value that a name starts with: -a and -A make an array of it. */
function arrayFor(
  name: string,
  value: Value | undefined,
  { value: given, subscript }: Declared,
  flags: Set<string>,
): Value | undefined {
  if (flags.has("A")) {
    if (value instanceof AssociativeArray) return value;
    if (value instanceof IndexedArray) {
      throw new ExpansionError(`${name}: cannot convert indexed to associative array`, false);
    }
    return value === undefined ? AssociativeArray.declared() : new AssociativeArray([["0", value]]);
  }
  if (flags.has("a") || subscript !== undefined && given === undefined && typeof value !== "object") {
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
