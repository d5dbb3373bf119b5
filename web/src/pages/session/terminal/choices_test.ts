/** Completions below the line. */

import { expect } from "../../../testing/expect.ts";
import { describeChoices, findCommon } from "./choices.ts";

Deno.test("what all completions begin with is taken at once", () => {
  expect([findCommon(["src/a.py", "src/ab.py"]), findCommon(["a", "b"]), findCommon(["x"])], ["src/a", "", "x"]);
});

Deno.test("they stand in columns by their last names, as many as there is room for", () => {
  expect(describeChoices(["d/one", "d/two/", "d/three"], 16), "one    two/\nthree");
  const many = Array.from({ length: 100 }, (_, at) => `name${at}`);
  const rows = describeChoices(many, 20).split("\n");
  expect([rows.length, rows.at(-1)], [8, "name14 … 85 more"]);
});
