import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { expectFailure, READ, UPDATE, WRITE } from "../../testing/harness_test.ts";
import { FolderFiles } from "../../fs/folder.ts";
import { Quota } from "../../fs/quota.ts";
import { Tree } from "../../fs/tree.ts";
import { FileServer } from "./file_server.ts";
import { decodeReply } from "../../worker/reply_codec.ts";
import type { FileReply } from "./file_calls.ts";
import { MemoryFiles } from "./memory_files.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);

function filled(): MemoryFiles {
  const files = new MemoryFiles();
  files.importFiles({ "/workspace/a": "text", "/workspace/deep/er/b": bytes("more") });
  return files;
}

Deno.test("files come in with their folders and go out as they are", () => {
  const files = filled();
  const all = Object.entries(files.exportFiles()).map(([path, data]) => [path, text(data)]);
  deepStrictEqual(all, [["/workspace/a", "text"], ["/workspace/deep/er/b", "more"]]);
  deepStrictEqual(Object.keys(files.exportFiles("/workspace/deep")), ["/workspace/deep/er/b"]);
});

Deno.test("reads and writes go to their positions, and gaps are zeros", () => {
  const files = filled();
  const file = files.open("/workspace/a", UPDATE);
  file.write(bytes("!"), 6);
  const data = new Uint8Array(10);
  strictEqual(file.read(data, 0), 7);
  strictEqual(text(data.subarray(0, 7)), "text\0\0!");
  file.truncate(2);
  file.truncate(4);
  strictEqual(file.read(data, 0), 4);
  strictEqual(text(data.subarray(0, 4)), "te\0\0");
  file.close();
  expectFailure("EBADF", () => file.read(data, 0));
});

Deno.test("a file outlives its name while it is open, and has as many names as it was given", () => {
  const files = filled();
  files.hardLink("/workspace/a", "/workspace/b");
  strictEqual(files.lstat("/workspace/a").links, 2);
  strictEqual(files.lstat("/workspace/a").ino, files.lstat("/workspace/b").ino);
  const file = files.open("/workspace/a", READ);
  files.removeFile("/workspace/a");
  files.removeFile("/workspace/b");
  const data = new Uint8Array(4);
  strictEqual(file.read(data, 0), 4);
  strictEqual(file.stat().links, 0);
});

Deno.test("names are moved, and only like replaces like", () => {
  const files = filled();
  files.makeDirectory("/workspace/empty");
  expectFailure("EISDIR", () => files.rename("/workspace/a", "/workspace/empty"));
  expectFailure("ENOTDIR", () => files.rename("/workspace/empty", "/workspace/a"));
  expectFailure("ENOTEMPTY", () => files.rename("/workspace/empty", "/workspace/deep"));
  expectFailure("EINVAL", () => files.rename("/workspace/deep", "/workspace/deep/er/x"));
  files.rename("/workspace/a", "/workspace/deep/er/b");
  strictEqual(text(files.exportFiles()["/workspace/deep/er/b"]), "text");
  expectFailure("ENOENT", () => files.lstat("/workspace/a"));
});

Deno.test("what cannot be done has its code", () => {
  const files = filled();
  expectFailure("ENOENT", () => files.open("/workspace/none", READ));
  expectFailure("EEXIST", () => files.open("/workspace/a", { ...WRITE, exclusive: true }));
  expectFailure("EISDIR", () => files.open("/workspace/deep", READ));
  expectFailure("ENOTDIR", () => files.lstat("/workspace/a/x"));
  expectFailure("ENOTEMPTY", () => files.removeDirectory("/workspace/deep"));
  expectFailure("EISDIR", () => files.removeFile("/workspace/deep"));
  expectFailure("EBUSY", () => files.removeDirectory("/"));
  expectFailure("EEXIST", () => files.makeDirectory("/workspace/deep"));
  expectFailure("EINVAL", () => files.readLink("/workspace/a"));
  expectFailure("ENAMETOOLONG", () => files.makeDirectory(`/workspace/${"x".repeat(256)}`));
  expectFailure("EFBIG", () => files.truncate("/workspace/a", 2 ** 31));
  expectFailure("EBADF", () => files.open("/workspace/a", READ).write(bytes("x"), 0));
});

Deno.test("links are followed in the guest's namespace", () => {
  const files = filled();
  files.makeLink("deep/er", "/workspace/link");
  const quota = new Quota(new SharedArrayBuffer(16), 1 << 20);
  const folder = { target: "/workspace", host: "/workspace", readOnly: false };
  const tree = new Tree([new FolderFiles(folder, files, quota)]);
  strictEqual(text(tree.readFile("/workspace/link/b")), "more");
  strictEqual(tree.realPath("/workspace/link/b"), "/workspace/deep/er/b");
});

Deno.test("a worker's calls are answered through its mailbox, large answers in parts", () => {
  const files = new MemoryFiles();
  files.importFiles({ "/workspace/large": new Uint8Array(200_000).fill(7) });
  const server = new FileServer(files);
  const call = (name: string, file: number, ...args: unknown[]) => {
    server.replies.clearReply();
    server.receive({ op: "files", name, file, args, data: null });
    const parts: Uint8Array[] = [];
    for (;;) {
      const part = server.replies.awaitReply(0);
      if (!part) throw new Error("interrupted");
      parts.push(part.data);
      if (part.last) {
        const { head, body } = decodeReply(parts);
        return { answer: head as FileReply, data: body };
      }
      server.next();
    }
  };
  const number = call("open", 0, "/workspace/large", READ).answer.value as number;
  const { data } = call("read", number, 300_000, 0);
  deepStrictEqual([data.length, data[199_999]], [200_000, 7]);
  strictEqual(call("lstat", 0, "/none").answer.code, "ENOENT");
  strictEqual(call("importFiles", 0, { "/workspace/x": "" }).answer.code, "EINVAL");
  deepStrictEqual(files.sizes(), { "/workspace/large": 200_000 });
  call("close", number);
  strictEqual(call("read", number, 1, 0).answer.code, "EBADF");
});
