/** Completes SQL at the cursor. */

import type { Tree } from "../../fs/tree.ts";
import { completeModule, type Completion } from "../module_completion.ts";
import type { Database } from "./database.ts";
import type { Vm } from "./vm/vm.ts";

const MOST = 200;
const TABLES = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
const COLUMNS = `SELECT DISTINCT c.name FROM (${TABLES}) AS t, pragma_table_info(t.name) AS c`;
const FUNCTIONS = "SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*'";
const PRAGMAS = "SELECT name FROM pragma_pragma_list";
const FILE = /(?:^|\n)\.(?:open|read|import)\s+([\w./-]*)$/;
const DOTS = (
  "databases dump exit headers help import indexes mode nullvalue open print quit read schema separator show tables version"
).split(" ");

export function completeSql(vm: Vm, database: Database, tree: Tree, before: string): Completion {
  const cursor = before.length;
  const file = FILE.exec(before)?.[1];
  if (file !== undefined) {
    const roots = [file.startsWith("/") ? "" : "/workspace"];
    return completeModule({ tree, roots, separator: "/", endings: [] }, file, cursor);
  }
  const [, holder, word] = /(?:([\w$]+)\.)?([\w$]*)$/.exec(before) ?? [];
  const at = { start: cursor - word.length, end: cursor };
  if (/(?:^|\n)\.\w*$/.test(before)) return { matches: DOTS.filter((name) => name.startsWith(word)), ...at };
  if (word === "" && holder === undefined) return { matches: [], ...at };
  const names = namesFor(vm, database, before, word, holder);
  const fits = (name: string) => name.toLowerCase().startsWith(word.toLowerCase());
  return { matches: [...new Set(names.filter(fits))].slice(0, MOST), ...at };
}

function namesFor(vm: Vm, database: Database, before: string, word: string, holder?: string): string[] {
  if (holder !== undefined) return ask(database, "SELECT name FROM pragma_table_info(?)", holder);
  if (/\bpragma\s+\w*$/i.test(before)) return ask(database, PRAGMAS);
  const own = [...ask(database, TABLES), ...ask(database, COLUMNS)];
  return [...own, ...keywords(vm, word), ...ask(database, FUNCTIONS)];
}

function ask(database: Database, sql: string, ...values: string[]): string[] {
  try {
    return database.query(`${sql} LIMIT 5000`, ...values).map(([name]) => name ?? "").sort();
  } catch {
    return [];
  }
}

/** SQLite's own words, in the case that the user writes. */
function keywords(vm: Vm, word: string): string[] {
  const { exports } = vm;
  const all = vm.room(2, (out) =>
    Array.from({ length: exports.sqlite3_keyword_count() }, (_, index) => {
      exports.sqlite3_keyword_name(index, out, out + 4);
      const [at, size] = [vm.view.getUint32(out, true), vm.view.getUint32(out + 4, true)];
      return new TextDecoder().decode(vm.bytes.subarray(at, at + size));
    }));
  return (word === word.toLowerCase() ? all.map((each) => each.toLowerCase()) : all).sort();
}
