import { deepStrictEqual, ok } from "node:assert/strict";
import { completeCommand } from "./completion.ts";
import { Bench } from "./harness_test.ts";

async function matches(bench: Bench, code: string): Promise<string[]> {
  const { matches, start, end } = await completeCommand(code, code.length, bench.shell);
  return matches.map((each) => code.slice(0, start) + each + code.slice(end));
}

Deno.test("the first word is a command", async () => {
  await using bench = new Bench();
  await bench.run("greet() { :; }");
  deepStrictEqual(await matches(bench, "ech"), ["echo"]);
  deepStrictEqual(await matches(bench, "a | gree"), ["a | greet"]);
  ok((await matches(bench, "if tru")).includes("if true"));
});

Deno.test("other words are files, folders with a slash, odd characters escaped", async () => {
  await using bench = new Bench();
  await bench.run("mkdir -p /tmp/c/sub; cd /tmp/c; touch 'a b' abc");
  deepStrictEqual(await matches(bench, "cat a"), ["cat a\\ b", "cat abc"]);
  deepStrictEqual(await matches(bench, "cat a\\ "), ["cat a\\ b"]);
  deepStrictEqual(await matches(bench, "ls >/tmp/c/s"), ["ls >/tmp/c/sub/"]);
  deepStrictEqual(await matches(bench, "ls nothing-like-it"), []);
});

Deno.test("a dollar sign is followed by a variable", async () => {
  await using bench = new Bench();
  await bench.run("fruit=1");
  deepStrictEqual(await matches(bench, "echo $frui"), ["echo $fruit"]);
});
