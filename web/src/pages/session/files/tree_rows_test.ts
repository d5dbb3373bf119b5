/** The rows of a tree, and what keys do there. */

import type { FileView, FolderListing } from "../../../api/types.ts";
import { expect } from "../../../testing/expect.ts";
import { findByName, listRows, stepTree } from "./tree_rows.ts";

const entry = (path: string, kind = "file"): FileView => ({ path, kind, size: 1, modified: 0 });
const folders = new Map<string, FolderListing>([
  ["", { path: "", entries: [entry("src", "dir"), entry("docs", "dir"), entry("a.txt")], truncated: true }],
  ["src", { path: "src", entries: [entry("src/b.py"), entry("src/c.py")], truncated: false }],
]);
const rows = listRows(folders, new Set(["src", "docs"]));

Deno.test("an open folder shows what is in it below itself", () => {
  expect(rows.map(({ entry, level, open, place, siblings }) => [entry.path, level, open, place, siblings]), [
    ["src", 1, true, 1, 3],
    ["src/b.py", 2, undefined, 1, 2],
    ["src/c.py", 2, undefined, 2, 2],
    ["docs", 1, true, 2, 3],
    ["a.txt", 1, undefined, 3, 3],
  ]);
  expect(rows.filter(({ loading }) => loading).map(({ entry }) => entry.path), ["docs"]);
  expect(rows.filter(({ cut }) => cut).map(({ entry }) => entry.path), ["a.txt"]);
});

Deno.test("arrows go as in trees", () => {
  const step = (focused: string, key: string) => stepTree(rows, focused, key);
  expect([step("src", "ArrowDown"), step("src", "ArrowUp"), step("a.txt", "ArrowDown")], [
    { focus: "src/b.py" },
    { focus: "src" },
    { focus: "a.txt" },
  ]);
  expect([step("src", "ArrowRight"), step("src", "ArrowLeft"), step("src/c.py", "ArrowLeft")], [
    { focus: "src/b.py" },
    { close: "src" },
    { focus: "src" },
  ]);
  expect([step("a.txt", "Home"), step("src", "End"), step("a.txt", "ArrowLeft")], [
    { focus: "src" },
    { focus: "a.txt" },
    undefined,
  ]);
  const closed = listRows(folders, new Set());
  expect(stepTree(closed, "docs", "ArrowRight"), { open: "docs" });
});

Deno.test("typed letters find the next name", () => {
  expect([findByName(rows, "src", "c"), findByName(rows, "src/c.py", "S"), findByName(rows, "src", "x")], [
    "src/c.py",
    "src",
    undefined,
  ]);
  expect(findByName(rows, "src", "sr"), "src");
});
