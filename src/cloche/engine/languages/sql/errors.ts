/** Errors of SQLite as results: where in the user's text, and a hint where one helps. */

import { findNearestName } from "../../text/nearest_name.ts";
import type { RunError } from "../../protocol.ts";
import type { Database, SqlError } from "./database.ts";
import { CANT_OPEN, CODE, CONSTRAINT } from "./vm/exports.ts";
import { findWord, placeOf } from "./scanner.ts";

/** The position of a statement that failed. */
export interface Spot {
  text: Uint8Array;
  from: number;
  /** What the text is called. */
  name: string;
}

const MISSING = /^no such (table|column|function|index|view|trigger|module): (.+)$/;

export function findPlace(error: SqlError, { text, from }: Spot): { line: number; column: number } {
  if (error.offset >= 0) return placeOf(text, from + error.offset);
  const word = /^(?:no such \w+: |ambiguous column name: |table )([^\s]+)/.exec(error.message)?.[1];
  const at = word === undefined ? -1 : findWord(text, from, text.length, word);
  return placeOf(text, at < 0 ? from : at);
}

export function describeError(error: SqlError, spot: Spot, database: Database): RunError {
  const { line, column } = findPlace(error, spot);
  const source = new TextDecoder().decode(spot.text).split("\n")[line - 1] ?? "";
  const shown = source.length > 200 ? "" : `\n  ${source}\n  ${" ".repeat(column - 1)}^`;
  const found = hintFor(error, database);
  const hint = found === null ? "" : `\nhint: ${found}`;
  return {
    type: typeOf(error),
    message: `${error.message}${hint}`,
    line,
    column,
    traceback: `${spot.name}:${line}:${column}: ${error.message}${shown}${hint}`,
  };
}

function typeOf(error: SqlError): string {
  if (/syntax error|incomplete input|unrecognized token/.test(error.message)) return "SyntaxError";
  if (error.primary === CONSTRAINT) return "ConstraintError";
  if (error.primary === CODE.busy || error.primary === CODE.locked) return "LockedError";
  if (error.primary === CODE.noMemory) return "MemoryError";
  return "SQLError";
}

function hintFor(error: SqlError, database: Database): string | null {
  const { message, primary } = error;
  const missing = MISSING.exec(message);
  if (missing) return missingHint(missing[1], missing[2], database);
  if (/unrecognized token: ["']/.test(message)) return "a quote is opened here and not closed";
  if (message === "incomplete input") return "the statement is not finished";
  if (/near "\.": syntax error/.test(message)) {
    return "end the statement with ; before a command that begins with a dot";
  }
  if (primary === CODE.busy) return "another connection has a transaction open: end it with COMMIT or ROLLBACK";
  if (primary === CANT_OPEN) return "the file or its folder is not there, or it is a database in WAL mode";
  if (primary === CODE.readOnly) return "the file, or the folder it is in, is read-only";
  if (primary === CODE.full) return "the sandbox's files may take no more room";
  return null;
}

function missingHint(kind: string, whole: string, database: Database): string | null {
  const name = whole.split(/[\s.]/).pop() ?? whole;
  if (kind === "column" && /should this be a string literal/.test(whole)) return null;
  const names = kind === "table" || kind === "column" ? known(kind, database) : [];
  const near = findNearestName(name, names);
  if (near !== undefined) return `did you mean ${near}?`;
  if (kind !== "table") return null;
  return names.length === 0 ? "the database has no tables yet" : `the tables are: ${names.slice(0, 10).join(", ")}`;
}

/** Names of tables, or of all their columns. */
function known(kind: string, database: Database): string[] {
  const tables = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'";
  const columns = `SELECT DISTINCT c.name FROM (${tables}) AS t, pragma_table_info(t.name) AS c LIMIT 2000`;
  try {
    return database.query(kind === "table" ? `${tables} LIMIT 2000` : columns).map(([name]) => name ?? "");
  } catch {
    return [];
  }
}
