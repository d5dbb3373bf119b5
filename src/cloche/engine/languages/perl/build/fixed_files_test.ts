import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { expectFailure, READ, WRITE } from "../../../testing/harness_test.ts";
import { FixedFiles } from "./fixed_files.ts";
import { FolderFiles } from "../../../fs/folder.ts";
import { Quota } from "../../../fs/quota.ts";
import { Tree } from "../../../fs/tree.ts";

function tree(): Tree {
  const files = new FixedFiles({
    "a.txt": new TextEncoder().encode("text"),
    "b/c/d.txt": new Uint8Array(0),
  });
  const quota = new Quota(new SharedArrayBuffer(16), 100);
  return new Tree([
    new FolderFiles(
      { target: "/usr/share/x", host: "", readOnly: true },
      files,
      quota,
    ),
  ]);
}

Deno.test("files from memory are listed and read", () => {
  const fixed = tree();
  deepStrictEqual(fixed.list("/usr/share/x"), [
    { name: "a.txt", kind: "file" },
    { name: "b", kind: "directory" },
  ]);
  deepStrictEqual(fixed.list("/usr/share/x/b/c"), [{
    name: "d.txt",
    kind: "file",
  }]);
  strictEqual(
    new TextDecoder().decode(fixed.readFile("/usr/share/x/a.txt")),
    "text",
  );
  strictEqual(fixed.stat("/usr/share/x/b").kind, "directory");
});

Deno.test("they cannot be changed, and others are not there", () => {
  const fixed = tree();
  expectFailure("EROFS", () => fixed.open("/usr/share/x/a.txt", WRITE));
  expectFailure("EROFS", () => fixed.removeFile("/usr/share/x/a.txt"));
  expectFailure("ENOENT", () => fixed.open("/usr/share/x/none", READ));
  expectFailure("ENOTDIR", () => fixed.list("/usr/share/x/a.txt"));
  expectFailure("EISDIR", () => fixed.open("/usr/share/x/b", READ));
});
