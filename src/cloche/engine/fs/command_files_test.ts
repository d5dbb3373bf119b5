import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { COMMAND_FOLDERS, CommandFiles } from "./command_files.ts";
import { FolderFiles } from "./folder.ts";
import { Quota, QUOTA_BYTES } from "./quota.ts";
import { Tree } from "./tree.ts";

function makeTree(names: string[], more?: () => Set<string>): Tree {
  const quota = new Quota(new SharedArrayBuffer(QUOTA_BYTES), 1000);
  const files = new CommandFiles(names, more);
  return new Tree(COMMAND_FOLDERS.map((target) => new FolderFiles({ target, host: "", readOnly: true }, files, quota)));
}

Deno.test("commands are executable files, in both folders", () => {
  const tree = makeTree(["git", "ls"]);
  for (const path of ["/usr/bin/git", "/bin/ls"]) {
    const { kind, mode } = tree.stat(path);
    deepStrictEqual([kind, mode & 0o111], ["file", 0o111]);
  }
  deepStrictEqual(tree.list("/usr/bin").map(({ name }) => name), ["git", "ls"]);
  strictEqual(new TextDecoder().decode(tree.readFile("/bin/ls")).split("\n")[0], "#!/bin/bash");
  strictEqual(tree.exists("/usr/bin/vim"), false);
  deepStrictEqual(tree.list("/usr"), [{ name: "bin", kind: "directory" }]);
});

Deno.test("commands of packages come and go", () => {
  const more = new Set<string>();
  const tree = makeTree(["ls"], () => more);
  strictEqual(tree.exists("/usr/bin/black"), false);
  more.add("black");
  strictEqual(tree.exists("/usr/bin/black"), true);
});

Deno.test("they cannot be changed", () => {
  const tree = makeTree(["ls"]);
  throws(() => tree.removeFile("/bin/ls"), { code: "EROFS" });
  throws(() => tree.open("/bin/x", { read: true, write: true, create: true, exclusive: false, truncate: false }), {
    code: "EROFS",
  });
});
