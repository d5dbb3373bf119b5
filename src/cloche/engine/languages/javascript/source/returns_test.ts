import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { rewriteReturns } from "./returns.ts";

/** As it stands in the code that is run, in short. */
const shorten = (code: string) =>
  code.replaceAll('throw globalThis[Symbol.for("cloche")].returned=', "LEAVE").replaceAll(
    'globalThis[Symbol.for("cloche")].returned',
    "LEFT",
  );

Deno.test("only what returns from the top level is rewritten", () => {
  const cells = {
    "return 1": "LEAVE 1",
    "return": "LEAVEvoid 0;",
    "return\n1": "LEAVEvoid 0;\n1",
    "if (a) return; b": "if (a) LEAVEvoid 0;; b",
    "if (a) { return { b } } else return c": "if (a) { LEAVE { b } } else LEAVE c",
    "for (const a of b) { if (a) return a }": "for (const a of b) { if (a) LEAVE a }",
    "switch (a) { case (1): { return 2 } }": "switch (a) { case (1): { LEAVE 2 } }",
    "x = 1\nreturn x": "x = 1\nLEAVE x",
    "return () => { return 1 }": "LEAVE () => { return 1 }",
    "try { return 1 } catch (e) { f(e) }": "try { LEAVE 1 } catch (e) {if(LEFT)throw e; f(e) }",
    "try { return 1 } catch { f() }": "try { LEAVE 1 } catch($0) {if(LEFT)throw $0; f() }",
    "try { return 1 } catch ({ a, b: c }) { a }":
      "try { LEAVE 1 } catch ($0   ) {if(LEFT)throw $0;let { a, b: c }=$0; a }",
  };
  for (const [code, expected] of Object.entries(cells)) {
    const made = shorten(rewriteReturns(code).code);
    strictEqual(made.replace(/ +/g, " "), expected.replace(/ +/g, " "), code);
  }
});

Deno.test("what functions return is theirs", () => {
  const cells = [
    "function f() { return 1 }",
    "async function* f() { return 1 }",
    "const f = (a) => { return a }",
    "class A { get b() { return 1 } static c() { if (d) { return 2 } } }",
    "x = { next() { return 1 }, return() { return 2 }, [y]() { return 3 }, return: 4 }",
    "x = { return() { return 2 } }",
    "g.return(1); g\n.return",
    "'return 1'; /return/; `return ${a}` // return",
    "function f(a: number): string { return a }",
    "function f(): { a: number } { return a }",
    "function f(): Promise<{ a: number }> { return a }",
    "const f = (a): Promise<string> => { return a }",
    "try { f() } catch (e) { g(() => { return e }) }",
  ];
  for (const code of cells) deepStrictEqual(rewriteReturns(code), { code });
});
