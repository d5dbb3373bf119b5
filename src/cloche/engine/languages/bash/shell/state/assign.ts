/** Reads and writes variables by bash's rules: references, attributes, arrays. */
import { type ArrayElement, type ExpandedAssignment, ExpansionError, type Interpreter } from "../interpreter.ts";
import { AssociativeArray, IndexedArray } from "./arrays.ts";
import { convertValue, evaluateIndex } from "./convert.ts";
import { DYNAMIC, findDynamic } from "./dynamic.ts";
import { EXPORTED, NAMEREF, READONLY, type Value, type Variable } from "./variables.ts";

const NAME = /^[A-Za-z_]\w*$/;
const ELEMENT = /^([A-Za-z_]\w*)\[([^]*)\]$/;
/** References that lead on may be this many. */
const MOST_REFERENCES = 8;

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** The parts of `name[subscript]`. */
export function splitElement(text: string): { name: string; subscript?: string } {
  const [, name, subscript] = ELEMENT.exec(text) ?? [];
  return name === undefined ? { name: text } : { name, subscript };
}

/** The variable that a name stands for, references followed; the result may be `name[subscript]`. */
export function resolveName(shell: Interpreter, name: string): string {
  const { variables } = shell.state;
  for (let i = 0; i < MOST_REFERENCES; i++) {
    const variable = variables.find(name);
    if (!variable || !(variable.attributes & NAMEREF) || typeof variable.value !== "string") return name;
    if (variable.value === "" || variable.value === name) return name;
    name = variable.value;
  }
  shell.complain(`warning: ${name}: circular name reference`);
  return name;
}

/** The value of a name: text or an array; undefined if it is not set. */
export function readValue(shell: Interpreter, name: string): Value | undefined {
  const { variables } = shell.state;
  let variable = variables.find(name);
  if (variable && variable.attributes & NAMEREF) {
    const target = resolveName(shell, name);
    const { name: base, subscript } = splitElement(target);
    if (subscript !== undefined) return readElement(shell, base, subscript);
    name = target;
    variable = variables.find(target);
  }
  const dynamic = findDynamic(shell, name);
  return dynamic ? dynamic.read(shell) : variable?.value;
}

/** The value of a name as text: of an array its first element. */
export function readVariable(shell: Interpreter, name: string): string | undefined {
  const value = readValue(shell, name);
  if (value === undefined || typeof value === "string") return value;
  return value instanceof IndexedArray ? value.get(0) : value.get("0");
}

export function readArray(shell: Interpreter, name: string): Value | undefined {
  return readValue(shell, name);
}

/** An element; the subscript is expanded: a key, or arithmetic. */
export function readElement(shell: Interpreter, name: string, subscript: string): string | undefined {
  const value = readValue(shell, name);
  if (value instanceof AssociativeArray) return value.get(subscript);
  const index = evaluateIndex(shell, subscript);
  if (value instanceof IndexedArray) {
    if (index >= 0 || value.end + index >= 0) return value.get(index);
    shell.complain(`${name}: bad array subscript`);
    return undefined;
  }
  return index === 0 || index === -1 ? value : undefined;
}

function badSubscript(text: string): ExpansionError {
  return new ExpansionError(`${text}: bad array subscript`, false);
}

/** Whether a name, or `name[subscript]`, has a value. */
export function isSet(shell: Interpreter, text: string): boolean {
  const { name, subscript } = splitElement(text);
  if (/^\d+$/.test(text)) return Number(text) <= shell.state.positional.length;
  if (subscript === undefined) return readVariable(shell, name) !== undefined;
  const value = readValue(shell, name);
  if (subscript === "@" || subscript === "*") return typeof value === "object" ? value.size > 0 : value !== undefined;
  return readElement(shell, name, subscript) !== undefined;
}

export function checkWritable(shell: Interpreter, name: string): Variable | undefined {
  const variable = shell.state.variables.find(name);
  if (variable && variable.attributes & READONLY) throw new ExpansionError(`${name}: readonly variable`, false);
  return variable;
}

/** Assigns text as `name=value` does. */
export function assignVariable(shell: Interpreter, name: string, text: string, append = false): void {
  const { variables, options } = shell.state;
  let before = variables.find(name);
  if (before !== undefined && before.attributes !== 0) {
    if (before.attributes & NAMEREF) {
      if (before.value === undefined || before.value === "") return setReference(shell, name, text);
      const { name: target, subscript } = splitElement(resolveName(shell, name));
      if (subscript !== undefined) return assignElement(shell, target, subscript, text, append);
      if (target !== name) return assignVariable(shell, target, text, append);
    }
    before = checkWritable(shell, name);
  }
  const dynamic = findDynamic(shell, name);
  if (dynamic) return dynamic.assign?.(shell, text);
  const old = before?.value;
  const attributes = (before?.attributes ?? 0) | (options.has("allexport") ? EXPORTED : 0);
  if (typeof old === "object") return assignElement(shell, name, "0", text, append);
  const value = attributes === 0 && !append ? text : convertValue(shell, attributes, text, append ? old ?? "" : undefined);
  variables.replace(name, { value, attributes });
  if (name === "PATH") shell.state.hashed.clear();
}

function setReference(shell: Interpreter, name: string, target: string): void {
  const { attributes = NAMEREF } = shell.state.variables.find(name) ?? {};
  if (!isName(splitElement(target).name)) {
    throw new ExpansionError(`\`${target}': not a valid identifier`, false);
  }
  shell.state.variables.replace(name, { value: target, attributes });
}

export { convertValue as convert } from "./convert.ts";

export function assignElement(shell: Interpreter, name: string, subscript: string, text: string, append = false): void {
  const { variables } = shell.state;
  name = splitElement(resolveName(shell, name)).name;
  const before = checkWritable(shell, name);
  const dynamic = findDynamic(shell, name);
  if (dynamic) return dynamic.assign?.(shell, text, subscript);
  const attributes = before?.attributes ?? 0;
  const array = arrayOf(before?.value);
  if (array instanceof AssociativeArray) {
    if (subscript === "") throw badSubscript(`${name}[${subscript}]`);
    array.put(subscript, convertValue(shell, attributes, text, append ? array.get(subscript) ?? "" : undefined));
  } else {
    const index = indexOf(shell, array, name, subscript);
    array.put(index, convertValue(shell, attributes, text, append ? array.get(index) ?? "" : undefined));
  }
  variables.replace(name, { value: array, attributes });
}

/** The array to write to; plain text becomes its first element. */
function arrayOf(value: Value | undefined): IndexedArray | AssociativeArray {
  if (typeof value === "object") return value.writable();
  return new IndexedArray(value === undefined ? [] : [value]);
}

function indexOf(shell: Interpreter, array: IndexedArray, name: string, subscript: string): number {
  if (subscript === "") throw badSubscript(`${name}[${subscript}]`);
  const index = evaluateIndex(shell, subscript);
  const real = index < 0 ? array.end + index : index;
  if (real < 0) throw badSubscript(`${name}[${subscript}]`);
  return real;
}

/** `name=(…)`. */
export function assignArray(
  shell: Interpreter,
  name: string,
  elements: ArrayElement[],
  append: boolean,
  associative = false,
): void {
  const { variables } = shell.state;
  name = splitElement(resolveName(shell, name)).name;
  const before = checkWritable(shell, name);
  const attributes = before?.attributes ?? 0;
  const old = before?.value;
  if (associative || old instanceof AssociativeArray) {
    const array = append && old instanceof AssociativeArray ? old.writable() : new AssociativeArray();
    fillAssociative(shell, name, array, elements, attributes);
    return variables.replace(name, { value: array, attributes });
  }
  const array = append ? arrayOf(old) as IndexedArray : new IndexedArray();
  let next = array.end;
  for (const { subscript, value, append: adds } of elements) {
    if (subscript !== undefined) next = indexOf(shell, array, name, subscript);
    array.put(next, convertValue(shell, attributes, value, adds ? array.get(next) ?? "" : undefined));
    next++;
  }
  variables.replace(name, { value: array, attributes });
}

function fillAssociative(
  shell: Interpreter,
  name: string,
  array: AssociativeArray,
  elements: ArrayElement[],
  attributes: number,
): void {
  const bare = elements.length > 0 && elements[0].subscript === undefined;
  for (let i = 0; i < elements.length; i++) {
    const { subscript, value, append } = elements[i];
    if (bare) {
      array.put(value, convertValue(shell, attributes, elements[++i]?.value ?? ""));
      continue;
    }
    if (subscript === undefined) {
      shell.complain(`${name}: ${value}: must use subscript when assigning associative array`);
      continue;
    }
    if (subscript === "") throw badSubscript(`[${subscript}]=${value}`);
    array.put(subscript, convertValue(shell, attributes, value, append ? array.get(subscript) ?? "" : undefined));
  }
}

/** Gives a loop's variable its value; a reference refers to it instead. */
export function assignLoop(shell: Interpreter, name: string, value: string): void {
  const variable = shell.state.variables.find(name);
  if (variable && variable.attributes & NAMEREF) return setReference(shell, name, value);
  assignVariable(shell, name, value);
}

export function applyAssignment(shell: Interpreter, { name, subscript, append, value }: ExpandedAssignment): void {
  if (typeof value !== "string") {
    if (subscript !== undefined) {
      throw new ExpansionError(`${name}[${subscript}]: cannot assign list to array member`, false);
    }
    return assignArray(shell, name, value, append);
  }
  if (subscript === undefined) assignVariable(shell, name, value, append);
  else assignElement(shell, name, subscript, value, append);
}

/** Removes what a name stands for, or an element of it. */
export function unsetVariable(shell: Interpreter, given: string, key?: string): void {
  const { variables } = shell.state;
  const { name, subscript = key } = splitElement(resolveName(shell, given));
  if (subscript === undefined) {
    checkUnsettable(shell, name);
    if (DYNAMIC.has(name)) shell.state.undone.add(name);
    return variables.unset(name);
  }
  const variable = variables.find(name);
  checkUnsettable(shell, name);
  if (!variable || typeof variable.value !== "object") {
    if (variable && evaluateIndex(shell, subscript) === 0) variables.unset(name);
    return;
  }
  if (variable.value instanceof IndexedArray && (subscript === "@" || subscript === "*")) return variables.unset(name);
  const array = variable.value.writable();
  if (array instanceof AssociativeArray) array.put(subscript, undefined);
  else array.put(indexOf(shell, array, name, subscript), undefined);
  variables.replace(name, { ...variable, value: array });
}

function checkUnsettable(shell: Interpreter, name: string): void {
  const variable = shell.state.variables.find(name);
  if (variable && variable.attributes & READONLY) {
    throw new ExpansionError(`unset: ${name}: cannot unset: readonly variable`, false);
  }
}
