/** Reads CSV and TSV: fields in quotes may hold the separator, quotes and line ends. */

import type { Table } from "./table.ts";

/** The first row names the columns. */
export function readDelimited(text: string, separator: "," | "\t"): Table {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = new RegExp(
    `(?:"((?:[^"]|"")*)("|$)[^${separator}\\r\\n]*|([^${separator}\\r\\n]*))(${separator}|\\r?\\n|\\r|$)`,
    "y",
  );
  const given = text.replace(/^\ufeff/, "");
  while (field.lastIndex < given.length) {
    const [, quoted, , plain = "", end = ""] = field.exec(given) ?? [];
    if (quoted === undefined && end === undefined) break;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === separator) {
      if (field.lastIndex >= given.length) row.push("");
      continue;
    }
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  const [columns = [], ...rest] = rows;
  return { columns, rows: rest.filter((each) => each.length > 1 || each[0] !== "" || columns.length === 1) };
}
