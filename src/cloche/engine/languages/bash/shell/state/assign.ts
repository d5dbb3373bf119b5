/** Reads and writes variables by bash's rules: references, attributes, arrays. */
import { type ArrayElement, type ExpandedAssignment, ExpansionError, type Interpreter } from "../interpreter.ts";
import { AssociativeArray, IndexedArray } from "./arrays.ts";
import { convertValue, evaluateIndex, expandSubscriptText } from "./convert.ts";
import { DYNAMIC, findDynamic } from "./dynamic.ts";
import { EXPORTED, NAMEREF, READONLY, type Value, type Variable } from "./variables.ts";

const NAME = /^[A-Za-z_]\w*$/;
const ELEMENT = /^([A-Za-z_]\w*)\[([^]*)\]$/;
/** JavaScript's own arrays end here. */
const MAX_INDEX = 2 ** 32 - 2;
/** References that lead on may be this many. */
const MOST_REFERENCES = 8;

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** The parts of `name[subscript]`; the bracket has to close at the end, unless it is `loose`. */
export function splitElement(text: string, loose = false): { name: string; subscript?: string } {
  const [, name, subscript] = ELEMENT.exec(text) ?? [];
  return name === undefined || !loose && !isBalanced(subscript) ? { name: text } : { name, subscript };
}

/** Whether brackets and quotes in a subscript close, and none closes too early. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "[") depth++;
    else if (char === "]" && depth-- === 0) return false;
    else if (char === "'" || char === '"') {
      at = text.indexOf(char, at + 1);
      if (at < 0) return false;
    }
  }
  return depth === 0;
}

/** The parts of `name[subscript]` from a text; what is quoted or to be expanded in the subscript is done. */
export function parseElement(shell: Interpreter, text: string): { name: string; subscript?: string } {
  const { name, subscript } = splitElement(text);
  return subscript === undefined ? { name } : { name, subscript: expandSubscriptText(shell, subscript) };
}

/** The variable that a name stands for, references followed; the result may be `name[subscript]`. */
export function resolveName(shell: Interpreter, given: string): string {
  let name = given;
  const { variables } = shell.state;
  for (let i = 0; i < MOST_REFERENCES; i++) {
    const variable = variables.find(name);
    if (!variable || !(variable.attributes & NAMEREF) || typeof variable.value !== "string") return name;
    if (variable.value === "") return name;
    if (variable.value === name) break;
    name = variable.value;
  }
  shell.complain(`warning: ${given}: circular name reference`);
  return given;
}

/** The value of a name: text or an array; undefined if it is not set. */
export function readValue(shell: Interpreter, name: string): Value | undefined {
  const { variables } = shell.state;
  let variable = variables.find(name);
  if (variable && variable.attributes & NAMEREF) {
    const target = resolveName(shell, name);
    const { name: base, subscript } = parseElement(shell, target);
    if (subscript !== undefined) return readElement(shell, base, subscript);
    // A reference to itself stands for the variable outside of the function.
    if (target === name) return readGlobal(shell, name);
    name = target;
    variable = variables.find(target);
  }
  const dynamic = findDynamic(shell, name);
  return dynamic ? dynamic.read(shell) : variable?.value;
}

function readGlobal(shell: Interpreter, name: string): Value | undefined {
  const variable = shell.state.variables.findGlobal(name);
  return variable && variable.attributes & NAMEREF ? undefined : variable?.value;
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
  if (subscript === "@" || subscript === "*") return typeof value === "object" ? value.values().join(" ") : value;
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
  const { name, subscript } = parseElement(shell, text);
  if (/^\d+$/.test(text)) return Number(text) <= shell.state.positional.length;
  if (subscript === undefined) return readVariable(shell, name) !== undefined;
  const value = readValue(shell, name);
  if ((subscript === "@" || subscript === "*") && !(value instanceof AssociativeArray)) {
    return typeof value === "object" ? value.size > 0 : value !== undefined;
  }
  return readElement(shell, name, subscript) !== undefined;
}

/** Whether a name is a reference that stands for something. */
export function isReference({ state }: Interpreter, name: string): boolean {
  const variable = state.variables.find(name);
  return ((variable?.attributes ?? 0) & NAMEREF) !== 0 && variable?.value !== undefined;
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
      const { name: target, subscript } = parseElement(shell, resolveName(shell, name));
      if (subscript !== undefined) return assignReferred(shell, target, subscript, text, append);
      if (target !== name) return assignVariable(shell, target, text, append);
      return withOuter(shell, name, () => assignVariable(shell, name, text, append));
    }
    before = checkWritable(shell, name);
  }
  const dynamic = findDynamic(shell, name);
  if (dynamic) return dynamic.assign?.(shell, text);
  const old = before?.value;
  const attributes = (before?.attributes ?? 0) | (options.has("allexport") ? EXPORTED : 0);
  if (typeof old === "object") return assignElement(shell, name, "0", text, append);
  const value = attributes === 0 && !append
    ? text
    : convertValue(shell, attributes, text, append ? old ?? "" : undefined);
  variables.replace(name, { value, attributes });
  if (name === "PATH") shell.state.hashed.clear();
}

/** Assigns an element that a reference stands for; if its array is a reference too, it is one no longer. */
function assignReferred(shell: Interpreter, name: string, subscript: string, text: string, append: boolean): void {
  const { variables } = shell.state;
  const variable = variables.find(name);
  if (!variable || !(variable.attributes & NAMEREF)) return assignElement(shell, name, subscript, text, append);
  if (splitElement(String(variable.value)).name === name) {
    throw new ExpansionError(`\`${name}[${subscript}]': not a valid identifier`, false);
  }
  shell.complain(`warning: ${name}: removing nameref attribute`);
  variables.replace(name, { value: undefined, attributes: variable.attributes & ~NAMEREF });
  assignElement(shell, name, subscript, text, append);
}

/** Whether a name is a function's reference to itself, which stands for the variable outside. */
function isCircular({ state: { variables } }: Interpreter, name: string): boolean {
  const variable = variables.find(name);
  return variable !== undefined && (variable.attributes & NAMEREF) !== 0 && variable.value === name;
}

/** Lets a name mean the variable outside of functions for as long as `act` takes. */
function withOuter({ state: { variables } }: Interpreter, name: string, act: () => void): void {
  const reference = variables.find(name);
  const outer = variables.findGlobal(name);
  if (!reference || reference === outer) throw Object.assign(new ExpansionError("", false), { said: true });
  if (outer) variables.replace(name, outer);
  else variables.remove(name);
  try {
    act();
  } finally {
    variables.replaceGlobal(name, variables.find(name));
    variables.replace(name, reference);
  }
}

function setReference(shell: Interpreter, name: string, target: string): void {
  const { attributes = NAMEREF } = shell.state.variables.find(name) ?? {};
  if (!isName(splitElement(target).name)) {
    throw new ExpansionError(`\`${target}': not a valid identifier`, false);
  }
  shell.state.variables.replace(name, { value: target, attributes });
}

export { convertValue as convert } from "./convert.ts";

export function assignElement(
  shell: Interpreter,
  given: string,
  subscript: string,
  text: string,
  append = false,
): void {
  const { variables } = shell.state;
  const name = arrayName(shell, given);
  if (isCircular(shell, name)) return withOuter(shell, name, () => assignElement(shell, name, subscript, text, append));
  const before = checkWritable(shell, name);
  const dynamic = findDynamic(shell, name);
  if (dynamic) return dynamic.assign?.(shell, text, subscript);
  const attributes = (before?.attributes ?? 0) | (shell.state.options.has("allexport") ? EXPORTED : 0);
  // The subscript may change the array itself.
  const number = before?.value instanceof AssociativeArray ? 0 : evaluateSubscript(shell, name, subscript);
  const array = arrayOf(variables.find(name)?.value);
  if (array instanceof AssociativeArray) {
    if (subscript === "") throw badSubscript(`${name}[${subscript}]`);
    array.put(subscript, convertValue(shell, attributes, text, append ? array.get(subscript) ?? "" : undefined));
  } else {
    const index = placeIn(array, number, `${name}[${subscript}]`);
    array.put(index, convertValue(shell, attributes, text, append ? array.get(index) ?? "" : undefined));
  }
  variables.replace(name, { value: array, attributes });
}

/** The array to write to; plain text becomes its first element. */
function arrayOf(value: Value | undefined): IndexedArray | AssociativeArray {
  if (typeof value === "object") return value.writable();
  return new IndexedArray(value === undefined ? [] : [value]);
}

function evaluateSubscript(shell: Interpreter, name: string, subscript: string): number {
  if (subscript === "" || subscript === "@" || subscript === "*") throw badSubscript(`${name}[${subscript}]`);
  return evaluateIndex(shell, subscript);
}

/** The place of an index in an array; negative ones count from the end. */
function placeIn(array: IndexedArray, index: number, text: string): number {
  const place = index < 0 ? array.end + index : index;
  if (place < 0) throw badSubscript(text);
  if (place > MAX_INDEX) throw new ExpansionError(`${text}: index above ${MAX_INDEX}`, false);
  return place;
}

/** The array that a name stands for; a reference to an element is none. */
function arrayName(shell: Interpreter, name: string): string {
  const target = resolveName(shell, name);
  const variable = shell.state.variables.find(target);
  if (variable && variable.attributes & NAMEREF && !variable.value) {
    throw new ExpansionError("`': not a valid identifier", false);
  }
  if (!isName(target)) throw new ExpansionError(`\`${target}': not a valid identifier`, false);
  return target;
}

/** `name=(…)`. */
export function assignArray(
  shell: Interpreter,
  given: string,
  elements: ArrayElement[],
  append: boolean,
  associative = false,
): void {
  const { variables } = shell.state;
  const name = arrayName(shell, given);
  if (isCircular(shell, name)) {
    return withOuter(shell, name, () => assignArray(shell, name, elements, append, associative));
  }
  const before = checkWritable(shell, name);
  const attributes = before?.attributes ?? 0;
  const old = before?.value;
  if (associative || old instanceof AssociativeArray) {
    const array = append ? associativeOf(old) : new AssociativeArray();
    fillAssociative(shell, name, array, elements, attributes, associativeOf(old));
    return variables.replace(name, { value: array, attributes });
  }
  const array = append ? arrayOf(old) as IndexedArray : new IndexedArray();
  let next = array.end;
  // Subscripts see the elements before them.
  variables.replace(name, { value: array, attributes });
  for (const { subscript, value, append: adds } of elements) {
    if (subscript !== undefined) {
      const place = placeInList(shell, array, subscript, value);
      if (place === undefined) continue;
      next = place;
    }
    array.put(next, convertValue(shell, attributes, value, adds ? array.get(next) ?? "" : undefined));
    next++;
  }
}

/** In a list, a subscript that is none is said, and its element left out. */
function placeInList(shell: Interpreter, array: IndexedArray, subscript: string, value: string): number | undefined {
  const star = subscript === "@" || subscript === "*";
  const index = star || subscript === "" ? -Infinity : evaluateIndex(shell, subscript);
  const place = index < 0 ? array.end + index : index;
  if (place >= 0 && place <= MAX_INDEX) return place;
  shell.complain(`[${subscript}]=${value}: ${star ? "cannot assign to non-numeric index" : "bad array subscript"}`);
  return undefined;
}

function associativeOf(value: Value | undefined): AssociativeArray {
  if (value instanceof AssociativeArray) return value.writable();
  const text = value instanceof IndexedArray ? value.get(0) : value;
  return new AssociativeArray(text === undefined ? [] : [["0", text]]);
}

function fillAssociative(
  shell: Interpreter,
  name: string,
  array: AssociativeArray,
  elements: ArrayElement[],
  attributes: number,
  old: AssociativeArray,
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
    array.put(subscript, convertValue(shell, attributes, value, append ? old.get(subscript) ?? "" : undefined));
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
  const { name, subscript = key === undefined ? undefined : expandSubscriptText(shell, key) } = parseElement(
    shell,
    resolveName(shell, given),
  );
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
  if (variable.value instanceof IndexedArray && (subscript === "@" || subscript === "*")) {
    return variables.replace(name, { ...variable, value: new IndexedArray() });
  }
  const array = variable.value.writable();
  if (array instanceof AssociativeArray) array.put(subscript, undefined);
  else array.put(placeIn(array, evaluateIndex(shell, subscript), `unset: [${subscript}]`), undefined);
  variables.replace(name, { ...variable, value: array });
}

/** `unset -n`: removes a reference itself. */
export function unsetReference(shell: Interpreter, name: string): void {
  const { variables } = shell.state;
  if (!((variables.find(name)?.attributes ?? 0) & NAMEREF)) return;
  checkUnsettable(shell, name);
  variables.unset(name);
}

function checkUnsettable(shell: Interpreter, name: string): void {
  const variable = shell.state.variables.find(name);
  if (variable && variable.attributes & READONLY) {
    throw new ExpansionError(`unset: ${name}: cannot unset: readonly variable`, false);
  }
}
