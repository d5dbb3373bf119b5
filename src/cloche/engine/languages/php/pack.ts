/**
 * Builds PHP's pack from php-wasm: its module, metered and with few exports, a loader that only does what we need, its
 * initial memory for programs, and its memory after the start for cells: `pack.ts NODE_MODULES TARGET`.
 */

import { FIXED_LIMITS } from "../../limits.ts";
import { filesOf, PRELUDE } from "./vm/ini.ts";
import { LOADERS } from "./vm/imports.ts";
import { Interpreter } from "./vm/interpreter.ts";
import { type Parts, Vm } from "./vm/vm.ts";
import { concatBytes } from "../../text/bytes.ts";
import { readInitialMemory, removeData } from "../../wasm/initial_memory.ts";
import { Image, packImage } from "../../wasm/image.ts";
import { meterModule } from "../../wasm/meter.ts";
import { copyFiles } from "../../build/npm_files.ts";
import { keepExports } from "./build/lean_module.ts";
import { patchLoader } from "./build/loader_patch.ts";
import { shakeLoader } from "./build/shake_loader.ts";

const MEMORY = 384 << 20;
/** What the engine calls, and the addresses that it reads. */
const OWN = [
  "__wasm_call_ctors",
  "_emalloc",
  "compiler_globals",
  "emscripten_stack_get_current",
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
Deno.writeTextFileSync(`${target}/php.js`, shakeLoader(text, LOADERS));
const wasm = keepExports(
  Deno.readFileSync(`${target}/php.wasm`),
  new Set([...OWN, ...asked]),
);
const metered = meterModule(wasm, { memory: MEMORY });
const lean = removeData(metered);
Deno.writeFileSync(`${target}/php.wasm`, lean);
const prelude = Deno.readFileSync(new URL("./guest/prelude.php", import.meta.url));
Deno.writeFileSync(`${target}/prelude.php`, prelude);

const initial = readInitialMemory(metered);
const data = concatBytes(packImage(initial, null));
Deno.writeFileSync(`${target}/php.data`, data);
const php = await start(data);
Deno.writeFileSync(
  `${target}/php.started`,
  concatBytes(packImage(php.vm.memory.bytes, php.places, initial)),
);

/** Starts PHP and lets it read what all cells need. */
async function start(data: Uint8Array): Promise<Interpreter> {
  const parts: Parts = {
    loader: await import(`file://${target}/php.js`),
    module: new WebAssembly.Module(lean as BufferSource),
    data: new Image<null>({
      read: (into, at) => into.set(data.subarray(at, at + into.length)),
    }),
    started: null,
    folders: [],
    files: filesOf({ prelude, program: false }),
    env: {},
    services: {
      read: () => 0,
      write: (_, text) => void Deno.stdout.writeSync(text),
      sleep: () => {},
      message: () => null,
      command: () => null,
    },
    interrupted: () => false,
    killed: () => false,
  };
  const vm = new Vm(parts);
  const stack = vm.exports.emscripten_stack_get_current();
  const interpreter = new Interpreter(vm, () => {});
  const kernel = Deno.readTextFileSync(new URL("./guest/kernel.php", import.meta.url));
  const { dataLimit, dataDepth, dataValues } = FIXED_LIMITS;
  for (
    const text of [
      `<?php namespace Cloche; const DATA_LENGTH = ${dataLimit}, DATA_DEPTH = ${dataDepth}, DATA_VALUES = ${dataValues};`,
      kernel,
      `<?php require_once '${PRELUDE}'; clearstatcache(true);`,
    ]
  ) {
    const { fault } = interpreter.execute(text, "<kernel>");
    if (fault) throw new Error(`PHP did not start: ${fault.message}`);
  }
  // The module's globals are not kept.
  if (vm.exports.emscripten_stack_get_current() !== stack) throw new Error("PHP is not at rest");
  return interpreter;
}
