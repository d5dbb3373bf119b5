import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { findWord, isCommand, placeOf, skipBlank } from "./scanner.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("blanks, comments and lone semicolons are skipped", () => {
  const text = bytes(" ;-- one\n/* two\n*/ ;\n.tables");
  const at = skipBlank(text, 0);
  strictEqual(at, 21);
  strictEqual(isCommand(text, at), true);
  strictEqual(isCommand(bytes("x .tables"), 2), false);
  strictEqual(skipBlank(bytes("/* never closed"), 0), 15);
  strictEqual(skipBlank(bytes("- 1"), 0), 0);
});

Deno.test("places are counted in lines and characters, words found as a whole", () => {
  const text = bytes("SELECT '\u00e4\ud83c\udf3f',\n  a FROM ab, a");
  deepStrictEqual(placeOf(text, text.length), { line: 2, column: 15 });
  deepStrictEqual(placeOf(text, bytes("SELECT '\u00e4\ud83c\udf3f'").length), { line: 1, column: 12 });
  strictEqual(placeOf(text, findWord(text, 0, text.length, "AB")).column, 10);
  strictEqual(placeOf(text, findWord(text, 0, text.length, "a")).column, 3);
  strictEqual(findWord(text, 0, text.length, "zz"), -1);
});
