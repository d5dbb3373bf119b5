import { strictEqual } from "node:assert/strict";
import { expectFailure, pathExists, READ, UPDATE, World, WRITE } from "../testing/harness_test.ts";
import type { FolderFiles } from "./folder.ts";

const text = new TextEncoder();

function workspace(world: World): FolderFiles {
  return world.folders[0];
}

function fixed(world: World): FolderFiles {
  return world.folders[3];
}

/** Bytes of the folders' files on the host, each counted once however many names it has. */
function stored(world: World): number {
  const sizes = new Map<number | null, number>();
  const walk = (path: string) => {
    for (const entry of Deno.readDirSync(path)) {
      if (entry.isDirectory) walk(`${path}/${entry.name}`);
      else if (entry.isFile) {
        const { ino, size } = Deno.lstatSync(`${path}/${entry.name}`);
        sizes.set(ino, size);
      }
    }
  };
  for (const { folder } of world.folders) walk(folder.host);
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

Deno.test("every change in a read-only folder is refused and changes nothing", () => {
  using world = new World();
  const path = world.write("fixed/file", "text");
  Deno.mkdirSync(`${world.path}/fixed/dir`);
  Deno.chmodSync(path, 0o644);
  const before = Deno.lstatSync(path);
  const folder = fixed(world);
  const changes: Record<string, () => unknown> = {
    makeLink: () => folder.makeLink("file", "link"),
    hardLink: () => folder.hardLink("file", "other"),
    write: () => folder.open("file", { ...UPDATE, create: false }),
    create: () => folder.open("new", { ...READ, create: true }),
    truncateOnOpen: () => folder.open("file", { ...READ, truncate: true }),
    overwrite: () => folder.open("file", WRITE),
    makeDirectory: () => folder.makeDirectory("new"),
    removeFile: () => folder.removeFile("file"),
    removeDirectory: () => folder.removeDirectory("dir"),
    rename: () => folder.rename("file", "other"),
    chmod: () => folder.chmod("file", 0o777),
    setTimes: () => folder.setTimes("file", 0, 0),
    truncate: () => folder.truncate("file", 0),
  };
  for (const act of Object.values(changes)) expectFailure("EROFS", act);
  const after = Deno.lstatSync(path);
  strictEqual(world.read("fixed/file"), "text");
  strictEqual(after.mode, before.mode);
  strictEqual(after.mtime?.getTime(), before.mtime?.getTime());
  strictEqual([...Deno.readDirSync(`${world.path}/fixed`)].length, 2);
  strictEqual(world.counted, 0);
});

Deno.test("a read-only folder is read", () => {
  using world = new World();
  world.write("fixed/file", "text");
  world.link("file", "fixed/link");
  const folder = fixed(world);
  const file = folder.open("file", READ);
  const data = new Uint8Array(4);
  strictEqual(file.read(data, 0), 4);
  file.close();
  strictEqual(new TextDecoder().decode(data), "text");
  strictEqual(folder.readLink("link"), "file");
  strictEqual(folder.list("").length, 2);
});

Deno.test("growth is counted, writing over is not", () => {
  using world = new World();
  const file = workspace(world).open("a", UPDATE);
  file.write(text.encode("0123456789"), 0);
  strictEqual(world.counted, 10);
  file.write(text.encode("abcdefghij"), 0);
  strictEqual(world.counted, 10);
  file.write(text.encode("xxxx"), 8);
  strictEqual(world.counted, 12);
  file.write(text.encode("y"), 99);
  strictEqual(world.counted, 100);
  file.close();
  strictEqual(world.counted, stored(world));
});

Deno.test("a write over the limit fails and leaves file and count as they were", () => {
  using world = new World(10);
  const file = workspace(world).open("a", UPDATE);
  file.write(text.encode("01234567"), 0);
  expectFailure("ENOSPC", () => file.write(text.encode("abc"), 8));
  expectFailure("ENOSPC", () => file.truncate(11));
  expectFailure("ENOSPC", () => file.write(text.encode("x"), 1000));
  file.write(text.encode("89"), 8);
  file.close();
  strictEqual(world.read("workspace/a"), "0123456789");
  strictEqual(world.counted, 10);
});

Deno.test("truncating gives back, growing by truncation takes", () => {
  using world = new World();
  const folder = workspace(world);
  world.put("/workspace/a", "0123456789");
  const file = folder.open("a", UPDATE);
  file.truncate(4);
  strictEqual(world.counted, 4);
  file.truncate(20);
  strictEqual(world.counted, 20);
  file.close();
  folder.truncate("a", 5);
  strictEqual(world.counted, 5);
  folder.truncate("a", 6);
  strictEqual(world.counted, 6);
  strictEqual(world.counted, stored(world));
});

Deno.test("opening with truncation gives back what was there", () => {
  using world = new World();
  world.put("/workspace/a", "0123456789");
  world.put("/workspace/a", "abc");
  strictEqual(world.counted, 3);
  expectFailure("ENOENT", () => workspace(world).open("b/c", WRITE));
  strictEqual(world.counted, 3);
});

Deno.test("removal gives back the file's size", () => {
  using world = new World();
  world.put("/workspace/a", "0123456789");
  workspace(world).removeFile("a");
  strictEqual(world.counted, 0);
  expectFailure("ENOENT", () => workspace(world).removeFile("a"));
  strictEqual(world.counted, 0);
});

Deno.test("removing links, directories and missing files gives back nothing", () => {
  using world = new World();
  const folder = workspace(world);
  world.put("/workspace/a", "0123456789");
  folder.makeLink("a", "link");
  folder.makeDirectory("dir");
  folder.removeFile("link");
  expectFailure("EISDIR", () => folder.removeFile("dir"));
  expectFailure("ENOTDIR", () => folder.removeDirectory("a"));
  folder.removeDirectory("dir");
  strictEqual(world.counted, 10);
});

Deno.test("renaming over a file gives back the replaced one", () => {
  using world = new World();
  world.put("/workspace/a", "0123456789");
  world.put("/workspace/b", "abc");
  workspace(world).rename("a", "b");
  strictEqual(world.counted, 10);
  expectFailure("ENOENT", () => workspace(world).rename("a", "b"));
  strictEqual(world.counted, 10);
  strictEqual(world.read("workspace/b"), "0123456789");
});

Deno.test("renaming a file to its own name gives back nothing", () => {
  using world = new World();
  world.put("/workspace/a", "0123456789");
  workspace(world).rename("a", "a");
  strictEqual(world.read("workspace/a"), "0123456789");
  strictEqual(world.counted, 10);
});

Deno.test("a file with several names counts once, until the last is removed", () => {
  using world = new World();
  const folder = workspace(world);
  world.put("/workspace/a", "0123456789");
  folder.hardLink("a", "b");
  strictEqual(world.counted, 10);
  folder.removeFile("a");
  strictEqual(world.counted, 10);
  folder.removeFile("b");
  strictEqual(world.counted, 0);
});

Deno.test("renaming between two names of one file gives back nothing", () => {
  using world = new World();
  const folder = workspace(world);
  world.put("/workspace/a", "0123456789");
  folder.hardLink("a", "b");
  folder.rename("a", "b");
  strictEqual(world.counted, 10);
  strictEqual(world.counted, stored(world));
});

Deno.test("truncating a file with several names is counted as for any other", () => {
  using world = new World();
  const folder = workspace(world);
  world.put("/workspace/a", "0123456789");
  folder.hardLink("a", "b");
  folder.truncate("a", 12);
  strictEqual(world.counted, 12);
  world.put("/workspace/b", "abc");
  strictEqual(world.counted, 3);
  strictEqual(world.counted, stored(world));
});

Deno.test("a truncation that fails takes nothing", () => {
  using world = new World();
  const folder = workspace(world);
  folder.makeDirectory("dir");
  expectFailure("EISDIR", () => folder.truncate("dir", 100));
  expectFailure("ENOENT", () => folder.truncate("missing", 100));
  strictEqual(world.counted, 0);
});

Deno.test("the host's own files count when they grow, not before", () => {
  using world = new World(10);
  world.write("workspace/host", "x".repeat(100));
  const file = workspace(world).open("host", UPDATE);
  file.write(text.encode("y"), 0);
  strictEqual(world.counted, 0);
  expectFailure("ENOSPC", () => file.write(text.encode("y".repeat(11)), 100));
  file.close();
});

Deno.test("a removed file that is still open counts until it is closed", () => {
  using world = new World(10);
  const folder = workspace(world);
  const file = folder.open("a", UPDATE);
  file.write(text.encode("0123456789"), 0);
  folder.removeFile("a");
  expectFailure("ENOSPC", () => world.put("/workspace/b", "x"));
  file.close();
  strictEqual(world.counted, 0);
  world.put("/workspace/b", "x");
});

Deno.test("modes and times are not set through a link by the host", () => {
  using world = new World();
  const secret = `${world.path}/outside/secret`;
  Deno.chmodSync(secret, 0o600);
  const { mtime } = Deno.statSync(secret);
  world.link(secret, "workspace/link");
  for (const act of [() => workspace(world).chmod("link", 0o644), () => workspace(world).setTimes("link", 0, 0)]) {
    try {
      act();
    } catch {
      // Refusing is as good as changing the link itself.
    }
  }
  strictEqual((Deno.statSync(secret).mode ?? 0) & 0o777, 0o600);
  strictEqual(Deno.statSync(secret).mtime?.getTime(), mtime?.getTime());
});

Deno.test("what is neither file nor directory is not opened", async () => {
  using world = new World();
  const path = `${world.path}/workspace/pipe`;
  await new Deno.Command("mkfifo", { args: [path] }).output();
  // Both ends are open here, so that opening it by mistake would not hang.
  using _ends = Deno.openSync(path, { read: true, write: true });
  strictEqual(workspace(world).lstat("pipe").kind, "other");
  for (const mode of [READ, UPDATE, { ...WRITE, truncate: false }]) {
    expectFailure("EACCES", () => workspace(world).open("pipe", mode).close());
  }
  workspace(world).removeFile("pipe");
  strictEqual(pathExists(path), false);
});
