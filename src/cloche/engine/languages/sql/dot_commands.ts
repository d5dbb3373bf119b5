/** The commands that begin with a dot, as in SQLite's own shell. */

import { importFile } from "./csv_import.ts";
import { dumpDatabase } from "./dump.ts";
import { DotError, Quit } from "./failures.ts";
import { type Mode, MODES } from "./formats.ts";
import type { Session } from "./session.ts";

const HELP = `.backup ?DB? FILE        Backup DB (default "main") to FILE
.bail on|off             Stop after hitting an error
.cd DIRECTORY            Change the working directory to DIRECTORY
.changes on|off          Show number of rows changed by SQL
.databases               List names and files of attached databases
.dump ?TABLE?            Render database content as SQL
.echo on|off             Turn command echo on or off
.exit ?CODE?             Exit with a code
.fullschema              Show schema
.headers on|off          Turn display of headers on or off
.help                    Show this
.import FILE TABLE       Import data from FILE into TABLE (--csv, --skip N)
.indexes ?TABLE?         Show names of indexes
.mode MODE ?TABLE?       Set output mode: ${MODES.join(" ")}
.nullvalue STRING        Use STRING in place of NULL values
.once FILE               Output for the next SQL command only to FILE
.open ?--readonly? FILE  Close the database and open FILE
.output ?FILE?           Send output to FILE or stdout if FILE is omitted
.print STRING...         Print literal STRING
.quit                    Exit
.read FILE               Read input from FILE
.save FILE               Write the database to FILE
.schema ?PATTERN?        Show the CREATE statements matching PATTERN
.separator COL ?ROW?     Change the column and row separators of lists
.shell CMD ARGS...       Run CMD ARGS... in a system shell
.show                    Show the current settings
.tables ?TABLE?          List names of tables matching LIKE pattern TABLE
.timer on|off            Turn SQL timer on or off
.version                 Show source, library and compiler versions
.width NUM1 NUM2 ...     Set minimum column widths
`;
const ALIASES: Record<string, Mode> = { columns: "column", tab: "tabs", lines: "line" };
/** Modes whose first lines are the names of columns, unless .headers says otherwise. */
const TITLED = new Set<Mode>(["column"]);
const WIDTH = 80;
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"', "'": "'" };

type Dot = (session: Session, args: string[]) => void;

const showSchema: Dot = (session, [pattern]) => {
  const rows = session.database.query(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND (name LIKE ?1 OR tbl_name LIKE ?1) ORDER BY rowid",
    pattern ?? "%",
  );
  for (const [sql] of rows) session.output.print(`${sql};\n`);
};

const backUp: Dot = (session, args) => {
  const [file, more] = args.slice(-1).concat(args.length > 2 ? ["more"] : []);
  if (file === undefined || more !== undefined) throw new DotError("Usage: .backup ?DB? FILENAME");
  const schema = args.length === 2 ? args[0] : "main";
  const { tree } = session.context;
  const path = session.resolve(file);
  // It is written anew, as by the real one.
  if (tree.exists(path) && tree.stat(path).kind === "file") tree.removeFile(path);
  session.database.query(`VACUUM "${schema.replaceAll('"', '""')}" INTO ?`, path);
};

const runShell: Dot = (session, args) => {
  const command = needed(args.length > 0 ? args.join(" ") : undefined, ".shell COMMAND");
  if (!session.options.runCommand) throw new DotError("commands of the shell can be run in bash only");
  session.options.runCommand(command);
};

const DOTS: Record<string, Dot> = {
  backup: backUp,
  bail: (session, [word]) => {
    session.bails = isOn(word);
  },
  cd: (session, [path]) => {
    const folder = session.resolve(needed(path, ".cd DIRECTORY"));
    if (session.context.tree.stat(folder).kind !== "directory") {
      throw new DotError(`Cannot change to directory "${path}"`);
    }
    session.cwd = folder;
  },
  changes: (session, [word]) => {
    session.says.changes = isOn(word);
  },
  echo: (session, [word]) => {
    session.says.echo = isOn(word);
  },
  timer: (session, [word]) => {
    session.says.timer = isOn(word);
  },
  databases: (session) => {
    for (const [, name, file] of session.database.query("PRAGMA database_list")) {
      session.output.print(`${name}: ${file || '""'} r/w\n`);
    }
  },
  dump: (session, [pattern]) => dumpDatabase(session, pattern ?? "%"),
  exit: (_, [code]) => quit(code),
  quit: (_, [code]) => quit(code),
  fullschema: (session) => {
    showSchema(session, []);
    session.output.print("/* No STAT tables available */\n");
  },
  headers: (session, [word]) => {
    session.style.headers = isOn(word);
    session.style.titled = true;
  },
  help: (session) => session.output.print(HELP),
  import: (session, args) => importFile(session, args),
  indices: (session, args) => DOTS.indexes(session, args),
  indexes: (session, [table]) => names(session, "type = 'index' AND tbl_name LIKE ?", table ?? "%"),
  mode: (session, args) => setMode(session, args),
  nullvalue: (session, [text]) => {
    session.style.nothing = text ?? "";
  },
  once: (session, [path]) => redirect(session, needed(path, ".once FILE"), true),
  output: (session, [path]) => redirect(session, path ?? "stdout", false),
  open: (session, args) => {
    const files = args.filter((each) => !each.startsWith("-"));
    session.open(files[0] ?? ":memory:", args.includes("--readonly"));
  },
  print: (session, args) => session.output.print(`${args.join(" ")}\n`),
  read: (session, [path]) => session.read(needed(path, ".read FILE")),
  save: backUp,
  schema: showSchema,
  separator: (session, [text, row]) => {
    session.style.separator = needed(text, ".separator COL ?ROW?");
    if (row !== undefined) session.style.rowEnd = row;
  },
  shell: runShell,
  system: runShell,
  show: (session) => {
    const { mode, headers, separator, nothing, rowEnd = "\n", widths = [] } = session.style;
    const says = (wanted: boolean) => wanted ? "on" : "off";
    const settings = {
      echo: says(session.says.echo),
      eqp: "off",
      explain: "auto",
      headers: says(headers),
      mode: mode === "insert" ? `insert ${session.style.table ?? "table"}` : mode,
      nullvalue: JSON.stringify(nothing),
      output: session.outputName,
      colseparator: JSON.stringify(separator),
      rowseparator: JSON.stringify(rowEnd),
      stats: "off",
      width: widths.map((each) => `${each} `).join(""),
      filename: session.database.path,
    };
    for (const [name, value] of Object.entries(settings)) session.output.print(`${name.padStart(12)}: ${value}\n`);
  },
  tables: (session, [pattern]) =>
    names(session, "type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' AND name LIKE ?", pattern ?? "%"),
  width: (session, args) => {
    session.style.widths = args.map((each) => Number.parseInt(each, 10) || 0);
  },
  version: (session) => {
    const { exports } = session.vm;
    const [version, source] = [exports.sqlite3_libversion(), exports.sqlite3_sourceid()];
    session.output.print(`SQLite ${session.vm.text(version)} ${session.vm.text(source)}\n`);
  },
};
/** Others have no effect here, and need none. */
const IGNORED = new Set(["timeout", "prompt"]);

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

function setMode(session: Session, [word, table]: string[]): void {
  const { style } = session;
  if (word === undefined) return session.output.print(`current output mode: ${style.mode}\n`);
  const name = ALIASES[word] ?? word;
  const mode = MODES.find((each) => each === name);
  if (mode === undefined) throw new DotError(`mode should be one of: ${MODES.join(" ")}`);
  style.mode = mode;
  style.table = mode === "insert" ? table : undefined;
  if (!style.titled && TITLED.has(mode)) style.headers = true;
}

function redirect(session: Session, path: string, once: boolean): void {
  if (path.startsWith("|")) throw new DotError("output to a command is not available here: use a pipe of the shell");
  session.redirect(path === "stdout" ? undefined : path, once);
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
