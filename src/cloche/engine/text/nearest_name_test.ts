import { strictEqual } from "node:assert/strict";
import { nearest } from "./nearest_name.ts";

Deno.test("the name that was meant is found, and none where none is near", () => {
  const names = ["print", "pairs", "ipairs", "customers", "x"];
  strictEqual(nearest("pritn", names), "print");
  strictEqual(nearest("pairz", names), "pairs");
  strictEqual(nearest("Customer", names), "customers");
  strictEqual(nearest("y", names), undefined);
  strictEqual(nearest("print", ["print"]), undefined);
  strictEqual(nearest("something", names), undefined);
});
