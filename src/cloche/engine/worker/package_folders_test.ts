import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Files, Folder } from "../fs/files.ts";
import type { FolderFiles } from "../fs/folder.ts";
import { type Package, PackageFiles } from "../fs/packages.ts";
import { makeBlob, makeZip } from "../testing/zip_files_test.ts";
import { expectFailure, READ } from "../testing/harness_test.ts";
import { PackageFolders } from "./package_folders.ts";
import type { Language } from "../languages/catalog.ts";

const PYTHON: Package = { name: "rich", version: "1", path: "/rich" };
const LODASH: Package = {
  name: "lodash",
  version: "4",
  path: "/lodash",
  language: "javascript",
  at: "javascript/node_modules/lodash",
};
const NESTED: Package = { ...LODASH, at: "javascript/node_modules/a/node_modules/lodash" };
const GEM: Package = { name: "rainbow", version: "3", path: "/rainbow", language: "ruby", at: "ruby/rainbow-3" };

function open(language: Language, packages: Package[]) {
  const libraries = new PackageFolders(language, (path) => makeBlob(makeZip([{ name: "file", data: path }])), packages);
  const trees: Record<string, Files> = {};
  libraries.folders((folder: Folder, files: Files) => {
    trees[folder.target] = files;
    return undefined as unknown as FolderFiles;
  });
  return { libraries, trees };
}

function text(files: Files, path: string): string {
  const data = new Uint8Array(files.lstat(path).size);
  files.open(path, READ).read(data, 0);
  return new TextDecoder().decode(data);
}

Deno.test("a language gets its own packages, and sees those of the others as files", () => {
  const { libraries, trees } = open("ruby", [PYTHON, LODASH, GEM]);
  deepStrictEqual(libraries.own, [GEM]);
  strictEqual(text(trees["/opt/languages"], "/ruby/rainbow-3/file"), "/rainbow");
  strictEqual(text(trees["/opt/languages"], "/javascript/node_modules/lodash/file"), "/lodash");
  strictEqual(text(trees["/opt/packages"], "/file"), "/rich");
});

Deno.test("one archive can lie in several places", () => {
  const { trees } = open("javascript", [LODASH, NESTED]);
  for (const { at } of [LODASH, NESTED]) strictEqual(text(trees["/opt/languages"], `/${at}/file`), "/lodash");
});

Deno.test("TypeScript uses JavaScript's packages, the shell those of all, and Python sees to its own folder itself", () => {
  deepStrictEqual(open("typescript", [PYTHON, LODASH]).libraries.own, [LODASH]);
  deepStrictEqual(open("bash", [PYTHON, LODASH]).libraries.own, [PYTHON, LODASH]);
  deepStrictEqual(Object.keys(open("python", [PYTHON]).trees), ["/opt/languages"]);
});

Deno.test("a language hears of a change only if its own packages changed", () => {
  const { libraries, trees } = open("ruby", []);
  strictEqual(libraries.set([LODASH]), null);
  strictEqual(text(trees["/opt/languages"], "/javascript/node_modules/lodash/file"), "/lodash");
  deepStrictEqual(libraries.set([LODASH, GEM]), [GEM]);
  const before = trees["/opt/languages"].lstat("/ruby/rainbow-3/file").mtime;
  strictEqual(libraries.set([GEM]), null);
  ok(trees["/opt/languages"].lstat("/ruby/rainbow-3/file").mtime >= before + 1000);
  expectFailure("ENOENT", () => trees["/opt/languages"].lstat("/javascript"));
});

Deno.test("a package that turns out to be damaged is an error of reading, for other languages too", () => {
  const files = new PackageFiles(() => makeBlob(new Uint8Array(40)), [GEM]);
  expectFailure("EIO", () => files.lstat("ruby"));
});
