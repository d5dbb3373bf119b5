/** Where things stand in a terminal. */

import { expect } from "../../../testing/expect.ts";
import { draw, undraw, widthOf } from "./layout.ts";

const wanted = { prompt: "", text: "", cursor: 0, hint: "", start: 0, columns: 10 };

Deno.test("a short line is written, and the cursor put into its place", () => {
  const drawn = draw({ ...wanted, prompt: "\x1b[32m$\x1b[0m ", text: "abc", cursor: 1 });
  expect(drawn, { text: "\x1b[32m$\x1b[0m abc\r\x1b[3C", rows: 0 });
  expect(undraw(drawn, 0), "\r\x1b[J");
});

Deno.test("a long line goes on below, and the cursor finds its row", () => {
  const drawn = draw({ ...wanted, prompt: "$ ", text: "0123456789abc", cursor: 13 });
  expect([drawn.rows, drawn.text.endsWith("\r\x1b[5C")], [1, true]);
  expect(draw({ ...wanted, prompt: "$ ", text: "0123456789abc", cursor: 0 }).text.endsWith("\x1b[1A\r\x1b[2C"), true);
  expect(undraw(drawn, 3), "\x1b[1A\r\x1b[3C\x1b[J");
});

Deno.test("a row that is just full has the cursor in the next one", () => {
  expect(draw({ ...wanted, text: "0123456789", cursor: 10 }), { text: "0123456789 \r\r", rows: 1 });
});

Deno.test("further rows of a text have a mark, and a hint stands below", () => {
  expect(draw({ ...wanted, prompt: "$ ", text: "a\nb", cursor: 3 }), { text: "$ a\r\n> b\r\x1b[3C", rows: 1 });
  const hinted = draw({ ...wanted, prompt: "$ ", text: "a", cursor: 1, hint: "ab ac" });
  expect(hinted, { text: "$ a\r\n\x1b[2mab ac\x1b[0m\x1b[1A\r\x1b[3C", rows: 0 });
});

Deno.test("it begins where a question ends, and wide characters take two columns", () => {
  expect(draw({ ...wanted, start: 8, text: "abc", cursor: 3 }).rows, 1);
  expect(["a", "é", "漢", "😀", "\u0301", "\u200d"].map(widthOf), [1, 1, 2, 2, 0, 0]);
  expect(draw({ ...wanted, start: 9, text: "漢", cursor: 1 }).rows, 1);
});
