import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { installFunctions } from "./table_functions.ts";

Deno.test("functions of all kinds can stand in a table", () => {
  const table = new WebAssembly.Table({ element: "anyfunc", initial: 2 });
  const seen: unknown[] = [];
  const note = (...args: unknown[]) => void seen.push(...args);
  const places = installFunctions(table, [
    { type: "i>i", run: (value: number) => value + 1 },
    { type: "iI>i", run: (a: number, b: bigint) => a + Number(b) },
    { type: "id", run: note },
    { type: "i>i", run: (value: number) => -value },
  ]);
  deepStrictEqual(places, [2, 3, 4, 5]);
  const at = (index: number) => table.get(index) as (...args: unknown[]) => unknown;
  strictEqual(at(2)(41), 42);
  strictEqual(at(3)(1, 2n), 3);
  strictEqual(at(4)(7, 0.5), undefined);
  strictEqual(at(5)(3), -3);
  deepStrictEqual(seen, [7, 0.5]);
});
