import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { askedExports, findMisfits, patchAsm } from "./asm_patch.ts";

const FILL_TABLE = "updateGOT(origExports);LDSO.init();";
const LOAD_SIDE_MODULE = "var loadWebAssemblyModule=(binary,flags,libName,localScope,handle)=>{";
const ASSIGN = "function assignWasmExports(wasmExports){";
const EXPORTS = `var _a,_b,wasmTable,wasmMemory;${ASSIGN}_a=Module["_a"]=wasmExports["a"];` +
  `_b=Module["_b"]=wasmExports["b"].value>>>0;wasmTable=wasmExports["table"]}_a();wasmTable;`;
const TAKE_SIGNAL =
  "let result=Module.Py_EmscriptenSignalBuffer[0];Module.Py_EmscriptenSignalBuffer[0]=0;return result";
const TAKE_AT_ONCE = "return Atomics.exchange(Module.Py_EmscriptenSignalBuffer,0,0)";
const WHOLE = `function take(){${TAKE_SIGNAL}}` + FILL_TABLE + LOAD_SIDE_MODULE + "};" + EXPORTS;

function pinned(name: string): string {
  return Deno.readTextFileSync(`${Deno.env.get("CLOCHE_ASSETS")}/node_modules/pyodide/${name}`);
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

Deno.test("the pinned file has each of the places once", () => {
  const source = pinned("pyodide.asm.mjs");
  strictEqual(count(source, FILL_TABLE), 1);
  strictEqual(count(source, LOAD_SIDE_MODULE), 1);
  strictEqual(count(source, ASSIGN), 1);
  strictEqual(count(source, TAKE_SIGNAL), 1);
});

Deno.test("every change that does not fit is named", () => {
  deepStrictEqual(findMisfits(pinned("pyodide.asm.mjs")), []);
  const other = WHOLE.replace(TAKE_SIGNAL, "").replace(LOAD_SIDE_MODULE, "").replace(ASSIGN, "");
  deepStrictEqual(findMisfits(other).map((each) => each.split(":")[0]), [
    "taking a signal in one step",
    "filling the table with the first side module",
    "dropping variables of unused exports",
  ]);
});

Deno.test("the patch changes the pinned file in these places only", () => {
  const source = pinned("pyodide.asm.mjs");
  const patched = patchAsm(source);
  strictEqual(count(patched, FILL_TABLE), 0);
  strictEqual(count(patched, LOAD_SIDE_MODULE + "Module.fillTable?.();"), 1);
  const [before, after] = source.replace(TAKE_SIGNAL, TAKE_AT_ONCE).split(FILL_TABLE);
  ok(patched.startsWith(before.split(LOAD_SIDE_MODULE)[0]));
  ok(patched.endsWith(after.slice(after.indexOf("}", after.indexOf(ASSIGN)))));
});

Deno.test("the prepared file is the patched pinned one", () => {
  const [patched, version] = pinned("pyodide.asm.cloche.mjs").split("export const lockInfo = ");
  strictEqual(patched, patchAsm(pinned("pyodide.asm.mjs")));
  const { info } = JSON.parse(pinned("pyodide-lock.json"));
  deepStrictEqual(JSON.parse(version.replace(";\n", "")), {
    ...info,
    version: JSON.parse(pinned("package.json")).version,
  });
});

Deno.test("the table is filled with what is asked for, and with the rest on demand, once", () => {
  const patched = patchAsm(WHOLE.replace("_a();", "void _a;"));
  const entered: string[][] = [];
  const fill =
    `const seen=[];const updateGOT=(names)=>seen.push(Object.keys(names));const LDSO={init(){}};const mergeLibSymbols=()=>{};`;
  const run = `${fill}const Module={};const GOT={a:1,x:1};const origExports={a:1,b:2};${patched};` +
    "loadWebAssemblyModule();loadWebAssemblyModule();export default seen;";
  return import(`data:text/javascript,${encodeURIComponent(run)}`).then((module: { default: string[][] }) => {
    entered.push(...module.default);
    strictEqual(JSON.stringify(entered), JSON.stringify([["a"], ["a", "b"]]));
  });
});

Deno.test("only exports that the file uses keep their variables", () => {
  const patched = patchAsm(WHOLE);
  ok(patched.endsWith(
    `var _a,wasmTable,wasmTable,wasmMemory;${ASSIGN}_a=Module["_a"]=wasmExports["a"];` +
      'wasmTable=wasmExports["table"]}_a();wasmTable;',
  ));
  const asked = askedExports(patched + "wasmExports.c;");
  deepStrictEqual(["a", "b", "c", "table"].filter((name) => asked.has(name)), ["a", "c", "table"]);
});

Deno.test("a file without one of the places, or with one twice, is refused by name", () => {
  const both = TAKE_SIGNAL + FILL_TABLE + LOAD_SIDE_MODULE;
  throws(() => patchAsm(""), /not the pinned version.*occurs 0 times/);
  throws(() => patchAsm(TAKE_SIGNAL + FILL_TABLE), /loadWebAssemblyModule.*occurs 0 times/);
  throws(() => patchAsm(TAKE_SIGNAL + LOAD_SIDE_MODULE), /updateGOT.*occurs 0 times/);
  throws(() => patchAsm(both), /assignWasmExports.*occurs 0 times/);
  throws(() => patchAsm(WHOLE.replace('_b=Module["_b"]', "_b+Module")), /not the pinned version/);
  throws(() => patchAsm(both + FILL_TABLE), /updateGOT.*occurs 2 times/);
  throws(() => patchAsm(both + LOAD_SIDE_MODULE), /loadWebAssemblyModule.*occurs 2 times/);
});

Deno.test("patching twice is refused", () => {
  throws(() => patchAsm(patchAsm(WHOLE)), /not the pinned version/);
});
