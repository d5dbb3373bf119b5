/** Tables as programs write them. */

import { expect } from "../../testing/expect.ts";
import { readTable } from "./delimited.ts";

Deno.test("fields may be quoted, and hold what separates others", () => {
  expect(readTable('a,b\r\n"x, ""y""\nz",2\n,\n', 9), {
    rows: [["a", "b"], ['x, "y"\nz', "2"], ["", ""]],
    more: false,
  });
});

Deno.test("what separates fields is seen in the first line", () => {
  expect(readTable("a\tb,c\td\n1\t2\t3", 9).rows, [["a", "b,c", "d"], ["1", "2", "3"]]);
  expect(readTable("a;b;c\n", 9).rows, [["a", "b", "c"]]);
});

Deno.test("a long table is cut, and a broken one is shown as far as it goes", () => {
  expect(readTable("a\nb\nc\n", 2), { rows: [["a"], ["b"]], more: true });
  expect(readTable('a\n"b', 2), { rows: [["a"], ["b"]], more: false });
  expect(readTable("", 2).rows, []);
});
