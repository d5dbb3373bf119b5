/** The parts of php-wasm's loader and module that are used here. */

import type { EmscriptenFS } from "../../../fs/emscripten_types.ts";

type Call = (...args: number[]) => number;

/** What pack.ts leaves of the module's exports. */
export interface Exports {
  memory: WebAssembly.Memory;
  __indirect_function_table: WebAssembly.Table;
  malloc: Call;
  free: Call;
  _emalloc: Call;
  emscripten_builtin_memalign: Call;
  emscripten_stack_get_current: Call;
  php_embed_init: Call;
  php_execute_script_ex: Call;
  php_call_shutdown_functions: Call;
  php_free_shutdown_functions: Call;
  php_output_end_all: Call;
  run_cli: Call;
  wasm_add_cli_arg: Call;
  zend_destroy_file_handle: Call;
  zend_hash_str_del: Call;
  zend_hash_str_find: Call;
  zend_stream_init_filename: Call;
  zend_throw_unwind_exit: Call;
  zend_memory_usage: Call;
  zend_vm_stack_destroy: Call;
  zend_vm_stack_init: Call;
  gc_protect: Call;
  compiler_globals: WebAssembly.Global;
  executor_globals: WebAssembly.Global;
  php_embed_module: WebAssembly.Global;
  wasm_memory_storage_struct: WebAssembly.Global;
  zend_error_cb: WebAssembly.Global;
  zend_interrupt_function: WebAssembly.Global;
}

export interface Node {
  mode: number;
  node_ops: Record<string, unknown>;
  stream_ops: Record<string, unknown>;
}

export interface FileSystem extends EmscriptenFS {
  root: Node;
  cwd(): string;
  makedev(major: number, minor: number): number;
  registerDevice(device: number, operations: object): void;
  mkdev(path: string, mode: number, device: number): Node;
  open(path: string, flags: number): { fd: number };
  closeStream(descriptor: number): void;
  lookupPath(path: string): { node: Node };
}

export type Imports = Record<string, (...args: number[]) => unknown>;

/** What the loader is given, and fills. */
export interface PhpModule {
  FS: FileSystem;
  HEAPU8: Uint8Array;
  UTF8ToString(pointer: number): string;
  ENV: Record<string, string | undefined>;
}

export interface Loader {
  init(runtime: "WEB", module: object): PhpModule;
}
