/** Types of the exports of SQLite's module that are used. */

export const OK = 0;
export const CODE = { error: 1, busy: 5, locked: 6, noMemory: 7, readOnly: 8, interrupt: 9, input: 10, full: 13 };
export const CANT_OPEN = 14;
export const CONSTRAINT = 19;
export const ROW = 100;
export const DONE = 101;
export const TYPE = { integer: 1, real: 2, text: 3, blob: 4, nothing: 5 };
export const OPEN = { readOnly: 0x1, readWrite: 0x2, create: 0x4, deleteOnClose: 0x8, mainDatabase: 0x100 };
/** SQLite copies bound values. */
export const TRANSIENT = -1;

export interface Exports {
  __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  emscripten_stack_get_current(): number;
  _emscripten_stack_alloc(size: number): number;
  _emscripten_stack_restore(at: number): void;
  malloc(size: number): number;
  free(address: number): void;

  sqlite3_initialize(): number;
  sqlite3_vfs_register(vfs: number, asDefault: number): number;
  sqlite3_open_v2(path: number, database: number, flags: number, vfs: number): number;
  sqlite3_close_v2(database: number): number;
  sqlite3_extended_result_codes(database: number, on: number): number;
  sqlite3_limit(database: number, which: number, value: number): number;
  sqlite3_interrupt(database: number): void;
  sqlite3_prepare_v2(database: number, sql: number, size: number, statement: number, rest: number): number;
  sqlite3_step(statement: number): number;
  sqlite3_reset(statement: number): number;
  sqlite3_finalize(statement: number): number;
  sqlite3_bind_text(statement: number, index: number, text: number, size: number, free: number): number;
  sqlite3_bind_null(statement: number, index: number): number;
  sqlite3_column_count(statement: number): number;
  sqlite3_column_name(statement: number, index: number): number;
  sqlite3_column_type(statement: number, index: number): number;
  sqlite3_column_text(statement: number, index: number): number;
  sqlite3_column_blob(statement: number, index: number): number;
  sqlite3_column_bytes(statement: number, index: number): number;
  sqlite3_changes64(database: number): bigint;
  sqlite3_total_changes64(database: number): bigint;
  sqlite3_get_autocommit(database: number): number;
  sqlite3_errmsg(database: number): number;
  sqlite3_error_offset(database: number): number;
  sqlite3_extended_errcode(database: number): number;
  sqlite3_complete(sql: number): number;
  sqlite3_libversion(): number;
  sqlite3_sourceid(): number;
  sqlite3_keyword_count(): number;
  sqlite3_keyword_name(index: number, name: number, size: number): number;
}
