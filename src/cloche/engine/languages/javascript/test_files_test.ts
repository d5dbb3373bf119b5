import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parseCommand } from "./command.ts";
import { findTestFiles, translateGlob } from "./test_files.ts";
import type { Tree } from "../../fs/tree.ts";

const FILES = [
  "a.test.js",
  "b_test.mjs",
  "c-test.cjs",
  "test-d.js",
  "test.js",
  "test/deep/e.js",
  "lib/f.js",
  "lib/testing.js",
  "typed.test.ts",
  "node_modules/x/x.test.js",
];

/** Enough of a tree to look for files in. */
const tree = {
  stat: (path: string) => {
    const inside = path.slice("/w/".length);
    if (FILES.includes(inside)) return { kind: "file" };
    if (path !== "/w" && !FILES.some((each) => each.startsWith(`${inside}/`))) {
      throw new Error("ENOENT");
    }
    return { kind: "directory" };
  },
  list: (path: string) => {
    const start = path === "/w" ? "" : `${path.slice("/w/".length)}/`;
    const below = FILES.filter((each) => each.startsWith(start)).map((each) => each.slice(start.length));
    const names = new Set(below.map((each) => each.split("/")[0]));
    return [...names].map((name) => ({
      name,
      kind: below.includes(name) ? "file" : "directory",
    }));
  },
} as unknown as Tree;

const find = (words: string[], typed = false) => {
  const found = findTestFiles(tree, "/w", words, typed);
  return typeof found === "string" ? found : found.map((path) => path.slice(3));
};

Deno.test("without names, those files are run whose names say that they are tests", () => {
  deepStrictEqual(find([]), [
    "a.test.js",
    "b_test.mjs",
    "c-test.cjs",
    "test-d.js",
    "test.js",
    "test/deep/e.js",
  ]);
  strictEqual(find([], true).includes("typed.test.ts"), true);
});

Deno.test("files, folders and patterns can be named", () => {
  deepStrictEqual(find(["lib/f.js", "test"]), ["lib/f.js", "test/deep/e.js"]);
  deepStrictEqual(find(["**/*.mjs", "*.test.js"]), ["b_test.mjs", "a.test.js"]);
  strictEqual(find(["none.js"]), "Could not find '/w/none.js'");
  strictEqual(
    new RegExp(`^${translateGlob("a/**/{b,c}?.js")}$`).test("a/x/y/c1.js"),
    true,
  );
});

Deno.test("options of tests", () => {
  const { what, args, tests } = parseCommand([
    "--test",
    "--test-reporter=spec",
    "--test-name-pattern",
    "x",
    "a.js",
    "b.js",
  ]);
  deepStrictEqual([what, args, tests], ["test", ["a.js", "b.js"], {
    reporter: "spec",
    patterns: ["x"],
  }]);
  deepStrictEqual(parseCommand(["--test-only", "a.js"]).tests, { only: true });
  strictEqual(
    parseCommand(["--test-reporter=junit"]).problem,
    "no reporter junit; there are: tap, spec, dot",
  );
  strictEqual(
    parseCommand(["--test-timeout", "x"]).problem,
    "--test-timeout requires a number",
  );
});
