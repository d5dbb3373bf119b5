import { strictEqual } from "node:assert/strict";
import { checkWhole } from "./completeness.ts";

const OPEN = [
  "a |",
  "a &&",
  "a ||",
  "a \\",
  "cat <<X",
  "cat <<-'X'\nb",
  "if true; then",
  'echo "a',
  "for i in 1 2; do",
];
const OPEN_TOO = ["while x; do y", "f() {", "case a in", "echo $(", "(", "echo 'a\nb"];
const WHOLE = ["", "a", "a | b", "a; b &", "cat <<X\nb\nX", "cat <<-X\n\tX", "echo '|' x", "echo a\\\\", "f() { :; }"];
const WRONG = ["if ; then", "done", "fi; echo"];

for (const text of [...OPEN, ...OPEN_TOO]) {
  Deno.test(`more is to come after ${JSON.stringify(text)}`, () => strictEqual(checkWhole(text), "incomplete"));
}
for (const text of WHOLE) {
  Deno.test(`${JSON.stringify(text)} is whole`, () => strictEqual(checkWhole(text), "complete"));
}
for (const text of WRONG) {
  Deno.test(`${JSON.stringify(text)} is wrong`, () => strictEqual(checkWhole(text), "invalid"));
}
