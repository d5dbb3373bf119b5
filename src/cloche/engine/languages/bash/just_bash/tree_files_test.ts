import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { InMemoryFs } from "just-bash";
import { failsLater, World } from "../../../testing/harness_test.ts";
import { BashFiles } from "./tree_files.ts";

/** A shell's files over a guest's folders; /dev and /etc are the shell's own. */
class Shell extends World {
  readonly rest = new InMemoryFs({ "/etc/own": "own", "/dev/null": "" });
  readonly files = new BashFiles(this.tree, () => Promise.resolve(this.rest));
}

const BYTES = Uint8Array.from({ length: 256 }, (_, i) => i);
const LATIN1 = String.fromCharCode(...BYTES);

Deno.test("text is written and read as UTF-8", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/workspace/a", "grün €\n");
  strictEqual(shell.read("workspace/a"), "grün €\n");
  strictEqual(await shell.files.readFile("/workspace/a"), "grün €\n");
  strictEqual(await shell.files.readFile("/workspace/a", { encoding: "utf-8" }), "grün €\n");
  strictEqual(await shell.files.readFile("/workspace/a", { encoding: null }), "grün €\n");
});

Deno.test("bytes go in and out unchanged, as text of one byte per character or as they are", async () => {
  using shell = new Shell();
  for (const encoding of ["binary", "latin1"] as const) {
    await shell.files.writeFile("/workspace/a", LATIN1, encoding);
    deepStrictEqual(await shell.files.readFileBuffer("/workspace/a"), BYTES);
    strictEqual(await shell.files.readFile("/workspace/a", encoding), LATIN1);
    strictEqual(await shell.files.readFile("/workspace/a", { encoding }), LATIN1);
  }
  await shell.files.writeFile("/workspace/b", BYTES);
  await shell.files.appendFile("/workspace/b", LATIN1, { encoding: "binary" });
  deepStrictEqual(await shell.files.readFileBuffer("/workspace/b"), new Uint8Array([...BYTES, ...BYTES]));
});

Deno.test("hex and base64 are read and written as just-bash's own files do", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/workspace/a", "00ff10", "hex");
  deepStrictEqual(await shell.files.readFileBuffer("/workspace/a"), new Uint8Array([0, 255, 16]));
  strictEqual(await shell.files.readFile("/workspace/a", "hex"), "00ff10");
  await shell.files.writeFile("/workspace/a", "AP8Q", "base64");
  deepStrictEqual(await shell.files.readFileBuffer("/workspace/a"), new Uint8Array([0, 255, 16]));
  strictEqual(await shell.files.readFile("/workspace/a", "base64"), "AP8Q");
});

Deno.test("writing replaces, appending adds, both make the file", async () => {
  using shell = new Shell();
  await shell.files.appendFile("/workspace/a", "one");
  await shell.files.appendFile("/workspace/a", "two");
  strictEqual(shell.read("workspace/a"), "onetwo");
  await shell.files.writeFile("/workspace/a", "3");
  strictEqual(shell.read("workspace/a"), "3");
  await failsLater("ENOENT", shell.files.writeFile("/workspace/no/a", ""));
  await failsLater("EISDIR", shell.files.writeFile("/workspace", ""));
});

Deno.test("a large file is written whole", async () => {
  using shell = new Shell(8 << 20);
  const data = new Uint8Array(3 << 20).fill(65);
  await shell.files.writeFile("/workspace/a", data);
  strictEqual(Deno.statSync(`${shell.path}/workspace/a`).size, data.length);
  strictEqual((await shell.files.readFile("/workspace/a", "binary")).length, data.length);
});

Deno.test("a full quota is an error and what was written before stays", async () => {
  using shell = new Shell(10);
  await shell.files.writeFile("/workspace/a", "12345");
  await failsLater("ENOSPC", shell.files.appendFile("/workspace/a", "678901"));
  strictEqual(shell.read("workspace/a"), "12345");
});

Deno.test("outside the folders the shell has files of its own to read, and only devices to write to", async () => {
  using shell = new Shell();
  const { files } = shell;
  strictEqual(await files.readFile("/etc/own"), "own");
  deepStrictEqual(await files.readFileBuffer("/etc/own"), new TextEncoder().encode("own"));
  ok(await files.exists("/dev/null"));
  strictEqual((await files.stat("/etc")).isDirectory, true);
  await files.mkdir("/etc", { recursive: true });
  await files.writeFile("/dev/shm/own", "new");
  await files.appendFile("/dev/shm/own", "er");
  strictEqual(await files.readFile("/dev/shm/own", "utf8"), "newer");
  await failsLater("EACCES", files.writeFile("/etc/new", "new"));
  await failsLater("EACCES", files.writeFile("/dev/tcp/127.0.0.1/80", "new"));
  await failsLater("EACCES", files.appendFile("/etc/own", "er"));
  await failsLater("EACCES", files.mkdir("/etc/dir"));
  await failsLater("EACCES", files.chmod("/etc/own", 0o600));
  await failsLater("EACCES", files.utimes("/etc/own", new Date(0), new Date(0)));
  await failsLater("EACCES", files.symlink("own", "/etc/link"));
  await failsLater("EACCES", files.link("/etc/own", "/etc/hard"));
  await failsLater("EACCES", files.mv("/etc/own", "/etc/moved"));
  await failsLater("EACCES", files.rm("/etc/own"));
  await rejects(files.readFile("/etc/passwd"));
  deepStrictEqual(Array.from(Deno.readDirSync(shell.path), (e) => e.name).sort(), [
    "data",
    "fixed",
    "outside",
    "tmp",
    "workspace",
  ]);
});

Deno.test("the root lists both, each name once and in order", async () => {
  using shell = new Shell();
  deepStrictEqual(await shell.files.readdir("/"), ["dev", "etc", "mnt", "tmp", "workspace"]);
  deepStrictEqual(await shell.files.readdir("/mnt"), ["data", "fixed"]);
});

Deno.test("entries of a directory come with their kind, links as links", async () => {
  using shell = new Shell();
  shell.write("workspace/file", "");
  Deno.mkdirSync(`${shell.path}/workspace/dir`);
  shell.link("dir", "workspace/link");
  const entries = await shell.files.readdirWithFileTypes("/workspace");
  deepStrictEqual(entries.map((e) => [e.name, e.isFile, e.isDirectory, e.isSymbolicLink]), [
    ["dir", false, true, false],
    ["file", true, false, false],
    ["link", false, false, true],
  ]);
  await failsLater("ENOENT", shell.files.readdir("/workspace/none"));
  await failsLater("ENOTDIR", shell.files.readdir("/workspace/file"));
  await rejects(shell.files.readdir("/none"));
});

Deno.test("stat follows links, lstat does not", async () => {
  using shell = new Shell();
  shell.write("workspace/file", "four");
  shell.link("file", "workspace/link");
  Deno.chmodSync(`${shell.path}/workspace/file`, 0o640);
  const stat = await shell.files.stat("/workspace/link");
  deepStrictEqual([stat.isFile, stat.size, stat.mode, stat.isSymbolicLink], [true, 4, 0o640, false]);
  strictEqual((await shell.files.lstat("/workspace/link")).isSymbolicLink, true);
  strictEqual((await shell.files.stat("/mnt")).isDirectory, true);
  strictEqual((await shell.files.lstat("/mnt")).isDirectory, true);
  await failsLater("ENOENT", shell.files.stat("/workspace/none"));
});

Deno.test("mkdir makes one directory, with recursive all that are missing", async () => {
  using shell = new Shell();
  await shell.files.mkdir("/workspace/a");
  await failsLater("EEXIST", shell.files.mkdir("/workspace/a"));
  await failsLater("ENOENT", shell.files.mkdir("/workspace/x/y"));
  await shell.files.mkdir("/workspace/a/b/c", { recursive: true });
  await shell.files.mkdir("/workspace/a/b/c", { recursive: true });
  await shell.files.mkdir("/mnt/data/deep/er", { recursive: true });
  ok(Deno.statSync(`${shell.path}/workspace/a/b/c`).isDirectory);
  ok(Deno.statSync(`${shell.path}/data/deep/er`).isDirectory);
  await failsLater("EROFS", shell.files.mkdir("/mnt/fixed/x", { recursive: true }));
});

Deno.test("mkdir with recursive does not take a file for a directory", async () => {
  using shell = new Shell();
  shell.write("workspace/file", "");
  await failsLater("ENOTDIR", shell.files.mkdir("/workspace/file/x", { recursive: true }));
  await failsLater("EEXIST", shell.files.mkdir("/workspace/file", { recursive: true }));
});

Deno.test("rm removes files, empty directories and links, and with recursive everything", async () => {
  using shell = new Shell();
  await shell.files.mkdir("/workspace/d/e", { recursive: true });
  await shell.files.writeFile("/workspace/d/e/f", "x");
  shell.write("data/kept", "kept");
  shell.link("/mnt/data", "workspace/d/link");
  await failsLater("ENOTEMPTY", shell.files.rm("/workspace/d"));
  await shell.files.rm("/workspace/d", { recursive: true });
  strictEqual(await shell.files.exists("/workspace/d"), false);
  strictEqual(shell.read("data/kept"), "kept");
  await shell.files.mkdir("/workspace/empty");
  await shell.files.rm("/workspace/empty");
  deepStrictEqual(await shell.files.readdir("/workspace"), []);
});

Deno.test("rm of what is missing fails unless forced, and force hides nothing else", async () => {
  using shell = new Shell();
  shell.write("fixed/a", "a");
  await failsLater("ENOENT", shell.files.rm("/workspace/none"));
  await shell.files.rm("/workspace/none", { force: true });
  await shell.files.rm("/workspace/none/deeper", { force: true, recursive: true });
  await failsLater("EROFS", shell.files.rm("/mnt/fixed/a", { force: true }));
  await failsLater("EBUSY", shell.files.rm("/workspace", { force: true, recursive: true }));
});

Deno.test("cp copies content and mode, also between folders and the shell's own files", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/workspace/a", BYTES);
  await shell.files.chmod("/workspace/a", 0o750);
  for (const to of ["/workspace/b", "/mnt/data/b"]) {
    await shell.files.cp("/workspace/a", to);
    deepStrictEqual(await shell.files.readFileBuffer(to), BYTES);
    strictEqual((await shell.files.stat(to)).mode & 0o777, 0o750);
  }
  await shell.files.cp("/etc/own", "/workspace/own");
  strictEqual(shell.read("workspace/own"), "own");
  await shell.files.cp("/workspace/own", "/workspace/own");
  strictEqual(shell.read("workspace/own"), "own");
  await failsLater("EROFS", shell.files.cp("/workspace/a", "/mnt/fixed/a"));
});

Deno.test("cp of a directory needs recursive and then copies the whole tree", async () => {
  using shell = new Shell();
  await shell.files.mkdir("/workspace/d/e", { recursive: true });
  await shell.files.writeFile("/workspace/d/e/f", "deep");
  await failsLater("EISDIR", shell.files.cp("/workspace/d", "/workspace/x"));
  await shell.files.cp("/workspace/d", "/mnt/data/d", { recursive: true });
  strictEqual(shell.read("data/d/e/f"), "deep");
  await shell.files.cp("/workspace/d", "/workspace/d/inside", { recursive: true });
  strictEqual(shell.read("workspace/d/inside/e/f"), "deep");
});

Deno.test("a recursive cp copies links as links, also those that lead nowhere or in circles", async () => {
  using shell = new Shell();
  await shell.files.mkdir("/workspace/d");
  await shell.files.writeFile("/workspace/d/f", "f");
  await shell.files.symlink("f", "/workspace/d/good");
  await shell.files.symlink("nowhere", "/workspace/d/dangling");
  await shell.files.symlink(".", "/workspace/d/loop");
  await shell.files.cp("/workspace/d", "/mnt/data/copy", { recursive: true });
  deepStrictEqual(await shell.files.readdir("/mnt/data/copy"), ["dangling", "f", "good", "loop"]);
  strictEqual(await shell.files.readlink("/mnt/data/copy/good"), "f");
  strictEqual(await shell.files.readlink("/mnt/data/copy/dangling"), "nowhere");
  strictEqual(await shell.files.readlink("/mnt/data/copy/loop"), ".");
});

Deno.test("mv renames within a folder and copies across", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/workspace/a", BYTES);
  const { ino } = await shell.files.stat("/workspace/a");
  await shell.files.mv("/workspace/a", "/workspace/b");
  strictEqual((await shell.files.stat("/workspace/b")).ino, ino);
  await shell.files.mv("/workspace/b", "/mnt/data/b");
  await shell.files.mv("/mnt/data/b", "/tmp/b");
  deepStrictEqual(await shell.files.readFileBuffer("/tmp/b"), BYTES);
  for (const path of ["/workspace/a", "/workspace/b", "/mnt/data/b"]) {
    strictEqual(await shell.files.exists(path), false);
  }
});

Deno.test("mv takes whole directories across folders", async () => {
  using shell = new Shell();
  await shell.files.mkdir("/workspace/d/e", { recursive: true });
  await shell.files.writeFile("/workspace/d/e/f", "deep");
  await shell.files.mv("/workspace/d", "/mnt/data/d");
  strictEqual(shell.read("data/d/e/f"), "deep");
  strictEqual(await shell.files.exists("/workspace/d"), false);
});

Deno.test("mv takes links themselves across folders", async () => {
  using shell = new Shell();
  await shell.files.symlink("nowhere", "/workspace/link");
  await shell.files.mv("/workspace/link", "/mnt/data/link");
  strictEqual(await shell.files.readlink("/mnt/data/link"), "nowhere");
  deepStrictEqual(await shell.files.readdir("/workspace"), []);
});

Deno.test("a mv that fails leaves the source", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/workspace/a", "kept");
  await failsLater("EROFS", shell.files.mv("/workspace/a", "/mnt/fixed/a"));
  await failsLater("ENOENT", shell.files.mv("/workspace/none", "/workspace/b"));
  await failsLater("ENOENT", shell.files.mv("/workspace/none", "/tmp/b"));
  strictEqual(shell.read("workspace/a"), "kept");
});

Deno.test("mv to the same name changes neither file nor quota", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/workspace/a", "0123456789");
  await shell.files.mv("/workspace/a", "/workspace/a");
  strictEqual(shell.read("workspace/a"), "0123456789");
  strictEqual(shell.counted, 10);
});

Deno.test("links are made, read and resolved in the guest's namespace", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/mnt/data/a", "there");
  await shell.files.symlink("/mnt/data/a", "/workspace/l");
  strictEqual(await shell.files.readlink("/workspace/l"), "/mnt/data/a");
  strictEqual(await shell.files.realpath("/workspace/l"), "/mnt/data/a");
  strictEqual(await shell.files.readFile("/workspace/l"), "there");
  await failsLater("EEXIST", shell.files.symlink("x", "/workspace/l"));
  await failsLater("EINVAL", shell.files.readlink("/mnt/data/a"));
  await failsLater("ENOENT", shell.files.realpath("/workspace/none"));
});

Deno.test("hard links share content within a folder only", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/workspace/a", "one");
  await shell.files.link("/workspace/a", "/workspace/b");
  await shell.files.appendFile("/workspace/b", "two");
  strictEqual(shell.read("workspace/a"), "onetwo");
  await failsLater("EXDEV", shell.files.link("/workspace/a", "/tmp/b"));
});

Deno.test("utimes and chmod are seen by stat", async () => {
  using shell = new Shell();
  await shell.files.writeFile("/workspace/a", "");
  await shell.files.utimes("/workspace/a", new Date(1_000_000), new Date(1_234_567_890_123));
  await shell.files.chmod("/workspace/a", 0o711);
  const stat = await shell.files.stat("/workspace/a");
  deepStrictEqual([stat.mtime.getTime(), stat.mode], [1_234_567_890_123, 0o711]);
  await failsLater("ENOENT", shell.files.chmod("/workspace/none", 0o700));
  await failsLater("EROFS", shell.files.utimes("/mnt/fixed", new Date(0), new Date(0)));
});

Deno.test("paths are resolved by their text", () => {
  using shell = new Shell();
  const resolve = (base: string, path: string) => shell.files.resolvePath(base, path);
  strictEqual(resolve("/workspace", "a/./b/../c"), "/workspace/a/c");
  strictEqual(resolve("/workspace", "/x//y/"), "/x/y");
  strictEqual(resolve("/workspace", "../../.."), "/");
  strictEqual(resolve("/", ""), "/");
});
