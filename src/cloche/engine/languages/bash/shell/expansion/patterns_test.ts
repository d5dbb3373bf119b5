import { compilePattern } from "./patterns.ts";

function equal(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}

Deno.test("a pattern matches whole texts", () => {
  const cases: [pattern: string, text: string, matches: boolean][] = [
    ["a*c", "abbc", true],
    ["a*c", "abb", false],
    ["[!a-c]?", "dx", true],
    ["[!a-c]?", "ax", false],
    ["[]x]", "]", true],
    ["[[:upper:][:digit:]]", "7", true],
    ["[a", "[a", true],
    ["\\*", "*", true],
    ["\\*", "x", false],
    ["-*", "-n", true],
    ["@(a|b)c", "bc", true],
    ["!(a|b)", "a", false],
    ["!(a|b)", "ab", true],
    ["*.!(h)", "x.c", true],
    ["*(ab|c)", "abcab", true],
    ["*(a|b(c))", "b(c)a", true],
    ["?", "😀", true],
  ];
  for (const [pattern, text, matches] of cases) {
    equal(compilePattern(pattern).match(text), matches, `${pattern} ${text}`);
  }
});

Deno.test("without extglob a group is text, and case can be ignored", () => {
  equal(compilePattern("@(a)", { extglob: false }).match("@(a)"), true, "text");
  equal(compilePattern("AB*", { nocase: true }).match("abc"), true, "case");
  equal(compilePattern("!(AB)", { nocase: true }).match("ab"), false, "group");
});

Deno.test("the longest and the shortest beginning and end are found", () => {
  for (const pattern of ["*.", "*(?).", "+([^.]|.)."]) {
    const matcher = compilePattern(pattern);
    equal(matcher.prefix("a.b.c", true), 4, `longest prefix ${pattern}`);
    equal(matcher.prefix("a.b.c", false), 2, `shortest prefix ${pattern}`);
  }
  for (const pattern of [".*", ".*(?)"]) {
    const matcher = compilePattern(pattern);
    equal(matcher.suffix("a.b.c", true), 4, `longest suffix ${pattern}`);
    equal(matcher.suffix("a.b.c", false), 2, `shortest suffix ${pattern}`);
  }
});

Deno.test("a pattern with many stars takes no longer than its text", () => {
  const start = performance.now();
  equal(compilePattern("*a*a*a*a*a*a*a*b").match("a".repeat(5000)), false, "match");
  if (performance.now() - start > 2000) throw new Error("too slow");
});
