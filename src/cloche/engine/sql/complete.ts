/** What could follow at the cursor in SQL. */

import type { Database } from "./database.ts";
import type { Machine } from "./machine.ts";

const MOST = 200;
const TABLES = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
const COLUMNS = `SELECT DISTINCT c.name FROM (${TABLES}) AS t, pragma_table_info(t.name) AS c`;
const DOTS = (
  "databases dump exit headers help import indexes mode nullvalue open print quit read schema separator show tables version"
).split(" ");

export interface Completion {
  matches: string[];
  start: number;
  end: number;
}

export function complete(machine: Machine, database: Database, code: string, cursor: number): Completion {
  const before = code.slice(0, cursor);
  const [, holder, word] = /(?:([\w$]+)\.)?([\w$]*)$/.exec(before) ?? [];
  const at = { start: cursor - word.length, end: cursor };
  if (/(?:^|\n)\.\w*$/.test(before)) return { matches: DOTS.filter((name) => name.startsWith(word)), ...at };
  if (word === "" && holder === undefined) return { matches: [], ...at };
  const names = holder === undefined
    ? [...ask(database, TABLES), ...ask(database, COLUMNS), ...keywords(machine, word)]
    : ask(database, "SELECT name FROM pragma_table_info(?)", holder);
  const fits = (name: string) => name.toLowerCase().startsWith(word.toLowerCase());
  return { matches: [...new Set(names.filter(fits))].slice(0, MOST), ...at };
}

function ask(database: Database, sql: string, ...values: string[]): string[] {
  try {
    return database.query(`${sql} LIMIT 5000`, ...values).map(([name]) => name ?? "").sort();
  } catch {
    return [];
  }
}

/** SQLite's own words, in the case that the user writes. */
function keywords(machine: Machine, word: string): string[] {
  const { program } = machine;
  const all = machine.room(2, (out) =>
    Array.from({ length: program.sqlite3_keyword_count() }, (_, index) => {
      program.sqlite3_keyword_name(index, out, out + 4);
      const [at, size] = [machine.view.getUint32(out, true), machine.view.getUint32(out + 4, true)];
      return new TextDecoder().decode(machine.bytes.subarray(at, at + size));
    }));
  return (word === word.toLowerCase() ? all.map((each) => each.toLowerCase()) : all).sort();
}
