/** The commands that begin with a dot, as in SQLite's own shell. */

import { importFile } from "./csv_import.ts";
import { dumpDatabase } from "./dump.ts";
import { DotError, Quit } from "./failures.ts";
import { type Mode, MODES } from "./formats.ts";
import type { Session } from "./session.ts";

const HELP = `.databases               List names and files of attached databases
.dump ?TABLE?            Render database content as SQL
.exit ?CODE?             Exit with a code
.headers on|off          Turn display of headers on or off
.help                    Show this
.import FILE TABLE       Import data from FILE into TABLE (--csv, --skip N)
.indexes ?TABLE?         Show names of indexes
.mode MODE               Set output mode: ${MODES.join(" ")}
.nullvalue STRING        Use STRING in place of NULL values
.open ?--readonly? FILE  Close the database and open FILE
.print STRING...         Print literal STRING
.quit                    Exit
.read FILE               Read input from FILE
.schema ?PATTERN?        Show the CREATE statements matching PATTERN
.separator STRING        Change the column separator of lists
.show                    Show the current settings
.tables ?TABLE?          List names of tables matching LIKE pattern TABLE
.version                 Show source, library and compiler versions
`;
const ALIASES: Record<string, Mode> = { box: "table", columns: "column", tab: "tabs" };
const WIDTH = 80;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"', "'": "'" };

type Dot = (session: Session, args: string[]) => void;

const DOTS: Record<string, Dot> = {
  databases: (session) => {
    for (const [, name, file] of session.database.query("PRAGMA database_list")) {
      session.output.print(`${name}: ${file || '""'} r/w\n`);
    }
  },
  dump: (session, [pattern]) => dumpDatabase(session, pattern ?? "%"),
  exit: (_, [code]) => quit(code),
  quit: (_, [code]) => quit(code),
  headers: (session, [word]) => {
    session.style.headers = isOn(word);
  },
  help: (session) => session.output.print(HELP),
  import: (session, args) => importFile(session, args),
  indexes: (session, [table]) => names(session, "type = 'index' AND tbl_name LIKE ?", table ?? "%"),
  mode: (session, [word]) => setMode(session, word),
  nullvalue: (session, [text]) => {
    session.style.nothing = text ?? "";
  },
  open: (session, args) => {
    const files = args.filter((each) => !each.startsWith("-"));
    session.open(files[0] ?? ":memory:", args.includes("--readonly"));
  },
  print: (session, args) => session.output.print(`${args.join(" ")}\n`),
  read: (session, [path]) => session.read(needed(path, ".read FILE")),
  schema: (session, [pattern]) => {
    const rows = session.database.query(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND (name LIKE ?1 OR tbl_name LIKE ?1) ORDER BY rowid",
      pattern ?? "%",
    );
    for (const [sql] of rows) session.output.print(`${sql};\n`);
  },
  separator: (session, [text]) => {
    session.style.separator = needed(text, ".separator STRING");
  },
  show: (session) => {
    const { mode, headers, separator, nothing } = session.style;
    const settings = { headers: headers ? "on" : "off", mode, nullvalue: JSON.stringify(nothing) };
    const all = { ...settings, separator: JSON.stringify(separator), filename: session.database.path };
    for (const [name, value] of Object.entries(all)) session.output.print(`${name.padStart(12)}: ${value}\n`);
  },
  tables: (session, [pattern]) =>
    names(session, "type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' AND name LIKE ?", pattern ?? "%"),
  version: (session) => {
    const { exports } = session.vm;
    const [version, source] = [exports.sqlite3_libversion(), exports.sqlite3_sourceid()];
    session.output.print(`SQLite ${session.vm.text(version)} ${session.vm.text(source)}\n`);
  },
};
/** Others have no effect here, and need none. */
const IGNORED = new Set(["bail", "changes", "echo", "timer", "eqp", "stats", "width", "timeout"]);

export function runDot(session: Session, line: string): void {
  const [name = "", ...args] = splitWords(line);
  const fitting = Object.keys(DOTS).filter((each) => each.startsWith(name));
  if (IGNORED.has(name)) return;
  const found = name.length > 1 ? DOTS[name] ?? (fitting.length === 1 ? DOTS[fitting[0]] : undefined) : undefined;
  if (!found) throw new DotError(`unknown command or invalid arguments:  "${name}". Enter ".help" for help`);
  found(session, args);
}

/** Words, some of them in quotes. */
function splitWords(line: string): string[] {
  const words = line.matchAll(/"((?:\\.|[^"\\])*)"?|'((?:''|[^'])*)'?|(\S+)/g);
  return Array.from(words, ([, double, single, bare]) => {
    if (double !== undefined) return double.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
    return single !== undefined ? single.replaceAll("''", "'") : bare;
  });
}

function setMode(session: Session, word: string | undefined): void {
  const name = ALIASES[word ?? ""] ?? word;
  const mode = MODES.find((each) => each === name);
  if (mode === undefined) throw new DotError(`mode should be one of: ${MODES.join(" ")}`);
  session.style.mode = mode;
}

function names(session: Session, condition: string, pattern: string): void {
  const rows = session.database.query(`SELECT name FROM sqlite_schema WHERE ${condition} ORDER BY name`, pattern);
  const all = rows.map(([name]) => name ?? "");
  const wide = Math.max(0, ...all.map((name) => name.length));
  const lines = Math.ceil(all.length / Math.max(1, Math.floor(WIDTH / (wide + 2))));
  for (let line = 0; line < lines; line++) {
    const here = all.filter((_, index) => index % lines === line);
    session.output.print(`${here.map((name) => name.padEnd(wide)).join("  ").trimEnd()}\n`);
  }
}

function quit(code: string | undefined): never {
  throw new Quit(code === undefined ? 0 : Number.parseInt(code, 10) & 0xff);
}

function isOn(word: string | undefined): boolean {
  return ["on", "yes", "true", "1"].includes((word ?? "").toLowerCase());
}

function needed(value: string | undefined, usage: string): string {
  if (value === undefined) throw new DotError(`Usage: ${usage}`);
  return value;
}
