import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { isModule, rewriteCell } from "./cell.ts";
import { elideImports } from "../../typescript/elide_imports.ts";
import { scanSource } from "./scanner.ts";

Deno.test("declarations of the top level may be made again, and nothing else changes", () => {
  const cells = {
    "let a = 1; const b = 2": "var a = 1; var   b = 2",
    "let [a, b] = c, { d } = e": "var [a, b] = c, { d } = e",
    "for (let i = 0; i < 3; i++) { const j = i }": "for (let i = 0; i < 3; i++) { const j = i }",
    "{ let x = 1 }\nif (a) { class B {} }": "{ let x = 1 }\nif (a) { class B {} }",
    "class A {}\n[1]": "var A=class A {};\n[1]",
    "class A extends mix({ a: 1 }) { b = `${{}}` }": "var A=class A extends mix({ a: 1 }) { b = `${{}}` };",
    "x = class {}; y = { let: 1, class: 2 }.let": "x = class {}; y = { let: 1, class: 2 }.let",
    "a.const; a\n.class": "a.const; a\n.class",
    "f(/let x/, 'let y', `let z`) // let w": "f(/let x/, 'let y', `let z`) // let w",
  };
  for (const [code, expected] of Object.entries(cells)) strictEqual(rewriteCell(code).code, expected);
});

Deno.test("imports of a cell become values", () => {
  const cells = {
    'import "m"': 'await import( "m")',
    'import a from "m"': 'var {default: a} =await import( "m")',
    'import * as a from "m"': 'var   a =await import( "m")',
    'import { a as b, c } from "m"': 'var { a : b, c } =await import( "m")',
    'import a, { b as c } from "m";': 'var {default: a,  b : c } =await import( "m");',
    'import a from "m" with { type: "json" }': 'var {default: a} =await import( "m")  ',
    'import("m")': 'import("m")',
    "f(import.meta.url)": 'f(globalThis[Symbol.for("cloche")].meta().url)',
    "export const a = 1; export default a": "       var   a = 1;        var $default= a",
  };
  for (const [code, expected] of Object.entries(cells)) {
    strictEqual(rewriteCell(code).code.trimEnd(), expected.trimEnd());
  }
});

Deno.test("places behind what was rewritten are found again", () => {
  const source = "1;\nclass Aa {} ; bb(); class Cc {} ; dd()\nee()";
  const { code, locate } = rewriteCell(source);
  for (const name of ["bb", "dd", "ee"]) {
    const place = (text: string) => {
      const lines = text.slice(0, text.indexOf(name)).split("\n");
      return [lines.length, lines[lines.length - 1].length + 1] as const;
    };
    deepStrictEqual(locate?.(...place(code)), [...place(source)]);
  }
});

Deno.test("modules are distinguished from scripts", () => {
  for (
    const code of ['import a from "a"', "1;export {}", "export default 1", "x = import.meta.url", "#!/x\nimport 'a'"]
  ) {
    strictEqual(isModule(code), true, code);
  }
  for (
    const code of [
      "import('a')",
      "'export default 1'",
      "// export default 1",
      "/*\nexport {}\n*/",
      "a.export",
      "exports.a = 1",
    ]
  ) {
    strictEqual(isModule(code), false, code);
  }
});

Deno.test("what is open at the end is known", () => {
  const open = {
    "f(": ["("],
    "{ [": ["{", "["],
    "`a ${b": ["`", "${"].slice(1),
    "'abc": ["'"],
    "/* x": ["/*"],
    "a / b": [],
  };
  for (const [code, expected] of Object.entries(open)) deepStrictEqual(scanSource(code).open, expected, code);
});

Deno.test("a slash divides or begins a regular expression", () => {
  const count = (code: string) => scanSource(code).tokens.filter(({ kind }) => kind === "regex").length;
  const codes = {
    "a / b / c": 0,
    "x = /b/g": 1,
    "if (a) /b/.test(c)": 1,
    "(a) / b / c": 0,
    "a++ / b / c": 0,
    "return /[/]/": 1,
  };
  for (const [code, expected] of Object.entries({ ...codes, "({}) / 2": 0, "{}\n/a/.test(b)": 1 })) {
    strictEqual(count(code), expected, code);
  }
});

Deno.test("imports of types alone are left out, and every place stays", () => {
  strictEqual(elideImports('import { A, b } from "m"; b'), 'import {    b } from "m"; b');
  strictEqual(elideImports('import { A } from "m"; x.A').trim(), "x.A");
  strictEqual(elideImports('import A, { b as c } from "m"; c'), 'import A, { b as c } from "m"; c');
  strictEqual(elideImports('import "m"; import("n")'), 'import "m"; import("n")');
});
