import { strictEqual } from "node:assert/strict";
import { findNearestName } from "./nearest_name.ts";

Deno.test("the name that was meant is found, and none where none is near", () => {
  const names = ["print", "pairs", "ipairs", "customers", "x"];
  strictEqual(findNearestName("pritn", names), "print");
  strictEqual(findNearestName("pairz", names), "pairs");
  strictEqual(findNearestName("Customer", names), "customers");
  strictEqual(findNearestName("y", names), undefined);
  strictEqual(findNearestName("print", ["print"]), undefined);
  strictEqual(findNearestName("something", names), undefined);
});
