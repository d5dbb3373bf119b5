import { splitLatex, splitMath } from "./math_split.ts";

function expect(found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

Deno.test("formulas are found, money is not", () => {
  expect(splitMath("a $x^2$ b"), [{ text: "a " }, { text: "x^2", math: "inline" }, { text: " b" }]);
  expect(splitMath("$$x$$"), [{ text: "x", math: "display" }]);
  expect(splitMath("from $5 to $6"), [{ text: "from $5 to $6" }]);
  expect(splitMath("\\(a\\) \\[b\\]").filter(({ math }) => math).map(({ math }) => math), ["inline", "display"]);
  expect(splitMath("\\begin{align*}a&=b\\end{align*}")[0]?.math, "display");
});

Deno.test("LaTeX without dollars is a formula, words are words", () => {
  expect(splitLatex("\\frac{1}{2}"), [{ text: "\\frac{1}{2}", math: "display" }]);
  expect(splitLatex("$\\displaystyle x$"), [{ text: "\\displaystyle x", math: "display" }]);
  expect(splitLatex("only words"), [{ text: "only words" }]);
});
