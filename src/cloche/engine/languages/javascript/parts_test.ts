import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { createHash } from "node:crypto";
import { parseCommand } from "./command.ts";
import { computeDigest } from "./native/digest.ts";
import { findExport, findImport } from "./modules/package_json.ts";
import { applyEdits, countedInBytes, prefixSource } from "./source/positions.ts";
import { runError } from "./errors.ts";
import { locateBy } from "./source/source_map.ts";
import { GuestError } from "./quickjs/vm.ts";

Deno.test("digests are those of everyone else", () => {
  const hex = (data: Uint8Array) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
  for (const algorithm of ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]) {
    for (const length of [0, 1, 55, 56, 63, 64, 111, 112, 127, 128, 1000]) {
      const data = Uint8Array.from({ length }, (_, index) => index * 7);
      strictEqual(
        hex(computeDigest(algorithm, data)),
        createHash(algorithm).update(data).digest("hex"),
        `${algorithm} ${length}`,
      );
    }
  }
  throws(() => computeDigest("sha3", new Uint8Array()), GuestError);
  throws(() => computeDigest("constructor", new Uint8Array()), GuestError);
});

Deno.test("a package's names lead to its files", () => {
  const exports = {
    ".": { import: { node: "./i.mjs" }, require: "./r.cjs" },
    "./a/*": "./lib/*.js",
    "./a/private/*": null,
    "./b": ["./b.js"],
    "./types": { types: "./t.d.ts" },
  };
  strictEqual(findExport(exports, ".", "import"), "./i.mjs");
  strictEqual(findExport(exports, ".", "require"), "./r.cjs");
  strictEqual(findExport(exports, "./a/x/y", "require"), "./lib/x/y.js");
  strictEqual(findExport(exports, "./a/private/x", "require"), null);
  strictEqual(findExport(exports, "./b", "import"), "./b.js");
  strictEqual(findExport(exports, "./types", "import"), null);
  strictEqual(findExport(exports, "./none", "import"), null);
  strictEqual(findExport("./only.js", ".", "import"), "./only.js");
  strictEqual(findExport({ default: "./d.js" }, ".", "require"), "./d.js");
  strictEqual(findImport({ "#x/*": { node: "./n/*.js" } }, "#x/y", "import"), "./n/y.js");
});

Deno.test("command lines of node", () => {
  const parse = (...args: string[]) => {
    const { what, subject, print, args: rest } = parseCommand(args);
    return [what, subject, print, rest];
  };
  deepStrictEqual(parse("x.js", "-e", "1"), ["file", "x.js", false, ["-e", "1"]]);
  deepStrictEqual(parse("-e", "1", "a", "b"), ["code", "1", false, ["a", "b"]]);
  deepStrictEqual(parse("--eval=1", "a"), ["code", "1", false, ["a"]]);
  deepStrictEqual(parse("-p", "1"), ["code", "1", true, []]);
  deepStrictEqual(parse("--no-warnings", "-", "a"), ["stdin", "-", false, ["a"]]);
  deepStrictEqual(parse(), ["stdin", "", false, []]);
  deepStrictEqual(parse("-v"), ["version", "", false, []]);
  strictEqual(parseCommand(["-e"]).problem, "-e requires an argument");
  strictEqual(parseCommand(["--versoin"]).problem, "bad option: --versoin");
  strictEqual(parseCommand(["-Q", "x.js"]).problem, "bad option: -Q");
  for (
    const idle of ["--no-warnings", "--max-old-space-size=512", "--experimental-strip-types", "--enable-source-maps"]
  ) {
    strictEqual(parseCommand([idle, "x.js"]).subject, "x.js", idle);
  }
  deepStrictEqual(parseCommand(["-r", "./a", "b"]).first, ["./a"]);
});

Deno.test("places in changed sources", () => {
  const { code, locate } = applyEdits("ab\ncd", [{ start: 1, end: 2, text: "XYZ" }, { start: 3, end: 3, text: "__" }]);
  strictEqual(code, "aXYZ\n__cd");
  deepStrictEqual([locate?.(1, 1), locate?.(1, 3), locate?.(2, 3), locate?.(2, 4)], [[1, 1], [1, 3], [2, 1], [2, 2]]);
  const wrapped = prefixSource("(f(", { code: "a\nb" }, ")");
  deepStrictEqual([wrapped.code, wrapped.locate?.(1, 4), wrapped.locate?.(2, 1)], ["(f(a\nb)", [1, 1], [2, 1]]);
  deepStrictEqual(countedInBytes({ code: "'ä☺😀' b" }).locate?.(1, 13), [1, 8]);
  strictEqual(countedInBytes({ code: "plain" }).locate, undefined);
});

Deno.test("places by a source map", () => {
  const locate = locateBy(JSON.stringify({ mappings: "AAAA,IAEI;AACJ" }));
  deepStrictEqual([locate(1, 1), locate(1, 6), locate(2, 1), locate(9, 1)], [[1, 1], [3, 5], [4, 1], [4, 1]]);
});

Deno.test("an error is reported with the user's own place", () => {
  const stack =
    "TypeError: bad\n    at f (/workspace/node_modules/x/i.js:3:1)\n    at g (<cell>:2:5)\n    at <cell>:9:1";
  const { line, column, traceback } = runError({ type: "TypeError", message: "bad", stack });
  deepStrictEqual([line, column, traceback], [2, 5, stack]);
  strictEqual(runError({ type: "Uncaught", message: "5", stack: "Uncaught 5" }).line, null);
});
