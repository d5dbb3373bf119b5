import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { expectFailure, makeDice, READ, UPDATE, World, WRITE } from "../testing/harness_test.ts";
import { FileError } from "./files.ts";

function names(world: World, path: string): string[] {
  return world.tree.list(path).map((entry) => entry.name).sort();
}

Deno.test("directories above the folders exist and list only what leads to folders", () => {
  using world = new World();
  deepStrictEqual(names(world, "/"), ["mnt", "tmp", "workspace"]);
  deepStrictEqual(names(world, "/mnt"), ["data", "fixed"]);
  for (const path of ["/", "/mnt"]) strictEqual(world.tree.stat(path).kind, "directory");
  expectFailure("ENOENT", () => world.tree.stat("/etc"));
  expectFailure("ENOENT", () => world.tree.stat("/mnt/other/deep"));
});

Deno.test("covers and holds distinguish folders, directories above them and the rest", () => {
  using world = new World();
  const seen = ["/", "/mnt", "/mnt/data", "/mnt/data/x", "/mnt/database", "/workspacex", "/dev"]
    .map((path) => [world.tree.covers(path), world.tree.holds(path)]);
  deepStrictEqual(seen, [
    [false, false],
    [false, true],
    [true, true],
    [true, true],
    [false, false],
    [false, false],
    [false, false],
  ]);
});

Deno.test("a file is read and written through its folder", () => {
  using world = new World();
  world.put("/workspace/a", "hello");
  strictEqual(world.read("workspace/a"), "hello");
  strictEqual(world.text("/workspace/./a"), "hello");
  strictEqual(world.text("//workspace//a"), "hello");
  strictEqual(world.tree.stat("/workspace/a").size, 5);
});

Deno.test("dots beyond the root stay at the root", () => {
  using world = new World();
  world.write("tmp/a", "a");
  strictEqual(world.text("/../../../../tmp/a"), "a");
  strictEqual(world.text("/workspace/../../../tmp/a"), "a");
  strictEqual(world.tree.realPath("/../.."), "/");
});

Deno.test("dots cannot climb out of a folder's host", () => {
  using world = new World();
  expectFailure("ENOENT", () => world.tree.stat("/workspace/../outside/secret"));
  expectFailure("ENOENT", () => world.tree.readFile("/workspace/../../outside/secret"));
});

Deno.test("absolute links mean the guest's namespace, not the host's", () => {
  using world = new World();
  world.write("tmp/there", "there");
  world.link("/tmp/there", "workspace/here");
  world.link(`${world.path}/outside/secret`, "workspace/escape");
  strictEqual(world.text("/workspace/here"), "there");
  expectFailure("ENOENT", () => world.tree.readFile("/workspace/escape"));
  expectFailure("ENOENT", () => world.tree.stat("/workspace/escape"));
});

Deno.test("relative links cannot leave the root", () => {
  using world = new World();
  world.write("tmp/there", "there");
  world.link("../tmp/there", "workspace/up");
  world.link("../../../../../../../../tmp/there", "workspace/far");
  world.link("../outside/secret", "workspace/escape");
  strictEqual(world.text("/workspace/up"), "there");
  strictEqual(world.text("/workspace/far"), "there");
  expectFailure("ENOENT", () => world.tree.readFile("/workspace/escape"));
});

Deno.test("links lead from one folder into another, also for writing", () => {
  using world = new World();
  world.link("/mnt/data", "workspace/data");
  world.put("/workspace/data/new", "text");
  strictEqual(world.read("data/new"), "text");
  world.tree.makeDirectory("/workspace/data/sub");
  strictEqual(world.tree.realPath("/workspace/data/sub"), "/mnt/data/sub");
  world.tree.removeFile("/workspace/data/new");
  deepStrictEqual(names(world, "/mnt/data"), ["sub"]);
});

Deno.test("a link into a read-only folder stays read-only", () => {
  using world = new World();
  world.write("fixed/a", "a");
  world.link("/mnt/fixed", "workspace/fixed");
  strictEqual(world.text("/workspace/fixed/a"), "a");
  expectFailure("EROFS", () => world.put("/workspace/fixed/a", "b"));
  expectFailure("EROFS", () => world.tree.removeFile("/workspace/fixed/a"));
  strictEqual(world.read("fixed/a"), "a");
});

Deno.test("links lead to directories above the folders", () => {
  using world = new World();
  world.link("/", "workspace/root");
  world.link("..", "workspace/up");
  world.link("/mnt", "workspace/mnt");
  world.write("tmp/a", "a");
  deepStrictEqual(names(world, "/workspace/root"), ["mnt", "tmp", "workspace"]);
  deepStrictEqual(names(world, "/workspace/up"), ["mnt", "tmp", "workspace"]);
  deepStrictEqual(names(world, "/workspace/mnt"), ["data", "fixed"]);
  strictEqual(world.text("/workspace/root/workspace/up/tmp/a"), "a");
});

Deno.test("dots after a link leave the link's target, not the link's own directory", () => {
  using world = new World();
  Deno.mkdirSync(`${world.path}/data/deep`);
  world.write("data/a", "of data");
  world.write("workspace/a", "of workspace");
  world.link("/mnt/data/deep", "workspace/l");
  strictEqual(world.text("/workspace/l/../a"), "of data");
});

Deno.test("forty links in a row are followed, one more is a loop", () => {
  using world = new World();
  world.write("workspace/0", "end");
  for (let i = 1; i <= 41; i++) world.link(`${i - 1}`, `workspace/${i}`);
  strictEqual(world.text("/workspace/40"), "end");
  expectFailure("ELOOP", () => world.tree.readFile("/workspace/41"));
});

Deno.test("loops of links end in ELOOP", () => {
  using world = new World();
  world.link("self", "workspace/self");
  world.link("/tmp/b", "workspace/a");
  world.link("/workspace/a", "tmp/b");
  world.link("grow/x", "workspace/grow");
  for (const path of ["self", "a", "a/deeper", "grow"]) {
    expectFailure("ELOOP", () => world.tree.stat(`/workspace/${path}`));
  }
  strictEqual(world.tree.lstat("/workspace/self").kind, "link");
  strictEqual(world.tree.exists("/workspace/self"), false);
});

Deno.test("links to where they are, or above it, lead to folders", () => {
  using world = new World();
  world.tree.makeDirectory("/workspace/d");
  for (const target of [".", "./", "..", "/workspace/d/../d"]) {
    world.tree.makeLink(target, "/workspace/d/l");
    strictEqual(world.tree.stat("/workspace/d/l").kind, "directory", target);
    expectFailure("EISDIR", () => world.tree.readFile("/workspace/d/l"));
    strictEqual(world.tree.lstat("/workspace/d/l").kind, "link");
    world.tree.removeFile("/workspace/d/l");
  }
});

Deno.test("lstat, readLink and removal take the link itself", () => {
  using world = new World();
  world.write("workspace/file", "kept");
  world.link("file", "workspace/link");
  strictEqual(world.tree.lstat("/workspace/link").kind, "link");
  strictEqual(world.tree.stat("/workspace/link").kind, "file");
  strictEqual(world.tree.readLink("/workspace/link"), "file");
  expectFailure("EINVAL", () => world.tree.readLink("/workspace/file"));
  expectFailure("EINVAL", () => world.tree.readLink("/mnt"));
  world.tree.removeFile("/workspace/link");
  strictEqual(world.read("workspace/file"), "kept");
});

Deno.test("a dangling link is no file, but can be written through", () => {
  using world = new World();
  world.link("/mnt/data/new", "workspace/link");
  strictEqual(world.tree.exists("/workspace/link"), false);
  expectFailure("ENOENT", () => world.tree.readFile("/workspace/link"));
  world.put("/workspace/link", "made");
  strictEqual(world.read("data/new"), "made");
});

Deno.test("links are made as they are written and count in the guest's namespace only", () => {
  using world = new World();
  world.tree.makeLink("/outside/secret", "/workspace/l");
  strictEqual(Deno.readLinkSync(`${world.path}/workspace/l`), "/outside/secret");
  expectFailure("ENOENT", () => world.tree.stat("/workspace/l"));
  expectFailure("EEXIST", () => world.tree.makeLink("x", "/workspace/l"));
});

Deno.test("a file in the middle of a path is no directory", () => {
  using world = new World();
  world.write("workspace/file", "");
  expectFailure("ENOTDIR", () => world.tree.stat("/workspace/file/x"));
  expectFailure("ENOTDIR", () => world.tree.stat("/workspace/file/.."));
  expectFailure("ENOTDIR", () => world.put("/workspace/file/x", ""));
  expectFailure("ENOENT", () => world.tree.stat("/workspace/missing/.."));
});

Deno.test("errors carry the guest's path and never the host's", () => {
  using world = new World();
  Deno.mkdirSync(`${world.path}/workspace/full/x`, { recursive: true });
  const acts: [string, () => unknown][] = [
    ["/workspace/no", () => world.tree.stat("/workspace/no")],
    ["/workspace/no", () => world.tree.open("/workspace/no", READ)],
    ["/workspace/full", () => world.tree.removeDirectory("/workspace/full")],
    ["/workspace/no/x", () => world.tree.makeDirectory("/workspace/no/x")],
  ];
  for (const [path, act] of acts) {
    try {
      act();
      ok(false, `${path} did not fail`);
    } catch (error) {
      ok(error instanceof FileError, `${error}`);
      ok(path.startsWith(error.path), error.path);
      ok(!error.message.includes(world.path), error.message);
      ok(error.message.includes("'/workspace"), error.message);
    }
  }
});

Deno.test("directories above the folders cannot be changed", () => {
  using world = new World();
  expectFailure("EEXIST", () => world.tree.makeDirectory("/mnt"));
  expectFailure("EEXIST", () => world.tree.makeDirectory("/workspace"));
  expectFailure("EACCES", () => world.tree.makeDirectory("/mnt/new"));
  expectFailure("EACCES", () => world.tree.open("/new", WRITE));
  expectFailure("EACCES", () => world.tree.makeLink("x", "/mnt"));
  expectFailure("EISDIR", () => world.tree.open("/mnt", WRITE));
  expectFailure("EISDIR", () => world.tree.removeFile("/mnt"));
  expectFailure("EBUSY", () => world.tree.removeDirectory("/mnt"));
  expectFailure("EPERM", () => world.tree.chmod("/mnt", 0o777));
  expectFailure("EPERM", () => world.tree.setTimes("/mnt", 0, 0));
  expectFailure("EBUSY", () => world.tree.rename("/mnt", "/workspace/x"));
  expectFailure("EEXIST", () => world.tree.rename("/tmp", "/mnt"));
  expectFailure("ENOENT", () => world.tree.rename("/nowhere", "/workspace/x"));
  expectFailure("EACCES", () => world.tree.hardLink("/tmp", "/nowhere"));
});

Deno.test("a folder itself is neither removed, renamed nor opened as a file", () => {
  using world = new World();
  world.write("workspace/a", "");
  world.link("/workspace", "workspace/self");
  expectFailure("EBUSY", () => world.tree.removeDirectory("/workspace"));
  expectFailure("EISDIR", () => world.tree.removeFile("/workspace"));
  expectFailure("EBUSY", () => world.tree.rename("/workspace", "/workspace/b"));
  expectFailure("EBUSY", () => world.tree.rename("/workspace/a", "/workspace"));
  for (const path of ["/workspace", "/workspace/", "/workspace/self", "/tmp/../workspace"]) {
    expectFailure("EISDIR", () => world.tree.open(path, READ));
    expectFailure("EISDIR", () => world.tree.open(path, WRITE));
    expectFailure("EISDIR", () => world.tree.readFile(path));
  }
});

Deno.test("renaming and hard links work within a folder and not across", () => {
  using world = new World();
  world.put("/workspace/a", "a");
  world.tree.rename("/workspace/a", "/workspace/b");
  world.tree.hardLink("/workspace/b", "/workspace/c");
  strictEqual(world.tree.stat("/workspace/c").links, 2);
  strictEqual(world.tree.stat("/workspace/c").ino, world.tree.stat("/workspace/b").ino);
  expectFailure("EXDEV", () => world.tree.rename("/workspace/b", "/tmp/b"));
  expectFailure("EXDEV", () => world.tree.hardLink("/workspace/b", "/tmp/b"));
  expectFailure("EEXIST", () => world.tree.hardLink("/workspace/b", "/workspace/c"));
});

Deno.test("renaming takes links themselves, but follows those on the way", () => {
  using world = new World();
  Deno.mkdirSync(`${world.path}/workspace/d`);
  world.write("workspace/d/file", "text");
  world.link("d", "workspace/way");
  world.link("/nowhere", "workspace/dangling");
  world.tree.rename("/workspace/way/file", "/workspace/way/moved");
  strictEqual(world.read("workspace/d/moved"), "text");
  world.tree.rename("/workspace/dangling", "/workspace/d/dangling");
  strictEqual(world.tree.readLink("/workspace/d/dangling"), "/nowhere");
});

Deno.test("modes and times are those of the file a link leads to", () => {
  using world = new World();
  world.write("data/file", "");
  world.link("/mnt/data/file", "workspace/link");
  world.tree.chmod("/workspace/link", 0o600);
  world.tree.setTimes("/workspace/link", 1_000, 2_000);
  const stat = world.tree.stat("/mnt/data/file");
  deepStrictEqual([stat.mode & 0o7777, stat.atime, stat.mtime], [0o600, 1_000, 2_000]);
});

Deno.test("opening with exclusive refuses what is there", () => {
  using world = new World();
  world.put("/workspace/a", "kept");
  expectFailure("EEXIST", () => world.tree.open("/workspace/a", { ...WRITE, truncate: false, exclusive: true }));
  strictEqual(world.text("/workspace/a"), "kept");
});

Deno.test("readFile gives whole large files and empty ones", () => {
  using world = new World();
  const data = Uint8Array.from({ length: 300_000 }, (_, i) => i * 7);
  world.write("workspace/large", data);
  world.write("workspace/empty", "");
  deepStrictEqual(world.tree.readFile("/workspace/large"), data);
  strictEqual(world.tree.readFile("/workspace/empty").length, 0);
});

Deno.test("odd names are ordinary names", () => {
  using world = new World();
  for (const name of ["ä ö", "日本", "a\nb", "-rf", "...", "~", "\\", "%2e%2e", "a'b\"c"]) {
    world.put(`/workspace/${name}`, name);
    strictEqual(Deno.readTextFileSync(`${world.path}/workspace/${name}`), name);
    strictEqual(world.text(`/workspace/${name}`), name);
  }
});

Deno.test("impossible names give an error of the file system", () => {
  using world = new World();
  expectFailure("ENAMETOOLONG", () => world.tree.stat("/workspace/" + "x".repeat(300)));
  expectFailure("ENAMETOOLONG", () => world.put("/workspace/" + "x".repeat(300), ""));
  expectFailure("EINVAL", () => world.tree.stat("/workspace/a\0b"));
  expectFailure("EINVAL", () => world.put("/workspace/a\0b", ""));
});

Deno.test("whatever links there are, no path leads outside and every walk ends", () => {
  const roll = makeDice(7);
  const pick = <T>(list: T[]): T => list[roll(list.length)];
  const parts = ["a", "b", "c", "..", ".", "workspace", "tmp", "mnt", "data", "outside", "secret"];
  const path = () => Array.from({ length: 1 + roll(6) }, () => pick(parts)).join("/");
  for (let round = 0; round < 40; round++) {
    using world = new World();
    const guest = () => `${pick(["/workspace", "/tmp", "/mnt/data", ""])}/${path()}`;
    for (let step = 0; step < 60; step++) {
      const act = pick<() => unknown>([
        () => world.tree.makeLink(pick([path(), "/" + path(), `${world.path}/outside`]), guest()),
        () => world.tree.makeLink(pick([path(), "/" + path()]), guest()),
        () => world.tree.makeDirectory(guest()),
        () => world.put(guest(), "text", UPDATE),
        () => world.tree.rename(guest(), guest()),
        () => world.tree.readFile(guest()),
        () => world.tree.list(guest()),
        () => world.tree.realPath(guest()),
        () => world.tree.chmod(guest(), 0o700),
        () => world.tree.removeFile(guest()),
      ]);
      try {
        act();
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
      }
    }
    strictEqual(world.read("outside/secret"), "secret");
    deepStrictEqual(Array.from(Deno.readDirSync(`${world.path}/outside`), (e) => e.name), ["secret"]);
  }
});
