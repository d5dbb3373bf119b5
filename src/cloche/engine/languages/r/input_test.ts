import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Input } from "./input.ts";

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("bytes and lines come from the same input", () => {
  const input = new Input(encode("one\ntwo\nthree"), null);
  strictEqual(input.line(""), "one\n");
  const into = new Uint8Array(4);
  strictEqual(input.read(into), 4);
  deepStrictEqual(into, encode("two\n"));
  strictEqual(input.line(""), "three\n");
  strictEqual(input.line(""), null);
  strictEqual(input.read(into), 0);
});

Deno.test("lines are asked for when they are wanted, with the prompt", () => {
  const prompts: string[] = [];
  const answers = ["a", "b", null];
  const input = new Input(null, (prompt) => {
    prompts.push(prompt);
    return answers.shift() ?? null;
  });
  strictEqual(input.line("name? "), "a\n");
  const into = new Uint8Array(1);
  strictEqual(input.read(into), 1);
  strictEqual(input.read(into), 1);
  strictEqual(input.read(into), 0);
  deepStrictEqual(prompts, ["name? ", "", ""]);
});
