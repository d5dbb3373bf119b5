import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { findUnclosed, isUnfinished, readError } from "./errors.ts";

const fields = (...texts: string[]) => texts.map((text) => new TextEncoder().encode(text));

Deno.test("an error is reported in the line of the cell that is nearest", () => {
  const frames = "/workspace/a.rb:9:in 'b'\n<cell>:3:in 'f'\n<cell>:7:in '<main>'";
  const error = readError(fields("KeyError", "key not found: 1", frames, "the traceback"), "");
  deepStrictEqual(error, {
    type: "KeyError",
    message: "key not found: 1",
    line: 3,
    column: null,
    traceback: "the traceback",
  });
});

Deno.test("a syntax error is reported where it is marked", () => {
  const message = "<cell>:2: syntax error found\n  1 | x = 1\n> 2 | foo(\n    |     ^ unexpected end-of-input";
  const { line, column } = readError(fields("SyntaxError", message, "", ""), "x = 1\nfoo(");
  deepStrictEqual([line, column], [2, 5]);
});

Deno.test("an interrupt is called as in every language", () => {
  strictEqual(readError(fields("Interrupt", "", "", ""), "").type, "KeyboardInterrupt");
});

Deno.test("what is never closed is found by its place", () => {
  const cases: Record<string, number | undefined> = {
    "def a\n  1\n": 1,
    "def a\n  if b\n    1\nend\n": 2,
    "class A\n  def b\n    1\n  end\n": 1,
    "[1].each do |x|\n  puts x\n": 1,
    "def a = 1\nx = 2\n": undefined,
    "if a then 1 end\nwhile b\n": 2,
    "# def a\n": undefined,
  };
  for (const [code, line] of Object.entries(cases)) strictEqual(findUnclosed(code)?.line, line, code);
});

Deno.test("code that only lacks its end is not wrong", () => {
  strictEqual(isUnfinished("unexpected end-of-input; expected a `)` to close the arguments"), true);
  strictEqual(isUnfinished("unexpected 'end', ignoring it"), false);
});
