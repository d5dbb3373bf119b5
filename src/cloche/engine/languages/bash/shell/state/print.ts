/** Variables as `declare -p` prints them. */
import { quoteDouble, quoteKey, quoteReusable } from "../expansion/quote.ts";
import { AssociativeArray, IndexedArray } from "./arrays.ts";
import { CAPITALIZED, EXPORTED, INTEGER, LOWER, NAMEREF, READONLY, TRACED, UPPER, type Variable } from "./variables.ts";

const LETTERS: [number, string][] = [
  [INTEGER, "i"],
  [NAMEREF, "n"],
  [READONLY, "r"],
  [TRACED, "t"],
  [EXPORTED, "x"],
  [CAPITALIZED, "c"],
  [LOWER, "l"],
  [UPPER, "u"],
];

/** The letters of a variable's attributes, as `declare` takes them. */
export function attributeLetters({ value, attributes }: Variable): string {
  const kind = value instanceof IndexedArray ? "a" : value instanceof AssociativeArray ? "A" : "";
  return kind + LETTERS.filter(([bit]) => attributes & bit).map(([, letter]) => letter).join("");
}

/** `declare -x name="value"`. */
export function printVariable(name: string, variable: Variable): string {
  const letters = attributeLetters(variable);
  const head = `declare -${letters === "" ? "-" : letters} ${name}`;
  const { value } = variable;
  if (value === undefined || typeof value === "object" && value.unset) return head;
  return `${head}=${printValue(value)}`;
}

export function printValue(value: NonNullable<Variable["value"]>): string {
  if (typeof value === "string") return quoteDouble(value);
  const values = value.values();
  const items = value.keys().map((key, i) =>
    `[${value instanceof IndexedArray ? key : quoteKey(key)}]=${quoteDouble(values[i])}`
  );
  const end = value instanceof AssociativeArray && items.length > 0 ? " " : "";
  return `(${items.join(" ")}${end})`;
}

/** As ${x@A} gives it: an assignment, or a declaration if there are attributes. */
export function printAssignment(name: string, variable: Variable, whole: boolean): string {
  const letters = attributeLetters(variable);
  const { value } = variable;
  if (typeof value === "object") {
    if (whole) return printVariable(name, variable);
    const first = value.get("0" as never);
    return first === undefined ? "" : `declare -${letters} ${name}=${quoteReusable(first)}`;
  }
  const text = value === undefined ? name : `${name}=${quoteReusable(value)}`;
  return letters === "" ? text : `declare -${letters} ${text}`;
}
