import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { localNames, readTokens } from "./lexer.ts";

Deno.test("code is cut into words, strings and numbers; comments are left out", () => {
  const code = `-- a comment
local s = [==[ long ]] text ]==] .. 'it\\'s' --[[ more
]] x = 0x1F + .5e3`;
  const tokens = readTokens(code).map(({ kind, text }) => `${kind} ${text}`);
  deepStrictEqual(tokens, [
    "name local",
    "name s",
    "symbol =",
    "string [==[ long ]] text ]==]",
    "symbol ..",
    "string 'it\\'s'",
    "name x",
    "symbol =",
    "number 0x1F",
    "symbol +",
    "number .5e3",
  ]);
});

Deno.test("the depth of blocks and brackets is known, and where statements may begin", () => {
  const code = "if a then\n  f(function() end)\nend\nrepeat x() until y; z";
  const tokens = readTokens(code);
  deepStrictEqual(tokens.filter(({ first, depth }) => first && depth === 0).map(({ text }) => text), [
    "if",
    "end",
    "repeat",
    "z",
  ]);
  strictEqual(tokens.at(-1)?.line, 4);
});

Deno.test("what is no Lua is read to its end all the same", () => {
  for (const code of ["'", '"a', "[[", "--[[", "\\ \u00e4 $", "end end }", "0x", "1.2.3"]) readTokens(code);
});

Deno.test("names of locals outside of blocks are found", () => {
  const code =
    "local a, b <const>, c = 1\nlocal function f() local inner end\nfor i = 1, 2 do local j end local d <close>";
  deepStrictEqual(localNames(readTokens(code)), ["a", "b", "c", "f", "d"]);
});
