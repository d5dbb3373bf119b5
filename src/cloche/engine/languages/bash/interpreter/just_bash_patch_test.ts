import { strictEqual, throws } from "node:assert/strict";
import { patchJustBash } from "./just_bash_patch.ts";

const CALL = "let m={a,extraArgs:u.args};let N=await new kr(k,m).executeScript(S);";
/** The places of caps, as they stand in just-bash. */
const CAPS = [
  "var dr=1e4,Mi={maxResults:dr,maxStringBytes:9};",
  "function J(e,t,n,r){if(e.length>=n.maxResults)return!1;let s=B(t);if(s>n.maxStringBytes-r.value)throw new x(`a`)}",
  "var qc=1e5;async function Kc(e){",
  'f("brace_operations",1,Math.min(qc,e.limits.maxBraceExpansionResults),"brace expansion")}',
  "var ci=1e6,ir=1e5,hd=1e6,Ua=200,Re;",
  'r++,r>1e4&&this.error("Parser stuck: too many iterations (>10000)");',
].join("");
const SOURCE = CAPS + CALL;

Deno.test("the patch lets the caller of exec supply the interpreter", () => {
  const expected = 'N=await (u[Symbol.for("cloche.interpreter")]?.(kr,k,m)??new kr(k,m)).executeScript(S);';
  strictEqual(patchJustBash(SOURCE).endsWith(expected), true);
});

Deno.test("a source without the place, or with two, is refused", () => {
  throws(() => patchJustBash("nothing"), /found 0 times/);
  throws(() => patchJustBash(SOURCE + "new kr(k,m).executeScript(S)"), /found 2 times/);
});

Deno.test("no cap stays that cuts an expansion short or refuses a long script", () => {
  const patched = patchJustBash(SOURCE);
  strictEqual(/=1e[456]\b|>1e4|return!1/.test(patched), false);
  strictEqual(patched.includes("throw new x(`brace expansion result limit exceeded (${n.maxResults})`"), true);
  throws(() => patchJustBash(CALL), /the cap on ranges was found 0 times/);
});
