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
  formatRow,
  formatTable,
  formatTail,
  isAligned,
  shortenText,
  type Style,
} from "./formats.ts";
import { type ConnectionContext, Vm } from "./vm/vm.ts";
import { CODE } from "./vm/exports.ts";
import { endOfLine, isCommand, skipBlank } from "./scanner.ts";

/** How deep files may read each other. */
const DEPTH = 10;
/** Bytes that a table may roughly take, and that the value of a cell may have. */
const TABLE_SIZE = 16 << 20;
const SINGLE_SIZE = 1 << 20;
/** Statements whose number of changed rows is shown. */
const CHANGING = /^\s*(?:(?:insert|update|delete|replace)\b|with\b[^]*\b(?:insert|update|delete|replace)\b)/i;

/** Where results are printed. */
interface Output {
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
}

export class Session {
  readonly vm: Vm;
  database: Database;
  style: Style;
  /** The last result, if it is a single value. */
  value: string | null = null;
  /** Its rows as JSON, where they are whole and plain data. */
  data: string | null = null;
  /** Changed rows that were not reported yet; null if no statement could change any. */
  #changed: number | null = null;
  #depth = 0;

  constructor(
    module: WebAssembly.Module,
    readonly context: ConnectionContext,
    readonly options: Options,
    readonly output: Output,
  ) {
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
      this.run(this.context.tree.readFile(this.resolve(path)), 0, path);
    } finally {
      this.#depth--;
    }
  }

  resolve(path: string): string {
    return path.startsWith("/") ? path : `${this.context.cwd}/${path}`;
  }

  /** Throws if the run was interrupted. */
  checkInterrupt(): void {
    if (this.context.interrupted) throw new SqlError("interrupted", CODE.interrupt, -1, "step");
  }

  close(): void {
    this.database.close();
  }

  #runOne(text: Uint8Array, address: number, at: number, file: string | null): number {
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
    }
  }

  #runStatement(statement: Statement, sql: string): void {
    const before = this.database.totalChanges;
    try {
      if (statement.columns.length > 0) this.#print(statement);
      else while (statement.step());
    } finally {
      statement.close();
    }
    if (!this.options.rich || !CHANGING.test(sql)) return;
    this.#changed = (this.#changed ?? 0) + (this.database.totalChanges === before ? 0 : this.database.changes);
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
    let [count, room] = [0, TABLE_SIZE];
    for (; statement.step(); count++) {
      this.checkInterrupt();
      if (count === 0) this.#note(columns.length === 1 ? statement.values(SINGLE_SIZE) : [], count);
      else this.value = null;
      if (rows.length < most && room > 0 && rows.length === count) rows.push(statement.values(CELL_BYTES));
      room -= columns.length * CELL_BYTES / 8;
    }
    if (count === 0 && !rich) return;
    const rest = count - rows.length;
    const note = rest > 0 ? `${rest} more of ${count} rows` : rich && count === 0 ? "no rows" : "";
    const text = alignColumns(columns, rows.map((each) => each.map((value) => shortenText(value, nothing))), mode);
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
