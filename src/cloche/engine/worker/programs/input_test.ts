import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ProgramInput } from "./input.ts";

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("bytes and lines come from the same input", () => {
  const input = new ProgramInput(encode("one\ntwo\nthree"));
  strictEqual(input.readLine(""), "one\n");
  const into = new Uint8Array(4);
  strictEqual(input.readInto(into), 4);
  deepStrictEqual(into, encode("two\n"));
  strictEqual(input.readLine(""), "three\n");
  strictEqual(input.readLine(""), null);
  strictEqual(input.readInto(into), 0);
});

Deno.test("the user is asked for each line, with the prompt, until the end", () => {
  const prompts: string[] = [];
  const answers = ["a", "b", null];
  const input = new ProgramInput(null, (prompt) => {
    prompts.push(prompt);
    return answers.shift() ?? null;
  });
  strictEqual(input.readLine("name? "), "a\n");
  const into = new Uint8Array(1);
  strictEqual(input.readInto(into), 1);
  strictEqual(input.readInto(into), 1);
  strictEqual(input.readInto(into), 0);
  strictEqual(input.readInto(into), 0);
  deepStrictEqual(prompts, ["name? ", "", ""]);
});

Deno.test("what was given is read before the user is asked", () => {
  const lines = ["one", null];
  const input = new ProgramInput(encode("ab"), () => lines.shift() ?? null);
  const read = (max: number) => new TextDecoder().decode(input.read(max));
  deepStrictEqual([read(1), read(9), read(2), read(9), read(9)], ["a", "b", "on", "e\n", ""]);
});

Deno.test("another program gets what is left", () => {
  const input = new ProgramInput(encode("abc"));
  input.read(1);
  deepStrictEqual([input.takeRest(), input.takeRest(), input.drained], [encode("bc"), null, true]);
});
