/** Patches of git, of `diff -u` and of binary files. */

import { expect } from "../testing/expect.ts";
import { readPatch } from "./patch.ts";

Deno.test("a patch of git is read file by file, with the number of each line", () => {
  const { files, remarks } = readPatch(`diff --git a/a.txt b/a.txt
index 0a207c0..1a01c8f 100644
--- a/a.txt
+++ b/a.txt
@@ -3,2 +3,3 @@ def here():
 same
-- looks like a head
+one
+two
\\ No newline at end of file
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+x
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-x
`);
  expect(remarks, []);
  expect(files.map(({ path, status, added, deleted }) => [path, status, added, deleted]), [
    ["a.txt", "changed", 2, 1],
    ["new.py", "added", 1, 0],
    ["old.py", "deleted", 0, 1],
  ]);
  expect(files[0]?.hunks, [{
    place: "def here():",
    lines: [
      { kind: "same", text: "same", old: 3, new: 3 },
      { kind: "deleted", text: "- looks like a head", old: 4 },
      { kind: "added", text: "one", new: 4 },
      { kind: "added", text: "two", new: 5 },
      { kind: "note", text: "No newline at end of file" },
    ],
  }]);
});

Deno.test("a patch of one edit needs no line of git before it", () => {
  const { files } = readPatch("--- a/workspace/a b.txt\t\n+++ b/workspace/a b.txt\t\n@@ -1 +1 @@\n-b\n+c\n");
  expect(files.map(({ path, status, added, deleted }) => [path, status, added, deleted]), [
    ["workspace/a b.txt", "changed", 1, 1],
  ]);
});

Deno.test("names with unusual characters are those of the files", () => {
  const { files } = readPatch(
    'diff --git "a/d/\\303\\274 \\"b\\".txt" "b/d/\\303\\274 \\"b\\".txt"\nold mode 100644\n',
  );
  expect(files.map(({ path, hunks }) => [path, hunks.length]), [['d/ü "b".txt', 0]]);
});

Deno.test("a binary file and a renamed one say so", () => {
  const { files } = readPatch(
    "diff --git a/r.bin b/r.bin\nnew file mode 100644\nGIT binary patch\nliteral 3\n--- x\n\n" +
      "diff --git a/x y b/z\nrename from x y\nrename to z\n",
  );
  expect(files.map(({ path, from, status, binary }) => [path, from ?? "", status, binary]), [
    ["r.bin", "", "added", true],
    ["z", "x y", "renamed", false],
  ]);
});

Deno.test("what stands before the first file is a remark, and nothing is no patch", () => {
  expect(readPatch("# big.bin is left out: too large\n").remarks, ["big.bin is left out: too large"]);
  expect(readPatch("").files, []);
});

Deno.test("a patch that is cut off in the middle shows what there is", () => {
  const { files } = readPatch("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b");
  expect(files[0]?.hunks[0]?.lines.length, 2);
});
