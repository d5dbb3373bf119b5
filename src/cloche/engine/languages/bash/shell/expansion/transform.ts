/** ${x@Q} and its like. */
import type { Interpreter } from "../interpreter.ts";
import { IndexedArray } from "../state/arrays.ts";
import { readValue, resolveName } from "../state/assign.ts";
import { attributeLetters, printAssignment } from "../state/print.ts";
import type { ParameterPart } from "../syntax/nodes.ts";
import { unescapeAnsi } from "../syntax/ansi.ts";
import type { ParameterValue } from "./parameters.ts";
import { quoteDouble, quoteKey, quoteReusable } from "./quote.ts";

export function transformText(operator: string, text: string): string {
  switch (operator) {
    case "Q":
      return quoteReusable(text);
    case "E":
      return unescapeAnsi(`${text.replaceAll("'", "\\'")}'`, 0).value;
    case "U":
      return text.toUpperCase();
    case "u":
      return text.charAt(0).toUpperCase() + text.slice(1);
    case "L":
      return text.toLowerCase();
  }
  return text;
}

/** @A, @a, @K and @k, which look at the variable and not only at its text. */
export function transformArray(
  shell: Interpreter,
  { name, subscript }: ParameterPart,
  operator: string,
  value: ParameterValue,
): string | string[] {
  const variable = shell.state.variables.find(resolveName(shell, name));
  if (operator === "a") {
    const letters = variable ? attributeLetters(variable) : "";
    return value.list ? value.list.map(() => letters) : letters;
  }
  if (operator === "A") {
    if (name === "@" || name === "*") return [`set -- ${shell.state.positional.map(quoteReusable).join(" ")}`];
    return variable ? printAssignment(name, variable, subscript !== undefined) : "";
  }
  const array = readValue(shell, name);
  if (!value.list || typeof array !== "object") {
    return value.list ? value.list.map(quoteReusable) : quoteReusable(value.text ?? "");
  }
  const keys = array.keys();
  const values = array.values();
  if (operator === "k") return keys.flatMap((key, i) => [key, values[i]]);
  const text = keys.map((key, i) => `${array instanceof IndexedArray ? key : quoteKey(key)} ${quoteDouble(values[i])}`);
  return array instanceof IndexedArray ? text.join(" ") : `${text.join(" ")} `;
}
