/** Values of Scheme as JSON: lists and vectors are lists; strings, numbers and booleans are themselves. */

import { type DataWriter, writeData } from "../json_data.ts";
import { Real } from "./numbers/numbers.ts";
import { isList, NIL, Pair, Text, type Value } from "./vm/values.ts";

/** Null if it is not plain data: symbols, characters, pairs that are not lists. */
export function dataOf(value: Value): string | null {
  return writeData((data) => write(data, value));
}

function write(data: DataWriter, value: Value): string {
  if (typeof value === "boolean") return `${value}`;
  if (typeof value === "number" || typeof value === "bigint") return data.integer(value);
  if (value instanceof Real) return data.real(value.value);
  if (value instanceof Text) return data.text(value.toString());
  const items = Array.isArray(value)
    ? value
    : value === NIL || value instanceof Pair && isList(value)
    ? each(value)
    : null;
  return items ? data.list(items, (item: Value) => write(data, item)) : data.refuse();
}

function* each(list: Value): Iterable<Value> {
  for (let rest = list; rest instanceof Pair; rest = rest.cdr) yield rest.car;
}
