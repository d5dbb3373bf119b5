/** Rows of a result as JSON: a list of objects, one for each row. */

import { type DataWriter, writeData } from "../json_data.ts";
import type { Value } from "./database.ts";

/** Null if it is not plain data: bytes, strings that were cut, columns of the same name. */
export function dataOf(columns: string[], rows: Value[][]): string | null {
  return writeData((data) =>
    data.list(rows, (row) => {
      const named = columns.map((name, i): [string, Value] => [name, row[i]]);
      return data.object(named, (value) => write(data, value));
    })
  );
}

function write(data: DataWriter, value: Value): string {
  if (value.kind === "null") return "null";
  if (value.kind === "integer") return value.text;
  if (value.kind === "real") return data.real(Number(value.text));
  const whole = value.kind === "text" && value.size === new TextEncoder().encode(value.text).length;
  return whole ? data.text(value.text) : data.refuse();
}
