import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { CommandFiles, commandFolders } from "./command_files.ts";
import { FolderFiles } from "./folder.ts";
import { Quota, QUOTA_BYTES } from "./quota.ts";
import { Tree } from "./tree.ts";

function makeTree(names: Set<string>): Tree {
  const quota = new Quota(new SharedArrayBuffer(QUOTA_BYTES), 1000);
  return new Tree(commandFolders(new CommandFiles(names), (folder, files) => new FolderFiles(folder, files, quota)));
}

Deno.test("commands are executable files, in both folders", () => {
  const tree = makeTree(new Set(["git", "ls"]));
  for (const path of ["/usr/bin/git", "/bin/ls"]) {
    const { kind, mode, size } = tree.stat(path);
    deepStrictEqual([kind, mode & 0o111, size], ["file", 0o111, tree.readFile(path).length]);
  }
  deepStrictEqual(tree.list("/usr/bin").map(({ name }) => name), ["git", "ls"]);
  strictEqual(new TextDecoder().decode(tree.readFile("/bin/ls")).split("\n")[0], "#!/bin/bash");
  strictEqual(tree.stat("/usr/bin/git").ino === tree.stat("/usr/bin/ls").ino, false);
  strictEqual(tree.exists("/usr/bin/vim"), false);
  deepStrictEqual(tree.list("/usr"), [{ name: "bin", kind: "directory" }]);
});

Deno.test("commands of packages come and go", () => {
  const names = new Set<string>(["ls"]);
  const tree = makeTree(names);
  strictEqual(tree.exists("/usr/bin/black"), false);
  names.add("black");
  strictEqual(tree.exists("/usr/bin/black"), true);
});

Deno.test("they cannot be changed", () => {
  const tree = makeTree(new Set(["ls"]));
  throws(() => tree.removeFile("/bin/ls"), { code: "EROFS" });
  throws(() => tree.open("/bin/x", { read: true, write: true, create: true, exclusive: false, truncate: false }), {
    code: "EROFS",
  });
});
