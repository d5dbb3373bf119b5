/** A database as the SQL that makes it again. */

import type { Session } from "./session.ts";

const SCHEMA =
  "SELECT type, name, sql, tbl_name FROM sqlite_schema WHERE tbl_name LIKE ? AND sql IS NOT NULL ORDER BY rowid";

export function dumpDatabase(session: Session, pattern: string): void {
  const print = (text: string) => session.output.print(text);
  const all = session.database.query(SCHEMA, pattern).map((each) => each.map((value) => value ?? ""));
  const virtual = all.filter(([, , sql]) => /^create virtual table/i.test(sql)).map(([, name]) => name);
  const isShadow = (name: string) => virtual.some((each) => name.startsWith(`${each}_`));
  const tables = all.filter(([type, name]) => type === "table" && !name.startsWith("sqlite_") && !isShadow(name));
  print("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n");
  for (const [, name, sql] of tables) {
    print(`${sql};\n`);
    dumpRows(session, name);
  }
  if (all.some(([, name]) => name === "sqlite_sequence")) {
    print("DELETE FROM sqlite_sequence;\n");
    dumpRows(session, "sqlite_sequence");
  }
  for (const [type, , sql, table] of all) if (type !== "table" && !isShadow(table)) print(`${sql};\n`);
  print("COMMIT;\n");
}

function dumpRows(session: Session, table: string): void {
  const { database, vm } = session;
  const columns = database.query("SELECT name FROM pragma_table_info(?)", table).map(([name]) => quoteName(name ?? ""));
  const values = columns.map((column) => `quote(${column})`).join(" || ',' || ");
  const start = `INSERT INTO ${quoteName(table)} VALUES(`.replaceAll("'", "''");
  vm.lend(`SELECT '${start}' || ${values} || ');' FROM ${quoteName(table)}`, (address) => {
    const { statement } = database.prepare(address);
    try {
      while (statement?.step()) {
        session.checkInterrupt();
        const [line] = statement.values();
        if ("text" in line) session.output.print(`${line.text}\n`);
      }
    } finally {
      statement?.close();
    }
  });
}

/** Plain names are left as they are. */
function quoteName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
