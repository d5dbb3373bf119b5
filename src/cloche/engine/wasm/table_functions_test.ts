import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { installFunctions, wrapFunctions } from "./table_functions.ts";

Deno.test("a table can hold functions of every kind", () => {
  const table = new WebAssembly.Table({ element: "anyfunc", initial: 2 });
  const seen: unknown[] = [];
  const note = (...args: unknown[]) => void seen.push(...args);
  const places = installFunctions(table, [
    { signature: "ii", run: (value: number) => value + 1 },
    { signature: "iij", run: (a: number, b: bigint) => a + Number(b) },
    { signature: "vid", run: note },
    { signature: "ii", run: (value: number) => -value },
  ]);
  deepStrictEqual(places, [2, 3, 4, 5]);
  const at = (index: number) => table.get(index) as (...args: unknown[]) => unknown;
  strictEqual(at(2)(41), 42);
  strictEqual(at(3)(1, 2n), 3);
  strictEqual(at(4)(7, 0.5), undefined);
  strictEqual(at(5)(3), -3);
  deepStrictEqual(seen, [7, 0.5]);
});

Deno.test("pointers and floats are passed too, and no functions need no module", () => {
  const [add, half] = wrapFunctions([
    { signature: "ipp", run: (a: number, b: number) => a + b },
    { signature: "ff", run: (a: number) => a / 2 },
  ]) as ((...args: number[]) => number)[];
  deepStrictEqual([add(40, 2), half(5)], [42, 2.5]);
  deepStrictEqual(wrapFunctions([]), []);
});
