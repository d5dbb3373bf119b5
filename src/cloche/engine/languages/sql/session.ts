/** SQL text and dot commands, run one after the other on a database that may change on the way. */

import { Database, SqlError, type Statement, type Value } from "./database.ts";
import { dataOf } from "./json_data.ts";
import { runDot } from "./dot_commands.ts";
import { DotError, Failed, isFailure } from "./failures.ts";
import {
  alignColumns,
  CELL_BYTES,
  formatHead,
  formatPlain,
  formatPlan,
  formatRow,
  formatTable,
  formatTail,
  isAligned,
  quoteValue,
  shortenText,
  type Style,
} from "./formats.ts";
import { type ConnectionContext, Vm } from "./vm/vm.ts";
import { CODE } from "./vm/exports.ts";
import type { Tree } from "../../fs/tree.ts";
import { endOfLine, isCommand, skipBlank } from "./scanner.ts";

/** How deep files may read each other. */
const DEPTH = 10;
/** Bytes that a table may roughly take, and that the value of a cell may have. */
const TABLE_SIZE = 16 << 20;
const SINGLE_SIZE = 1 << 20;
/** Statements whose number of changed rows is shown. */
/** Where the shell draws a tree. */
const PLAN = /^\s*explain\s+query\s+plan\b/i;
const CHANGING = /^\s*(?:(?:insert|update|delete|replace)\b|with\b[^]*\b(?:insert|update|delete|replace)\b)/i;

/** Bytes that a table of the command `sqlite3` may take, which is shown whole. */
const WHOLE_SIZE = 256 << 20;

/** Where results are printed. */
export interface Output {
  print(text: string): void;
  /** What a page would show. */
  show(html: string, text: string): void;
}

export interface Options {
  path: string;
  style: Style;
  /** How many rows a table shows. */
  rows: number;
  /** For a person, not a program: shows tables, changes, and results without rows. */
  rich: boolean;
  readOnly: boolean;
  /** What /dev/stdin has. */
  input?(): Uint8Array;
  /** Runs a command of the shell, and prints what it prints. */
  runCommand?(command: string): void;
}

/** A file that output goes to instead. */
interface Sink {
  path: string;
  parts: string[];
  /** Only for the next result. */
  once: boolean;
}

export class Session {
  readonly vm: Vm;
  database: Database;
  style: Style;
  /** The last result, if it is a single value. */
  value: string | null = null;
  /** Where names of files begin. */
  cwd: string;
  /** Its rows as JSON, where they are whole and plain data. */
  data: string | null = null;
  /** Changed rows that were not reported yet; null if no statement could change any. */
  #changed: number | null = null;
  #depth = 0;
  #sink: Sink | undefined;
  /** What is said about each statement that comes from a file or is typed. */
  readonly says = { changes: false, echo: false, timer: false };
  /** Whether the text is an argument of the command line. */
  isArgument = false;
  /** Whether the first failure ends a text. */
  bails = false;
  readonly output: Output;

  constructor(
    module: WebAssembly.Module,
    readonly context: ConnectionContext,
    readonly options: Options,
    output: Output,
  ) {
    this.output = {
      print: (text) => this.#sink ? void this.#sink.parts.push(text) : output.print(text),
      show: output.show,
    };
    this.cwd = context.cwd;
    this.vm = new Vm(module, context);
    this.vm.onInterrupt = () => this.database.interrupt();
    this.database = new Database(this.vm, options.path, options.readOnly);
    this.style = { ...options.style };
  }

  /** Replaces the database by another one. */
  open(path: string, readOnly: boolean): void {
    const next = new Database(this.vm, path, readOnly);
    this.database.close();
    this.database = next;
  }

  /** Runs everything; throws Failed at the first thing that fails, and Quit. */
  run(text: Uint8Array, start = 0, file: string | null = null): void {
    const whole = text.includes(0) ? text.subarray(0, text.indexOf(0)) : text;
    const address = this.vm.keep(whole);
    if (address === 0) throw new Failed(new SqlError("out of memory", CODE.noMemory, -1, "prepare"), whole, 0, file);
    try {
      for (let at = skipBlank(whole, start); at < whole.length; at = skipBlank(whole, at)) {
        at = this.#runOne(whole, address, at, file);
      }
    } finally {
      this.vm.exports.free(address);
      this.#tellChanges();
    }
  }

  /** Runs a file of the guest's. */
  read(path: string): void {
    if (this.#depth >= DEPTH) throw new DotError(`files read each other more than ${DEPTH} deep`);
    this.#depth++;
    try {
      this.run(this.readFile(path), 0, path);
    } finally {
      this.#depth--;
    }
  }

  /** A file of the guest's, or standard input. */
  readFile(path: string): Uint8Array {
    if (path === "/dev/stdin" && this.options.input) return this.options.input();
    return this.context.tree.readFile(this.resolve(path));
  }

  /** Where output goes. */
  get outputName(): string {
    return this.#sink?.path ?? "stdout";
  }

  /** Sends output to a file from now on, or back to where it belongs. */
  redirect(path: string | undefined, once = false): void {
    const sink = this.#sink;
    this.#sink = path === undefined ? undefined : { path: this.resolve(path), parts: [], once };
    if (this.#sink) writeFile(this.context.tree, this.#sink.path, "");
    if (sink) writeFile(this.context.tree, sink.path, sink.parts.join(""));
  }

  resolve(path: string): string {
    return path.startsWith("/") ? path : `${this.cwd}/${path}`;
  }

  /** Throws if the run was interrupted. */
  checkInterrupt(): void {
    if (this.context.interrupted) throw new SqlError("interrupted", CODE.interrupt, -1, "step");
  }

  close(): void {
    this.database.close();
    this.redirect(undefined);
  }

  #runOne(text: Uint8Array, address: number, at: number, file: string | null): number {
    const sink = this.#sink;
    try {
      if (isCommand(text, at)) {
        this.#tellChanges();
        const end = endOfLine(text, at);
        runDot(this, new TextDecoder().decode(text.subarray(at + 1, end)).trim());
        return end;
      }
      const { statement, rest } = this.database.prepare(address + at);
      const end = rest - address;
      if (statement) this.#runStatement(statement, new TextDecoder().decode(text.subarray(at, end)));
      return end;
    } catch (error) {
      throw isFailure(error) ? new Failed(error, text, at, file) : error;
    } finally {
      if (sink?.once && sink === this.#sink) this.redirect(undefined);
    }
  }

  #runStatement(statement: Statement, sql: string): void {
    const before = this.database.totalChanges;
    const begun = performance.now();
    if (this.says.echo && !this.isArgument) this.output.print(`${sql.trim()}\n`);
    try {
      if (!this.options.rich && PLAN.test(sql)) this.#printPlan(statement);
      else if (statement.columns.length > 0) this.#print(statement);
      else while (statement.step());
    } finally {
      statement.close();
    }
    this.#tellMore(performance.now() - begun);
    if (!this.options.rich || !CHANGING.test(sql)) return;
    this.#changed = (this.#changed ?? 0) + (this.database.totalChanges === before ? 0 : this.database.changes);
  }

  #tellMore(ms: number): void {
    const { changes, timer } = this.says;
    if (this.isArgument) return;
    const seconds = (ms / 1000).toFixed(3);
    if (timer) this.output.print(`Run Time: real ${seconds} user ${seconds}000 sys 0.000000\n`);
    if (!changes) return;
    this.output.print(`changes: ${this.database.changes}   total_changes: ${this.database.totalChanges}\n`);
  }

  /** Once for consecutive statements: there may be thousands. */
  #tellChanges(): void {
    const count = this.#changed;
    this.#changed = null;
    if (count !== null) this.output.print(`${count} ${count === 1 ? "row" : "rows"} changed\n`);
  }

  #print(statement: Statement): void {
    this.#tellChanges();
    this.value = this.data = null;
    if (isAligned(this.style.mode)) this.#printTable(statement);
    else this.#printRows(statement);
  }

  #printPlan(statement: Statement): void {
    const rows: Value[][] = [];
    while (statement.step()) rows.push(statement.values());
    this.output.print(formatPlan(rows));
  }

  #printRows(statement: Statement): void {
    const { columns } = statement;
    let count = 0;
    for (; statement.step(); count++) {
      this.checkInterrupt();
      const values = statement.values();
      if (count === 0) this.output.print(formatHead(columns, this.style));
      this.output.print(formatRow(columns, values, this.style, count === 0));
      this.#note(values, count);
    }
    if (count > 0) this.output.print(formatTail(this.style));
  }

  #printTable(statement: Statement): void {
    const { columns } = statement;
    const { rich, rows: most } = this.options;
    const { mode, nothing } = this.style;
    const rows: Value[][] = [];
    const [size, limit] = rich ? [TABLE_SIZE, CELL_BYTES] : [WHOLE_SIZE, undefined];
    let [count, room] = [0, size];
    for (; statement.step(); count++) {
      this.checkInterrupt();
      if (count === 0) this.#note(columns.length === 1 ? statement.values(SINGLE_SIZE) : [], count);
      else this.value = null;
      if (rows.length < most && room > 0 && rows.length === count) rows.push(statement.values(limit));
      room -= rich ? columns.length * CELL_BYTES / 8 : sizeOf(rows.at(-1) ?? []);
      if (room < 0 && !rich) {
        throw new DotError(`this result takes more than ${WHOLE_SIZE >> 20} MB: choose .mode list`);
      }
    }
    if (count === 0 && !rich) return;
    const rest = count - rows.length;
    const note = rest > 0 ? `${rest} more of ${count} rows` : rich && count === 0 ? "no rows" : "";
    const cell = (value: Value) =>
      mode === "qbox" ? quoteValue(value) : rich ? shortenText(value, nothing) : formatPlain(value, nothing);
    const text = alignColumns(columns, rows.map((each) => each.map(cell)), this.style);
    const all = note === "" ? text : `${text}(${note})\n`;
    this.output.print(all);
    if (!rich) return;
    this.output.show(formatTable(columns, rows, note), all);
    if (rest === 0) this.data = dataOf(columns, rows);
  }

  #note(values: Value[], count: number): void {
    const [first] = values;
    const single = count === 0 && values.length === 1;
    this.value = single ? first.kind === "blob" ? shortenText(first, "") : formatPlain(first, "NULL") : null;
  }
}

function sizeOf(values: Value[]): number {
  return values.reduce((sum, value) => sum + ("size" in value ? value.size : 0), 64 * values.length);
}

function writeFile(tree: Tree, path: string, text: string): void {
  const file = tree.open(path, { read: false, write: true, create: true, exclusive: false, truncate: true });
  try {
    const data = new TextEncoder().encode(text);
    for (let done = 0; done < data.length;) done += file.write(data.subarray(done), done);
  } finally {
    file.close();
  }
}
