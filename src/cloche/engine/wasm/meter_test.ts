import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { meterModule, watchMeter } from "./meter.ts";

// (module (memory (export "memory") 1) (func (export "forever") (loop (br 0)))
//   (func (export "sum") (param i32) (result i32) (local i32)
//     (loop (local.set 1 (i32.add (local.get 1) (local.get 0)))
//       (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1))
//   (func (export "grow") (result i32) (memory.grow (i32.const 10))))
const LOOPS = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 13, 3, 0x60, 0, 0, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 1, 0x7f],
  ...[3, 4, 3, 0, 1, 2],
  ...[5, 3, 1, 0, 1],
  ...[7, 33, 4, ...name("memory"), 2, 0, ...name("forever"), 0, 0, ...name("sum"), 0, 1, ...name("grow"), 0, 2],
  ...[10, 42, 3, 7, 0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b],
  ...[25, 1, 1, 0x7f, 0x03, 0x40, 0x20, 1, 0x20, 0, 0x6a, 0x21, 1, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b],
  ...[0x20, 1, 0x0b, 6, 0, 0x41, 10, 0x40, 0, 0x0b],
]);

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

type Loops = { forever(): void; sum(count: number): number; grow(): number };

function start(wasm: Uint8Array, check: () => number): Loops {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(wasm as BufferSource), {});
  watchMeter(instance, check);
  return instance.exports as unknown as Loops;
}

Deno.test("a loop without end stops as soon as it has to", () => {
  let asked = 0;
  const { forever } = start(meterModule(LOOPS), () => ++asked > 5 ? 1 : 0);
  throws(forever, WebAssembly.RuntimeError);
  strictEqual(asked, 6);
});

Deno.test("a metered module computes what it did before, and is asked now and then only", () => {
  let asked = 0;
  const { sum } = start(meterModule(LOOPS), () => (asked++, 0));
  strictEqual(sum(100_000), 705_082_704);
  ok(asked > 3 && asked < 10, `${asked}`);
});

Deno.test("memory has the maximum that it was given", () => {
  const { grow } = start(meterModule(LOOPS, { memory: 12 << 16 }), () => 0);
  deepStrictEqual([grow(), grow()], [1, -1]);
});

Deno.test("a module with an instruction that is not known is refused", () => {
  const broken = LOOPS.slice();
  broken[broken.indexOf(0x6a, 80)] = 0xc9;
  throws(() => meterModule(broken), /not known: 0xc9/);
});
