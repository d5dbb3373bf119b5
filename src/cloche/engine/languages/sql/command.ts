/** The command `sqlite3`: its options, its statements, and what it says when something fails. */

import { INTERRUPT_KEY } from "../../worker/programs/input.ts";
import { Interrupted } from "../../worker/request_errors.ts";
import { SqlError } from "./database.ts";
import { DotError, Failed, isInterrupt, Quit } from "./failures.ts";
import { type Mode, MODES, type Style } from "./formats.ts";
import { endOfLine, isCommand, placeOf } from "./scanner.ts";
import type { Options, Session } from "./session.ts";

const INTERRUPTED = 130;
const ROWS = 50_000;
const MODE_OPTIONS: Record<string, Mode> = Object.fromEntries(MODES.map((mode) => [mode, mode]));
/** Characters before and behind the place of an error that are shown. */
const [BEFORE, SHOWN, NEAR] = [50, 78, 25];
const IGNORED = new Set(["batch", "interactive", "noinit", "safe", "nofollow"]);
const USAGE = `Usage: sqlite3 [OPTIONS] [FILENAME [SQL...]]
FILENAME is the name of an SQLite database. A new database is created
if the file does not previously exist. Defaults to :memory:.
OPTIONS include:
   -bail                stop after hitting an error
   -cmd COMMAND         run COMMAND before reading stdin
   -[no]header          turn headers on or off
   -init FILENAME       read and process FILENAME first
   -MODE                set output mode: ${MODES.join(" ")}
   -nullvalue TEXT      set text string for NULL values
   -readonly            open the database read-only
   -separator SEP       set output column separator
   -version             show SQLite version
`;

interface Plan {
  options: Options;
  bail: boolean;
  before: string[];
  statements: string[];
  /** The text to print instead of running anything. */
  instead: "help" | "version" | null;
  wrong: string | null;
}

interface Streams {
  print(text: string): void;
  complain(text: string): void;
  /** All of standard input. */
  input(): Uint8Array;
  /** The next line at a terminal, null at the end; undefined if there is none. */
  ask?(prompt: string): string | null;
  isWhole(code: string): boolean;
}

export function readPlan(argv: string[]): Plan {
  const style: Style = { mode: "list", headers: false, separator: "|", nothing: "", centered: true };
  const options = { path: "", style, rows: ROWS, rich: false, readOnly: false };
  const plan: Plan = { options, bail: false, before: [], statements: [], instead: null, wrong: null };
  const words = argv.slice(1);
  for (let word = words.shift(); word !== undefined && plan.wrong === null; word = words.shift()) {
    if (word.startsWith("-") && word !== "-") takeOption(plan, word.replace(/^--?/, ""), words);
    else if (options.path === "") options.path = word;
    else plan.statements.push(word);
  }
  options.path ||= ":memory:";
  return plan;
}

function takeOption(plan: Plan, name: string, words: string[]): void {
  const { options } = plan;
  const value = () => {
    const word = words.shift();
    if (word === undefined) plan.wrong = `missing argument to -${name}`;
    return word ?? "";
  };
  const takes: Record<string, () => void> = {
    cmd: () => plan.before.push(value()),
    init: () => plan.before.push(`.read ${JSON.stringify(value())}`),
    header: () => Object.assign(options.style, { headers: true, titled: true }),
    noheader: () => Object.assign(options.style, { headers: false, titled: true }),
    echo: () => plan.before.unshift(".echo on"),
    nullvalue: () => options.style.nothing = value(),
    separator: () => options.style.separator = value().replaceAll("\\t", "\t").replaceAll("\\n", "\n"),
    readonly: () => options.readOnly = true,
    bail: () => plan.bail = true,
    version: () => plan.instead = "version",
    help: () => plan.instead = "help",
  };
  if (takes[name]) takes[name]();
  else if (MODE_OPTIONS[name]) options.style.mode = MODE_OPTIONS[name];
  else if (!IGNORED.has(name)) plan.wrong = `unknown option: -${name}`;
}

export function runPlan(plan: Plan, open: () => Session, streams: Streams): number {
  if (plan.wrong !== null) {
    streams.complain(`sqlite3: Error: ${plan.wrong}\nUse -help for a list of options.\n`);
    return 1;
  }
  if (plan.instead === "help") {
    streams.complain(USAGE);
    return 0;
  }
  const session = open();
  try {
    if (plan.instead === "version") return printVersion(session, streams);
    const closed = session.database.openError;
    if (closed !== undefined) {
      streams.complain(`Error: unable to open database "${plan.options.path}": ${closed}\n`);
      return 1;
    }
    for (const text of plan.before) runArgument(session, text, streams);
    if (plan.statements.length === 0 && streams.ask) return runLines(session, plan, streams, streams.ask);
    if (plan.statements.length === 0) return runInput(session, streams.input(), plan.bail, streams);
    return plan.statements.map((text) => runArgument(session, text, streams)).find((code) => code !== 0) ?? 0;
  } catch (error) {
    if (error instanceof Quit) return error.code;
    if (error instanceof Interrupted || isInterrupt(error)) return INTERRUPTED;
    throw error;
  } finally {
    session.close();
  }
}

function printVersion({ vm }: Session, streams: Streams): number {
  const { exports } = vm;
  streams.print(`${vm.text(exports.sqlite3_libversion())} ${vm.text(exports.sqlite3_sourceid())}\n`);
  return 0;
}

/** One argument; the exit code says what failed. */
function runArgument(session: Session, text: string, streams: Streams): number {
  session.isArgument = true;
  try {
    session.run(new TextEncoder().encode(text));
    return 0;
  } catch (error) {
    if (!(error instanceof Failed) || isInterrupt(error)) throw error;
    const { cause } = error;
    if (!(cause instanceof SqlError)) streams.complain(`Error: ${cause.message}\n`);
    else if (cause.stage === "prepare") streams.complain(`Error: in prepare, ${cause.message}${excerptOf(error)}\n`);
    else streams.complain(`Error: stepping, ${cause.message} (${cause.primary})\n`);
    return cause instanceof SqlError && cause.stage === "step" ? cause.primary : 1;
  } finally {
    session.isArgument = false;
  }
}

/** Runs what is typed, each statement when it is whole. */
function runLines(session: Session, plan: Plan, streams: Streams, ask: (prompt: string) => string | null): number {
  streams.print(
    `SQLite version ${session.vm.text(session.vm.exports.sqlite3_libversion())}\nEnter ".help" for usage hints.\n`,
  );
  if (plan.options.path === "") streams.print("Connected to a transient in-memory database.\n");
  for (let text = "";;) {
    const line = ask(text === "" ? "sqlite> " : "   ...> ");
    if (line === null) return 0;
    if (line === INTERRUPT_KEY) {
      text = "";
      continue;
    }
    text += `${line}\n`;
    if (!streams.isWhole(text)) continue;
    runInput(session, new TextEncoder().encode(text), plan.bail, streams);
    text = "";
  }
}

/** Runs everything in standard input; after a failure it continues with the next line. */
function runInput(session: Session, text: Uint8Array, bail: boolean, streams: Streams): number {
  let [at, code] = [0, 0];
  while (at < text.length) {
    try {
      session.run(text, at);
      return code;
    } catch (error) {
      if (!(error instanceof Failed) || isInterrupt(error)) throw error;
      streams.complain(formatFailure(session, error));
      code = 1;
      if (bail || session.bails || error.text !== text) return code;
      at = endOfStatement(session, error) + 1;
    }
  }
  return code;
}

/** The end of the line on which the statement that failed ends. */
function endOfStatement({ vm }: Session, { text, from }: Failed): number {
  let end = endOfLine(text, from);
  if (isCommand(text, from)) return end;
  const isWhole = () => vm.lend(text.slice(from, end), (address) => vm.exports.sqlite3_complete(address) !== 0);
  while (end < text.length && !isWhole()) end = endOfLine(text, end + 1);
  return end;
}

function formatFailure(session: Session, failed: Failed): string {
  const { cause, text, from } = failed;
  if (!(cause instanceof SqlError)) return `${cause instanceof DotError ? "Error: " : ""}${cause.message}\n`;
  const { line } = placeOf(text, from);
  if (cause.stage !== "prepare") return `Runtime error near line ${line}: ${cause.message} (${cause.primary})\n`;
  const whole = new Failed(cause, text.subarray(0, endOfStatement(session, failed)), from, null);
  return `Parse error near line ${line}: ${cause.message}${excerptOf(whole)}\n`;
}

/** The place of an error, as SQLite's own shell shows it; empty if it is not known. */
function excerptOf({ cause, text, from }: Failed): string {
  const offset = cause instanceof SqlError ? cause.offset : -1;
  if (offset < 0 || from + offset >= text.length) return "";
  const decoder = new TextDecoder();
  const before = decoder.decode(text.subarray(from, from + offset)).slice(-BEFORE);
  const code = (before + decoder.decode(text.subarray(from + offset))).slice(0, SHOWN).replace(/\s/g, " ");
  const at = before.length;
  const mark = at < NEAR ? `${" ".repeat(at)}^--- error here` : `${" ".repeat(at - 14)}error here ---^`;
  return `\n  ${code}\n  ${mark}`;
}
