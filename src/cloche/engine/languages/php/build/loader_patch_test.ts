import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { keepExports } from "./lean_module.ts";
import { patchLoader } from "./loader_patch.ts";

const LOADER = `import dependencyFilename from './8_4_25/php_8_4.wasm';
export { dependencyFilename };
export function init(RuntimeName, PHPLoader) {
	function getWasmImports() {
		Asyncify.instrumentWasmImports(wasmImports);
	}
	function receive(instance) {
			wasmExports = instance.exports;
			mergeLibSymbols(wasmExports);
			updateMemoryViews();
			removeRunDependency('wasm-instantiate');
	}
	_malloc(3);
	var _php_date_get_date_ce,
		_malloc,
		memory;
	function assignWasmExports(wasmExports) {
		_php_date_get_date_ce = Module['_php_date_get_date_ce'] =
			wasmExports['php_date_get_date_ce'];
		PHPLoader['malloc'] = _malloc = wasmExports['malloc'];
		memory = wasmMemory = wasmExports['memory'];
	}
	var _php_date_global_timezone_db = (Module['x'] = 1);
	var wasmImports = {
		a: wasmMemory,
	};
}`;

Deno.test("the loader keeps only what it calls", () => {
  const { text, asked } = patchLoader(LOADER);
  deepStrictEqual(asked, ["malloc", "memory"]);
  ok(text.includes('_malloc = wasmExports["malloc"]'));
  ok(text.includes('memory = wasmMemory = wasmExports["memory"]'));
  for (
    const gone of [
      "import ",
      "instrumentWasmImports",
      "mergeLibSymbols",
      "timezone_db",
      "get_date_ce",
    ]
  ) {
    ok(!text.includes(gone), gone);
  }
});

Deno.test("another loader is refused", () => {
  throws(
    () => patchLoader(LOADER.replace("instance.exports", "other")),
    /not the pinned version/,
  );
});

/** (module (func (export "a")) (func (export "b"))) and a section of names. */
const PROGRAM = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[0, 3, 2, 0x6e, 0x61],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[3, 3, 2, 0, 0],
  ...[7, 9, 2, 1, 0x61, 0, 0, 1, 0x62, 0, 1],
  ...[10, 7, 2, 2, 0, 0x0b, 2, 0, 0x0b],
);

Deno.test("exports that nobody asks for are taken off", () => {
  const lean = keepExports(PROGRAM, new Set(["b"]));
  const module = new WebAssembly.Module(lean as Uint8Array<ArrayBuffer>);
  deepStrictEqual(WebAssembly.Module.exports(module).map(({ name }) => name), [
    "b",
  ]);
  strictEqual(WebAssembly.Module.customSections(module, "na").length, 0);
  throws(() => keepExports(PROGRAM, new Set(["b", "c"])), /does not export c/);
});
