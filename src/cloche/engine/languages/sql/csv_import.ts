/** Imports CSV files into tables. */

import { DotError } from "./failures.ts";
import type { Session } from "./session.ts";

/** The largest file that is read. */
const FILE_SIZE = 128 << 20;
/** Rows with too few or too many values that are reported one by one. */
const MOST_REPORTED = 5;

export function importFile(session: Session, args: string[]): void {
  const { files, skip, csv, tabs } = readArguments(args);
  const [file, table] = files;
  if (file === undefined || table === undefined) throw new DotError("Usage: .import FILE TABLE");
  const isInput = file === "/dev/stdin";
  if (!isInput && session.context.tree.stat(session.resolve(file)).size > FILE_SIZE) {
    throw new DotError(`${file} is larger than ${FILE_SIZE >> 20} MB`);
  }
  const text = new TextDecoder().decode(session.readFile(file)).replace(/^\ufeff/, "");
  const { mode, separator } = session.style;
  const commas = csv || file.endsWith(".csv") || mode !== "list";
  const between = tabs || mode === "tabs" || file.endsWith(".tsv") ? "\t" : commas ? "," : separator;
  const rows = readRows(text, between);
  for (let index = 0; index < skip; index++) rows.next();
  fill(session, file, table, rows);
}

function readArguments(args: string[]): { files: string[]; skip: number; csv: boolean; tabs: boolean } {
  const found = { files: [] as string[], skip: 0, csv: false, tabs: false };
  for (let index = 0; index < args.length; index++) {
    const word = args[index].replace(/^--?/, "-");
    if (word === "-skip") found.skip = Number.parseInt(args[++index] ?? "0", 10) || 0;
    else if (word === "-tabs") found.tabs = true;
    else if (word === "-csv") found.csv = true;
    else if (word !== "-v") found.files.push(args[index]);
  }
  return found;
}

function fill(session: Session, file: string, table: string, rows: Generator<string[]>): void {
  const { database, vm } = session;
  const name = `"${table.replaceAll('"', '""')}"`;
  let columns = database.query("SELECT name FROM pragma_table_info(?)", table).length;
  database.query("SAVEPOINT cloche_import");
  try {
    if (columns === 0) columns = create(session, file, name, rows);
    vm.lend(`INSERT INTO ${name} VALUES(${Array(columns).fill("?").join(",")})`, (address) => {
      const { statement } = database.prepare(address);
      if (!statement) return;
      try {
        let [number, odd] = [1, 0];
        for (const row of rows) {
          session.checkInterrupt();
          number++;
          if (row.length !== columns && odd++ < MOST_REPORTED) {
            session.output.print(oddRow(file, number, row.length, columns));
          }
          for (let index = 0; index < columns; index++) statement.bind(index, row[index] ?? null);
          statement.step();
          statement.reset();
        }
      } finally {
        statement.close();
      }
    });
    database.query("RELEASE cloche_import");
  } catch (error) {
    database.query("ROLLBACK TO cloche_import");
    database.query("RELEASE cloche_import");
    throw error;
  }
}

/** The first row names the columns of a table that is not there yet. */
function create(session: Session, file: string, name: string, rows: Generator<string[]>): number {
  const first = rows.next();
  if (first.done) throw new DotError(`${file}: empty file`);
  const names = first.value.map((each, index) => each.trim() || `c${index + 1}`);
  const unique = names.map((each, index) => names.indexOf(each) < index ? `${each}_${index + 1}` : each);
  const columns = unique.map((each) => `"${each.replaceAll('"', '""')}" ANY`);
  session.database.query(`CREATE TABLE ${name}(${columns.join(", ")})`);
  return names.length;
}

function oddRow(file: string, number: number, found: number, expected: number): string {
  const rest = found < expected ? "filling the rest with NULL" : "extras ignored";
  return `${file}:${number}: expected ${expected} columns but found ${found} - ${rest}\n`;
}

/** One row after the other; quotes may hold separators and line breaks. */
export function* readRows(text: string, separator: string): Generator<string[]> {
  let [at, row] = [0, [] as string[]];
  while (at < text.length) {
    const { value, next } = text[at] === '"' ? readQuoted(text, at, separator) : readPlain(text, at, separator);
    row.push(value);
    at = next;
    if (text.startsWith(separator, at)) {
      at += separator.length;
      if (at < text.length) continue;
      row.push("");
    }
    if (text[at] === "\r") at++;
    if (text[at] === "\n") at++;
    yield row;
    row = [];
  }
}

function readPlain(text: string, from: number, separator: string): { value: string; next: number } {
  const line = text.indexOf("\n", from);
  const end = line < 0 ? text.length : line;
  const mark = text.slice(from, end).indexOf(separator);
  if (mark >= 0) return { value: text.slice(from, from + mark), next: from + mark };
  const stop = text[end - 1] === "\r" && end > from ? end - 1 : end;
  return { value: text.slice(from, stop), next: stop };
}

function readQuoted(text: string, from: number, separator: string): { value: string; next: number } {
  let value = "";
  for (let at = from + 1;; at += 2) {
    const end = text.indexOf('"', at);
    if (end < 0) return { value: value + text.slice(at), next: text.length };
    value += text.slice(at, end);
    if (text[end + 1] !== '"') {
      const { value: rest, next } = readPlain(text, end + 1, separator);
      return { value: value + rest, next };
    }
    value += '"';
    at = end;
  }
}
