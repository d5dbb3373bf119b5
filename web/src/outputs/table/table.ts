/** Tables as data, and their order. */

export interface Table {
  columns: string[];
  rows: string[][];
  /** What the table says of itself, such as "5 rows × 3 columns". */
  note?: string;
}

/** A table as clients of Cloche write it: columns, rows, and how many there are in all. Undefined if it is none. */
export function readTable(data: unknown): Table | undefined {
  if (!isObject(data)) return undefined;
  const { columns, rows, cut, total_rows: total } = data;
  if (!Array.isArray(columns) || !Array.isArray(rows) || !rows.every(Array.isArray)) return undefined;
  const known = typeof total === "number" ? `${rows.length} of ${total} rows` : "";
  return {
    columns: columns.map(writeCell),
    rows: (rows as unknown[][]).map((row) => row.map(writeCell)),
    note: known || (cut === true ? "a part of the table" : undefined),
  };
}

/** Records with plain values, such as the rows of a query, as a table; undefined if it is something else. */
export function readRecords(data: unknown): Table | undefined {
  if (!Array.isArray(data) || data.length < 2 || !data.every(isRecord)) return undefined;
  const columns = [...new Set(data.flatMap((record) => Object.keys(record)))];
  if (columns.length === 0 || columns.length > 100) return undefined;
  return { columns, rows: data.map((record) => columns.map((name) => writeCell(record[name]))) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.values(value).every((each) => each === null || typeof each !== "object");
}

function writeCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export interface Order {
  column: number;
  descending: boolean;
}

/** The rows in this order: numbers by value and before words, empty cells last. */
export function sortRows(rows: readonly string[][], { column, descending }: Order): string[][] {
  const words = new Intl.Collator("en", { numeric: true });
  const keyed = rows.map((row) => ({ row, text: row[column] ?? "", number: readNumber(row[column] ?? "") }));
  const way = descending ? -1 : 1;
  keyed.sort((one, other) => {
    const [left, right] = [rankOf(one), rankOf(other)];
    if (left !== right) return left === 2 || right === 2 ? left - right : (left - right) * way;
    if (left === 0) return (one.number - other.number) * way;
    return left === 1 ? words.compare(one.text, other.text) * way : 0;
  });
  return keyed.map(({ row }) => row);
}

/** 0 for numbers, 1 for words, 2 for what is empty. */
function rankOf({ text, number }: { text: string; number: number }): number {
  if (/^(|nan|none|null|<na>|nat|na)$/i.test(text)) return 2;
  return Number.isNaN(number) ? 1 : 0;
}

/** The number in a cell, also 1,234 and 45 %; NaN if there is none. */
export function readNumber(text: string): number {
  const bare = text.trim().replace(/(?<=\d),(?=\d{3}\b)/g, "").replace(/\s*%$/, "");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) ? Number(bare) : NaN;
}

/** Which columns are numbers: their cells stand on the right. */
export function findNumbers({ columns, rows }: Table): boolean[] {
  const some = rows.slice(0, 200);
  return columns.map((_, column) => {
    const cells = some.map((row) => row[column] ?? "").filter((text) =>
      !/^(|\.\.\.|…|nan|none|null|<na>|na)$/i.test(text)
    );
    return cells.length > 0 && cells.every((text) => !Number.isNaN(readNumber(text)));
  });
}
