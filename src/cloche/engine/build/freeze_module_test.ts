import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { encodeSigned } from "../wasm/format.ts";
import { exposeGlobals, freezeModule } from "./freeze_module.ts";

/** (module (memory (export "memory") 1) (global (mut i32) (i32.const 1)) (func (export "f") (result i32)
 * global.get 0, i32.const 8, i32.load, i32.add; then both grow)) */
const PROGRAM = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 0, 1, 0x7f],
  ...[3, 2, 1, 0],
  ...[5, 3, 1, 0, 1],
  ...[6, 6, 1, 0x7f, 1, 0x41, 1, 0x0b],
  ...[7, 14, 2, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 0, 1, 0x66, 0, 0],
  ...[10, 32, 1, 30, 0, 0x23, 0, 0x41, 10, 0x6a, 0x24, 0],
  ...[0x41, 8, 0x41, 8, 0x28, 2, 0, 0x41, 1, 0x6a, 0x36, 2, 0],
  ...[0x23, 0, 0x41, 8, 0x28, 2, 0, 0x6a, 0x0b],
  ...[11, 10, 1, 0, 0x41, 8, 0x0b, 4, 100, 0, 0, 0],
);

Deno.test("a frozen module goes on where it stood", () => {
  const start = (wasm: Uint8Array) => new WebAssembly.Instance(new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>));
  const call = (instance: WebAssembly.Instance) => (instance.exports.f as () => number)();
  const first = start(exposeGlobals(PROGRAM));
  strictEqual(call(first), 112);
  const frozen = freezeModule(PROGRAM, first);
  strictEqual(call(first), 123);
  strictEqual(call(start(frozen)), 123);
  strictEqual(call(start(frozen)), 123);
});

Deno.test("numbers of either sign are written as they are read", () => {
  deepStrictEqual([0, 63, 64, -1, -64, -65, 2 ** 31 - 1].map(encodeSigned), [
    [0],
    [63],
    [0xc0, 0],
    [0x7f],
    [0x40],
    [0xbf, 0x7f],
    [0xff, 0xff, 0xff, 0xff, 7],
  ]);
});
