import { deepStrictEqual, throws } from "node:assert/strict";
import { readNames } from "./names.ts";

const LOADER = `
  function initRuntime() { wasmExports["G"](); }
  function assign(wasmExports2) {
    _main = Module["_main"] = wasmExports2["H"];
    __emscripten_stack_restore = wasmExports2["J"];
    __emscripten_stack_alloc = wasmExports2["K"];
    _emscripten_stack_get_current = wasmExports2["L"];
    memory = wasmMemory = wasmExports2["F"];
    __indirect_function_table = wasmTable = wasmExports2["I"];
  }
  var wasmImports = { a: ___assert_fail, c: _fd_close };
`;

Deno.test("names are read from the loader", () => {
  const exports = {
    main: "H",
    memory: "F",
    start: "G",
    indirect_function_table: "I",
    emscripten_stack_restore: "J",
    emscripten_stack_alloc: "K",
    emscripten_stack_get_current: "L",
  };
  deepStrictEqual(readNames(LOADER), { imports: { assert_fail: "a", fd_close: "c" }, exports });
});

Deno.test("a loader that has changed is refused", () => {
  throws(() => readNames(LOADER.replace("_main = ", "_start = ")), /has changed: main/);
});
