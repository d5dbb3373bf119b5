import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { outlineScript } from "./outline.ts";

const CASES: [string, (string | null)[][]][] = [
  ["ls -l 'a b' \"c\" d\\ e", [["ls", "-l", "a b", "c", "d e"]]],
  ["echo $x ~/a {a,b} *.py", [["echo", null, "~/a", null, "*.py"]]],
  ["a | b && c; d &", [["a"], ["b"], ["c"], ["d"]]],
  ["x=$(a) y=1 b > $(c)", [["b"], ["a"], ["c"]]],
  ['f() { g "$1"; }; f', [["g", null], ["f"]]],
  ["if a; then b; else c; fi; for i in $(d); do e; done", [["a"], ["b"], ["c"], ["d"], ["e"]]],
  ["cat <<E\n$(a) text\nE\nb <(c) >(d)", [["cat"], ["a"], ["b", null, null], ["c"], ["d"]]],
  ["export A=$(a) B; declare -x C", [["export"], ["a"], ["declare"]]],
  ["r\\\nm x", [["rm", "x"]]],
  ["rm > log -rf d", [["rm", "-rf", "d"]]],
  ["x=1", []],
];

for (const [text, commands] of CASES) {
  Deno.test(`the outline of ${JSON.stringify(text)}`, () => {
    const outline = outlineScript(text);
    strictEqual(outline.readable, true);
    deepStrictEqual(outline.commands.toSorted(), commands.toSorted());
  });
}

for (const text of ["if then", "a |", "echo 'x", "$(", "(".repeat(5000)]) {
  Deno.test(`${JSON.stringify(text.slice(0, 10))} has none`, () => strictEqual(outlineScript(text).readable, false));
}

Deno.test("aliases are read as the shell reads them", () => {
  const aliases = () => new Map([["ls", "rm -rf"]]);
  deepStrictEqual(outlineScript("ls x", { aliases }).commands, [["rm", "-rf", "x"]]);
});
