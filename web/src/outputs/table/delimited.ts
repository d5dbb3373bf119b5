/** Tables in text: CSV with commas, semicolons or tabs, with quoted fields. */

import type { Table } from "./table.ts";

const DELIMITERS = [",", "\t", ";", "|"];

/** A whole table: the first row names the columns. */
export function readDelimited(text: string, delimiter: "," | "\t"): Table {
  const [columns = [], ...rest] = readTable(text, Infinity, delimiter).rows;
  return { columns, rows: rest.filter((each) => each.length > 1 || each[0] !== "" || columns.length === 1) };
}

/** The rows of a table, as many as are wanted, and whether there are more; its first line tells the delimiter. */
export function readTable(text: string, most: number, given?: string): { rows: string[][]; more: boolean } {
  const bare = text.replace(/^\ufeff/, "");
  const delimiter = given ?? findDelimiter(bare);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < bare.length) {
    const [field, next] = readField(bare, at, delimiter);
    row.push(field);
    at = next + 1;
    if (bare[next] === delimiter) {
      if (at >= bare.length) row.push("");
      else continue;
    } else if (bare[next] === "\r" && bare[next + 1] === "\n") at++;
    if (rows.length === most) return { rows, more: true };
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return { rows, more: false };
}

/** A field, and the place of what ends it. */
function readField(text: string, start: number, delimiter: string): [field: string, end: number] {
  if (text[start] !== '"') return readPlain(text, start, delimiter);
  let [field, at] = ["", start + 1];
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return [field + text.slice(at), text.length];
    field += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    field += '"';
    at++;
  }
  const [rest, end] = readPlain(text, at, delimiter);
  return [field + rest, end];
}

function readPlain(text: string, start: number, delimiter: string): [string, number] {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && text[end] !== "\r") end++;
  return [text.slice(start, end), end];
}

/** The character that stands most often in the first line. */
function findDelimiter(text: string): string {
  const line = text.slice(0, 5000).split("\n", 1)[0] ?? "";
  const count = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
}
