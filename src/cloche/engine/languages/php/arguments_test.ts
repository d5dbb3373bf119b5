import { deepStrictEqual } from "node:assert/strict";
import { withPrelude } from "./arguments.ts";

const PUT = "require_once '/p.php'; ";

Deno.test("code that is given gets the prelude, nothing else does", () => {
  const cases: [string[], string[]][] = [
    [["-r", "echo 1;", "-r"], ["-r", `${PUT}echo 1;`, "-r"]],
    [["-recho 1;"], [`-r${PUT}echo 1;`]],
    [["-d", "a=1", "-n", "-r", "x();"], ["-d", "a=1", "-n", "-r", `${PUT}x();`]],
    [["-r", "namespace A; x();"], ["-r", "namespace A; x();"]],
    [["file.php", "-r", "x"], ["file.php", "-r", "x"]],
    [["--", "-r", "x"], ["--", "-r", "x"]],
    [["-f", "-r", "x"], ["-f", "-r", "x"]],
    [["-r"], ["-r"]],
    [[], []],
  ];
  for (const [words, expected] of cases) deepStrictEqual(withPrelude(words, "/p.php"), expected);
});
