/** One connection to a database: statements, their rows, and what went wrong with them. */

import type { Vm } from "./vm/vm.ts";
import { CODE, DONE, type Exports, OK, OPEN, ROW, TRANSIENT, TYPE } from "./vm/exports.ts";

/** How deep expressions may be nested: the module's stack is small. */
const LIMIT = { expressionDepth: 3 };
const EXPRESSION_DEPTH = 500;
/** The most bytes of one value that are read. */
const VALUE_SIZE = 8 << 20;

/** A value as it is shown: numbers in SQLite's own words, bytes as bytes. */
export type Value = { kind: "integer" | "real" | "text"; text: string; size: number } | Blob | { kind: "null" };

interface Blob {
  kind: "blob";
  bytes: Uint8Array;
  size: number;
}

/** SQLite refuses; `offset` is where in the text, in bytes, if it says so. */
export class SqlError extends Error {
  override readonly name = "SqlError";

  constructor(message: string, readonly code: number, readonly offset: number, readonly stage: "prepare" | "step") {
    super(message);
  }

  /** The code without its details. */
  get primary(): number {
    return this.code & 0xff;
  }
}

export class Database {
  readonly #exports: Exports;
  readonly #handle: number;
  /** Why the file could not be opened; its statements then fail. */
  readonly openError: string | undefined;

  constructor(private readonly vm: Vm, readonly path: string, readOnly = false) {
    this.#exports = vm.exports;
    const flags = readOnly ? OPEN.readOnly : OPEN.readWrite | OPEN.create;
    let code = OK;
    this.#handle = vm.room(1, (out) => {
      code = vm.lend(path, (name) => this.#exports.sqlite3_open_v2(name, out, flags, 0));
      return vm.view.getUint32(out, true);
    });
    if (this.#handle === 0) throw new SqlError("out of memory", CODE.noMemory, -1, "prepare");
    if (code !== OK) this.openError = vm.text(this.#exports.sqlite3_errmsg(this.#handle));
    this.#exports.sqlite3_extended_result_codes(this.#handle, 1);
    this.#exports.sqlite3_limit(this.#handle, LIMIT.expressionDepth, EXPRESSION_DEPTH);
  }

  interrupt(): void {
    this.#exports.sqlite3_interrupt(this.#handle);
  }

  close(): void {
    this.#exports.sqlite3_close_v2(this.#handle);
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return this.#exports.sqlite3_get_autocommit(this.#handle) === 0;
  }

  get totalChanges(): number {
    return Number(this.#exports.sqlite3_total_changes64(this.#handle));
  }

  get changes(): number {
    return Number(this.#exports.sqlite3_changes64(this.#handle));
  }

  /** The first statement of the text at an address, and where the rest begins; no statement if there is only blank. */
  prepare(sql: number): { statement: Statement | null; rest: number } {
    return this.vm.room(2, (out) => {
      const code = this.#exports.sqlite3_prepare_v2(this.#handle, sql, -1, out, out + 4);
      if (code !== OK) throw this.failure("prepare");
      const [handle, rest] = [0, 4].map((at) => this.vm.view.getUint32(out + at, true));
      return { statement: handle === 0 ? null : new Statement(this.vm, this, handle), rest };
    });
  }

  /** All rows of one statement as text, for our own queries; null stays null. */
  query(sql: string, ...values: string[]): (string | null)[][] {
    return this.vm.lend(sql, (address) => {
      const { statement } = this.prepare(address);
      if (!statement) return [];
      try {
        values.forEach((value, index) => statement.bind(index, value));
        const rows = [];
        while (statement.step()) rows.push(statement.values().map((value) => "text" in value ? value.text : null));
        return rows;
      } finally {
        statement.close();
      }
    });
  }

  failure(stage: "prepare" | "step"): SqlError {
    const message = this.vm.text(this.#exports.sqlite3_errmsg(this.#handle));
    const code = this.#exports.sqlite3_extended_errcode(this.#handle);
    const offset = this.#exports.sqlite3_error_offset(this.#handle);
    return new SqlError(message, code, stage === "prepare" ? offset : -1, stage);
  }
}

export class Statement {
  readonly columns: string[];
  readonly #exports: Exports;

  constructor(private readonly vm: Vm, private readonly database: Database, private readonly handle: number) {
    this.#exports = vm.exports;
    const count = this.#exports.sqlite3_column_count(handle);
    this.columns = Array.from(
      { length: count },
      (_, index) => vm.text(this.#exports.sqlite3_column_name(handle, index)),
    );
  }

  /** Whether there is another row. */
  step(): boolean {
    const code = this.#exports.sqlite3_step(this.handle);
    if (code === ROW) return true;
    if (code !== DONE) throw this.database.failure("step");
    return false;
  }

  bind(index: number, value: string | null): void {
    if (value === null) {
      this.#exports.sqlite3_bind_null(this.handle, index + 1);
      return;
    }
    const bytes = new TextEncoder().encode(value);
    this.vm.lend(
      bytes,
      (at) => this.#exports.sqlite3_bind_text(this.handle, index + 1, at, bytes.length, TRANSIENT),
    );
  }

  reset(): void {
    this.#exports.sqlite3_reset(this.handle);
  }

  close(): void {
    this.#exports.sqlite3_finalize(this.handle);
  }

  /** The row, with at most this many bytes of each value. */
  values(most = VALUE_SIZE): Value[] {
    return this.columns.map((_, index) => this.#value(index, most));
  }

  #value(index: number, most: number): Value {
    const type = this.#exports.sqlite3_column_type(this.handle, index);
    if (type === TYPE.nothing) return { kind: "null" };
    const blob = type === TYPE.blob;
    const at = blob
      ? this.#exports.sqlite3_column_blob(this.handle, index)
      : this.#exports.sqlite3_column_text(this.handle, index);
    const size = this.#exports.sqlite3_column_bytes(this.handle, index);
    const bytes = this.vm.bytes.subarray(at, at + Math.min(size, most));
    if (blob) return { kind: "blob", bytes: bytes.slice(), size };
    const kind = type === TYPE.integer ? "integer" : type === TYPE.real ? "real" : "text";
    return { kind, text: new TextDecoder().decode(bytes), size };
  }
}
