import { deepStrictEqual } from "node:assert/strict";
import { readRows } from "./csv_import.ts";

Deno.test("values are read with quotes, line breaks and empty fields", () => {
  const rows = (text: string, separator = ",") => [...readRows(text, separator)];
  deepStrictEqual(rows("a,b\n1,2\n"), [["a", "b"], ["1", "2"]]);
  deepStrictEqual(rows('"x ""y""","a\nb"\r\n,\n'), [['x "y"', "a\nb"], ["", ""]]);
  deepStrictEqual(rows("a,\nb"), [["a", ""], ["b"]]);
  deepStrictEqual(rows("a\tb\r\nc\td", "\t"), [["a", "b"], ["c", "d"]]);
  deepStrictEqual(rows('"never closed'), [["never closed"]]);
  deepStrictEqual(rows('"a"b,c'), [["ab", "c"]]);
  deepStrictEqual(rows(""), []);
});
