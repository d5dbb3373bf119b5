import { strictEqual, throws } from "node:assert/strict";
import { patchJustBash } from "./patch.ts";

const SOURCE = "let m={a,extraArgs:u.args};let N=await new kr(k,m).executeScript(S);";

Deno.test("the patch lets the caller of exec supply the interpreter", () => {
  const expected = 'N=await (u[Symbol.for("cloche.interpreter")]?.(kr,k,m)??new kr(k,m)).executeScript(S);';
  strictEqual(patchJustBash(SOURCE).endsWith(expected), true);
});

Deno.test("a source without the place, or with two, is refused", () => {
  throws(() => patchJustBash("nothing"), /found 0 times/);
  throws(() => patchJustBash(SOURCE + "new kr(k,m).executeScript(S)"), /found 2 times/);
});
