/** PHP out of php-wasm: its program, metered and with few exports, and a loader that only does what we need. */

import { meter } from "../../wasm/meter.ts";
import { copyFiles } from "../copy.ts";
import { keepExports } from "./lean.ts";
import { patchLoader } from "./patch.ts";

const MEMORY = 384 << 20;
/** What the engine calls, and the addresses that it reads. */
const OWN = [
  "__wasm_call_ctors",
  "_emalloc",
  "compiler_globals",
  "executor_globals",
  "free",
  "gc_protect",
  "php_call_shutdown_functions",
  "php_embed_init",
  "php_embed_module",
  "php_execute_script_ex",
  "php_free_shutdown_functions",
  "php_output_end_all",
  "run_cli",
  "wasm_add_cli_arg",
  "wasm_memory_storage_struct",
  "zend_destroy_file_handle",
  "zend_error_cb",
  "zend_hash_str_del",
  "zend_hash_str_find",
  "zend_interrupt_function",
  "zend_memory_usage",
  "zend_stream_init_filename",
  "zend_throw_unwind_exit",
  "zend_vm_stack_destroy",
  "zend_vm_stack_init",
];

const [modules, target] = Deno.args;
copyFiles(modules, "@php-wasm/web-8-4", target, {
  "jspi/php_8_4.js": "php.js",
  "jspi/8_4_25/php_8_4.wasm": "php.wasm",
});
const { text, asked } = patchLoader(Deno.readTextFileSync(`${target}/php.js`));
Deno.writeTextFileSync(`${target}/php.js`, text);
const program = keepExports(Deno.readFileSync(`${target}/php.wasm`), new Set([...OWN, ...asked]));
Deno.writeFileSync(`${target}/php.wasm`, meter(program, { memory: MEMORY }));
for (const name of ["kernel.php", "prelude.php"]) {
  Deno.copyFileSync(new URL(name, import.meta.url), `${target}/${name}`);
}
