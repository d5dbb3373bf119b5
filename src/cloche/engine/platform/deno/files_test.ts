import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { HostFileChange } from "../../protocol.ts";
import { changeFile } from "./platform.ts";
import { expectFailure, READ, Scratch, UPDATE, WRITE } from "../../testing/harness_test.ts";
import { PlatformFiles } from "./files.ts";

const files = new PlatformFiles(changeFile);

Deno.test("lstat gives kind, size, mode, times and number of names", () => {
  using scratch = new Scratch();
  const path = scratch.write("a", "text");
  Deno.chmodSync(path, 0o640);
  Deno.utimeSync(path, 1000, 2000.5);
  Deno.linkSync(path, `${scratch.path}/b`);
  const stat = files.lstat(path);
  deepStrictEqual([stat.kind, stat.size, stat.mode & 0o7777, stat.links], ["file", 4, 0o640, 2]);
  deepStrictEqual([stat.atime, stat.mtime], [1_000_000, 2_000_500]);
  ok(stat.ino > 0);
});

Deno.test("every kind of entry is recognised, links unfollowed", async () => {
  using scratch = new Scratch();
  scratch.write("file", "");
  Deno.mkdirSync(`${scratch.path}/directory`);
  Deno.symlinkSync("directory", `${scratch.path}/link`);
  await new Deno.Command("mkfifo", { args: [`${scratch.path}/other`] }).output();
  const entries = files.list(scratch.path);
  deepStrictEqual(entries.map((e) => e.name).sort(), ["directory", "file", "link", "other"]);
  for (const { name, kind } of entries) {
    strictEqual(kind, name);
    strictEqual(files.lstat(`${scratch.path}/${name}`).kind, name);
  }
});

Deno.test("reads and writes go to their positions in whatever order", () => {
  using scratch = new Scratch();
  const file = files.open(`${scratch.path}/a`, UPDATE);
  const bytes = (text: string) => new TextEncoder().encode(text);
  file.write(bytes("0123456789"), 0);
  file.write(bytes("AB"), 2);
  const data = new Uint8Array(4);
  strictEqual(file.read(data, 1), 4);
  strictEqual(new TextDecoder().decode(data), "1AB4");
  file.write(bytes("!"), 12);
  strictEqual(file.read(data, 11), 2);
  strictEqual(file.read(data, 100), 0);
  file.truncate(3);
  strictEqual(file.stat().size, 3);
  file.write(bytes("z"), 3);
  file.sync();
  file.close();
  strictEqual(scratch.read("a"), "01Az");
});

Deno.test("two open files of one path each have their own position", () => {
  using scratch = new Scratch();
  const path = scratch.write("a", "0123456789");
  const [one, other] = [files.open(path, READ), files.open(path, UPDATE)];
  const data = new Uint8Array(2);
  one.read(data, 4);
  other.write(new TextEncoder().encode("xx"), 6);
  one.read(data, 6);
  strictEqual(new TextDecoder().decode(data), "xx");
  one.close();
  other.close();
});

Deno.test("opening obeys create, exclusive and truncate", () => {
  using scratch = new Scratch();
  const path = `${scratch.path}/a`;
  expectFailure("ENOENT", () => files.open(path, READ));
  expectFailure("ENOENT", () => files.open(path, { ...UPDATE, create: false }));
  files.open(path, { ...UPDATE, exclusive: true }, 0o600).close();
  strictEqual((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  expectFailure("EEXIST", () => files.open(path, { ...UPDATE, exclusive: true }));
  scratch.write("a", "text");
  files.open(path, UPDATE).close();
  strictEqual(scratch.read("a"), "text");
  files.open(path, WRITE).close();
  strictEqual(scratch.read("a"), "");
});

Deno.test("a file opened for reading cannot be written, nor the other way round", () => {
  using scratch = new Scratch();
  const path = scratch.write("a", "text");
  const reader = files.open(path, READ);
  const writer = files.open(path, { ...WRITE, truncate: false });
  expectFailure("EBADF", () => reader.write(new Uint8Array(1), 0));
  expectFailure("EBADF", () => writer.read(new Uint8Array(1), 0));
  reader.close();
  writer.close();
});

Deno.test("a closed file gives an error", () => {
  using scratch = new Scratch();
  const file = files.open(scratch.write("a", "text"), READ);
  file.close();
  expectFailure("EBADF", () => file.read(new Uint8Array(1), 0));
  expectFailure("EBADF", () => file.stat());
});

Deno.test("the host's errors become codes", () => {
  using scratch = new Scratch();
  const at = (name: string) => `${scratch.path}/${name}`;
  scratch.write("file", "");
  Deno.mkdirSync(at("full/sub"), { recursive: true });
  Deno.mkdirSync(at("empty"));
  Deno.symlinkSync("loop", at("loop"));
  expectFailure("ENOENT", () => files.lstat(at("none")));
  expectFailure("ENOENT", () => files.removeFile(at("none")));
  expectFailure("ENOENT", () => files.removeDirectory(at("none")));
  expectFailure("ENOENT", () => files.rename(at("none"), at("x")));
  expectFailure("ENOENT", () => files.readLink(at("none")));
  expectFailure("ENOTDIR", () => files.lstat(at("file/x")));
  expectFailure("ENOTDIR", () => files.list(at("file")));
  expectFailure("ENOTDIR", () => files.removeDirectory(at("file")));
  expectFailure("ENOTDIR", () => files.rename(at("empty"), at("file")));
  expectFailure("EISDIR", () => files.removeFile(at("empty")));
  expectFailure("EISDIR", () => files.open(at("empty"), WRITE));
  expectFailure("EISDIR", () => files.rename(at("file"), at("empty")));
  expectFailure("ENOTEMPTY", () => files.removeDirectory(at("full")));
  expectFailure("ENOTEMPTY", () => files.rename(at("empty"), at("full")));
  expectFailure("EINVAL", () => files.rename(at("full"), at("full/sub/x")));
  expectFailure("EINVAL", () => files.readLink(at("file")));
  expectFailure("EEXIST", () => files.makeDirectory(at("file")));
  expectFailure("EEXIST", () => files.hardLink(at("file"), at("empty")));
  expectFailure("EPERM", () => files.hardLink(at("empty"), at("new")));
  expectFailure("ELOOP", () => files.open(at("loop"), READ));
  expectFailure("ENAMETOOLONG", () => files.lstat(at("x".repeat(256))));
  expectFailure("EINVAL", () => files.lstat(at("a\0b")));
});

Deno.test("removing a link to a directory removes the link", () => {
  using scratch = new Scratch();
  Deno.mkdirSync(`${scratch.path}/d`);
  Deno.symlinkSync("d", `${scratch.path}/l`);
  files.removeFile(`${scratch.path}/l`);
  ok(Deno.statSync(`${scratch.path}/d`).isDirectory);
  expectFailure("ENOENT", () => files.lstat(`${scratch.path}/l`));
});

Deno.test("links are asked for, and the host's refusal is the error", () => {
  const changes: HostFileChange[] = [];
  const asking = new PlatformFiles((change) => {
    changes.push(change);
    return changes.length === 1 ? null : "EEXIST";
  });
  asking.makeLink("target", "/nowhere/path");
  expectFailure("EEXIST", () => asking.makeLink("target", "/nowhere/path"));
  deepStrictEqual(changes[0], { kind: "link", target: "target", path: "/nowhere/path" });
});

Deno.test("a mode is set here where that is allowed, and nobody is asked for one that holds already", () => {
  using scratch = new Scratch();
  const path = scratch.write("a", "");
  const own = new PlatformFiles(() => "EIO");
  own.chmod(path, 0o600);
  own.chmod(path, 0o600);
  strictEqual(files.lstat(path).mode & 0o7777, 0o600);
  expectFailure("ENOENT", () => own.chmod(`${scratch.path}/none`, 0o600));
});

Deno.test("times are set to the millisecond", () => {
  using scratch = new Scratch();
  const path = scratch.write("a", "");
  files.setTimes(path, 1_111_111_111_111, 1_222_222_222_222);
  const { atime, mtime } = files.lstat(path);
  deepStrictEqual([atime, mtime], [1_111_111_111_111, 1_222_222_222_222]);
});

Deno.test("files are truncated by path", () => {
  using scratch = new Scratch();
  const path = scratch.write("a", "0123456789");
  files.truncate(path, 4);
  strictEqual(scratch.read("a"), "0123");
  expectFailure("ENOENT", () => files.truncate(`${scratch.path}/none`, 4));
});
