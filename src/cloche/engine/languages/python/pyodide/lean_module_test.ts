import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { askedExports } from "./asm_patch.ts";
import { HIDDEN_TABLE, type HiddenExports } from "./hidden_exports.ts";
import { hideExports, takeData } from "./lean_module.ts";

// (module (memory (export "memory") 1) (table (export "table") 1 funcref) (global (export "address") i32 (i32.const 1030))
//   (global (export "mutable") (mut i32) (i32.const -5)) (func (export "one") (result i32) (i32.const 1))
//   (func (export "load") (result i32) (i32.load8_u (i32.const 1030))) (elem (i32.const 0) 0)
//   (data (i32.const 1028) "\01\02\03\04"))
const SMALL = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 0, 1, 0x7f],
  ...[3, 3, 2, 0, 0],
  ...[4, 4, 1, 0x70, 0, 1],
  ...[5, 3, 1, 0, 1],
  ...[6, 12, 2, 0x7f, 0, 0x41, 0x86, 0x08, 0x0b, 0x7f, 1, 0x41, 0x7b, 0x0b],
  ...[7, 51, 6, ...name("memory"), 2, 0, ...name("table"), 1, 0, ...name("address"), 3, 0, ...name("mutable"), 3, 1],
  ...[...name("one"), 0, 0, ...name("load"), 0, 1],
  ...[9, 7, 1, 0, 0x41, 0, 0x0b, 1, 0],
  ...[10, 15, 2, 4, 0, 0x41, 1, 0x0b, 8, 0, 0x41, 0x86, 0x08, 0x2d, 0, 0, 0x0b],
  ...[11, 11, 1, 0, 0x41, 0x84, 0x08, 0x0b, 4, 1, 2, 3, 4],
]);

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

function start(wasm: Uint8Array): WebAssembly.Exports {
  return new WebAssembly.Instance(new WebAssembly.Module(wasm as BufferSource), {}).exports;
}

function pinned(file: string): Uint8Array {
  return Deno.readFileSync(`${Deno.env.get("CLOCHE_ASSETS")}/node_modules/pyodide/${file}`);
}

Deno.test("functions and addresses that are not asked for leave the exports", () => {
  const { wasm, hidden } = hideExports(SMALL, new Set(["load"]));
  deepStrictEqual(hidden, { functions: ["one"], values: { address: 1030 } });
  deepStrictEqual(Object.keys(start(wasm)).sort(), [HIDDEN_TABLE, "load", "memory", "mutable", "table"].sort());
});

Deno.test("a hidden function is the one that the module's own table holds", () => {
  const exports = start(hideExports(SMALL, new Set()).wasm);
  const one = (exports[HIDDEN_TABLE] as WebAssembly.Table).get(0);
  strictEqual(one?.(), 1);
  strictEqual(one, (exports.table as WebAssembly.Table).get(0));
});

Deno.test("data comes back from the image", () => {
  const { wasm, image } = takeData(SMALL);
  deepStrictEqual([image.length, ...image.subarray(1026)], [1032, 0, 0, 1, 2, 3, 4]);
  const exports = start(wasm) as { memory: WebAssembly.Memory; load(): number } & WebAssembly.Exports;
  strictEqual(exports.load(), 0);
  new Uint8Array(exports.memory.buffer).set(image);
  strictEqual(exports.load(), 3);
});

Deno.test("what is no module, or is cut short, is refused", () => {
  throws(() => hideExports(new Uint8Array(9), new Set()), /not a WebAssembly module/);
  throws(() => hideExports(SMALL.subarray(0, SMALL.length - 20), new Set()), /cut short/);
  throws(() => takeData(SMALL.subarray(0, SMALL.length - 1)), /cut short/);
});

Deno.test("Python's module keeps every export, in one place or the other", async () => {
  const before = WebAssembly.Module.exports(await WebAssembly.compile(pinned("pyodide.asm.wasm") as BufferSource));
  const after = WebAssembly.Module.exports(
    await WebAssembly.compile(pinned("pyodide.asm.cloche.wasm") as BufferSource),
  );
  const { functions, values }: HiddenExports = JSON.parse(new TextDecoder().decode(pinned("hidden.cloche")));
  const known = new Set([...after.map((each) => each.name), ...functions, ...Object.keys(values)]);
  deepStrictEqual(before.filter((each) => !known.has(each.name)), []);
  ok(after.length < 300, `${after.length} exports`);
  const asked = askedExports(new TextDecoder().decode(pinned("pyodide.asm.cloche.mjs")));
  deepStrictEqual(functions.filter((each) => asked.has(each)), []);
});
