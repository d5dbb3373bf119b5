import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { SchemeError, Source } from "../vm/errors.ts";
import { displayValue, writeValue } from "./printer.ts";
import { Reader, readText } from "./reader.ts";
import { Bench } from "../harness_test.ts";
import { EOF, Pair } from "../vm/values.ts";

Deno.test("data are written as they can be read again", () => {
  for (
    const text of [
      "(a (b . c) #(1 2.5 1/3) #u8(0 255))",
      '("a\\n\\t\\"\\\\" #\\space #\\x #\\λ)',
      "(|a b| || |1| a.b ->x ... + - 1+)",
      "('a `(b ,c ,@d))",
      "#0=(1 . #0#)",
      "(#t #f ())",
      "(+inf.0 -inf.0 +nan.0 -0.0 1e100)",
    ]
  ) {
    strictEqual(writeValue(readText(text)), text);
    strictEqual(writeValue(readText(writeValue(readText(text)))), text);
  }
});

Deno.test("each datum and each pair has its place", () => {
  const source = new Source("x", "a\n (b (c))");
  const all = new Reader(source).readAll();
  deepStrictEqual(all.map(({ offset }) => source.place(offset)), [{ line: 1, column: 1 }, { line: 2, column: 2 }]);
  const inner = ((all[1].value as Pair).cdr as Pair).car as Pair;
  deepStrictEqual(source.place(source.marks.get(inner) ?? 0), { line: 2, column: 5 });
});

Deno.test("columns count characters", () => {
  deepStrictEqual(new Source("x", "😀😀(").place(4), { line: 1, column: 3 });
});

Deno.test("the end of the text is no datum", () => {
  strictEqual(readText("  ; nothing\n #| here |# #;(either)"), EOF);
});

Deno.test("text is whole, may become whole, or never will", () => {
  const { interpreter } = new Bench();
  for (const text of ["", "1", "(a)", "; comment", "#\\("]) strictEqual(interpreter.check(text), "complete", text);
  for (const text of ["(", "'", "#(1", '"a', "(a . ", "#|", "#;", "(a #;", "|x", "#\\"]) {
    strictEqual(interpreter.check(text), "incomplete", text);
  }
  for (const text of [")", "(1 . 2 3)", "#<x>", "(]", '"\\q"']) strictEqual(interpreter.check(text), "invalid", text);
});

Deno.test("no text makes the reader fail in another way", () => {
  const pieces = [
    "(",
    ")",
    "#",
    "|",
    '"',
    "\\",
    "'",
    ",@",
    "a",
    " ",
    "1",
    ".",
    "#(",
    "#u8(",
    "#;",
    "#0=",
    "#0#",
    "\n",
    ";",
    "[",
    "]",
    "λ",
    "#\\x",
  ];
  let seed = 7;
  const next = () => seed = (seed * 16807) % 2147483647;
  for (let i = 0; i < 3000; i++) {
    const text = Array.from({ length: 1 + next() % 12 }, () => pieces[next() % pieces.length]).join("");
    try {
      new Reader(new Source("x", text)).readAll().forEach(({ value }) => displayValue(value));
    } catch (error) {
      if (!(error instanceof SchemeError)) throw new Error(`${JSON.stringify(text)}: ${error}`);
    }
  }
});

Deno.test("names are completed from what is there and what was defined", () => {
  const bench = new Bench();
  bench.run("(define string-of-mine 1)");
  const names = bench.interpreter.complete("string-o");
  deepStrictEqual(names, ["string-of-mine"]);
  deepStrictEqual(bench.interpreter.complete("call-with-c"), ["call-with-current-continuation"]);
  deepStrictEqual(bench.interpreter.complete("%"), []);
});
