import { cutTail, foldText } from "./fold.ts";

function equal(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left}, not ${right}`);
}

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join("");

Deno.test("a short text is shown as it is", () => {
  equal(foldText(""), undefined);
  equal(foldText(lines(1, 24)), undefined);
});

Deno.test("of a long text the first and last lines are shown, and the rest is counted", () => {
  const folded = foldText(lines(1, 100));
  equal(folded, { head: lines(1, 8), tail: lines(89, 100), left: 80 });
  equal(foldText(lines(1, 100).trimEnd())?.tail, lines(89, 100).trimEnd());
});

Deno.test("of one long line the first and last characters are shown", () => {
  const folded = foldText("x".repeat(1_000_000));
  equal([folded?.head.length, folded?.tail.length, folded?.left], [2000, 3000, 1]);
});

Deno.test("no character is shown twice", () => {
  for (const text of [lines(1, 25), "\n".repeat(25), "a\n".repeat(3) + "x".repeat(6000), "x".repeat(6001)]) {
    const folded = foldText(text);
    equal((folded?.head.length ?? 0) + (folded?.tail.length ?? 0) <= text.length, true);
  }
});

Deno.test("the end of a text has so many lines, and so many characters at most", () => {
  equal(cutTail(lines(1, 50), 3, 100), lines(48, 50));
  equal(cutTail("x".repeat(50), 3, 10), "x".repeat(10));
  equal(cutTail("", 3, 10), "");
});
