import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { openAsset } from "../platform/deno/assets.ts";
import { expectFailure, READ, UPDATE } from "../testing/harness_test.ts";
import { type OpenBlob, PackageFiles } from "./packages.ts";
import { makeBlob, makeZip, type Piece } from "../testing/zip_files_test.ts";

const encoder = new TextEncoder();

const ONE = [{ name: "one", version: "1", path: "/one" }];

function over(source: OpenBlob): PackageFiles {
  return new PackageFiles(() => source, ONE);
}

function archive(pieces: Piece[]): PackageFiles {
  return over(makeBlob(makeZip(pieces)));
}

/** Packages by name, each with its pieces. */
function several(packages: Record<string, Piece[]>) {
  const blobs = new Map(Object.entries(packages).map(([name, pieces]) => [`/${name}`, makeBlob(makeZip(pieces))]));
  const files = new PackageFiles((path) => blobs.get(path) ?? makeBlob(new Uint8Array(0)));
  const list = Object.keys(packages).map((name) => ({ name, version: "1", path: `/${name}` }));
  return { blobs, files, list };
}

function text(files: PackageFiles, path: string): string {
  const file = files.open(path, READ);
  const data = new Uint8Array(file.stat().size);
  strictEqual(file.read(data, 0), data.length);
  return new TextDecoder().decode(data);
}

const PACKAGE: Piece[] = [
  { name: "pkg/__init__.py", data: "one" },
  { name: "pkg/deep/er/mod.py", data: "two", extra: 9 },
  { name: "top.py", data: "" },
  { name: "pkg/dät/日.txt", data: "ü" },
];

Deno.test("files of an archive are found and read", () => {
  const files = archive(PACKAGE);
  strictEqual(text(files, "pkg/__init__.py"), "one");
  strictEqual(text(files, "/pkg/deep/er/mod.py"), "two");
  strictEqual(text(files, "top.py"), "");
  strictEqual(text(files, "pkg/dät/日.txt"), "ü");
});

Deno.test("folders of an archive follow from the names of its files", () => {
  const files = archive(PACKAGE);
  deepStrictEqual(files.list("").sort((a, b) => a.name < b.name ? -1 : 1), [
    { name: "pkg", kind: "directory" },
    { name: "top.py", kind: "file" },
  ]);
  deepStrictEqual(files.list("/pkg/deep"), [{ name: "er", kind: "directory" }]);
  strictEqual(files.lstat("pkg/deep").kind, "directory");
  strictEqual(files.lstat("").kind, "directory");
  strictEqual(files.lstat("pkg/deep/er/mod.py").size, 3);
  expectFailure("ENOTDIR", () => files.list("top.py"));
  expectFailure("ENOENT", () => files.list("nothing"));
  expectFailure("ENOENT", () => files.lstat("pkg/nothing"));
  expectFailure("ENOENT", () => files.open("pkg/nothing", READ));
});

Deno.test("folders that an archive names itself are folders, not files without a name", () => {
  const files = archive([{ name: "pkg/", data: "" }, { name: "pkg/a.py", data: "a" }, { name: "empty/", data: "" }]);
  deepStrictEqual(files.list("pkg"), [{ name: "a.py", kind: "file" }]);
  deepStrictEqual(files.list("empty"), []);
  strictEqual(files.lstat("empty").kind, "directory");
});

Deno.test("reading starts anywhere and ends at the end of the file", () => {
  const file = archive([{ name: "before", data: "XXXX" }, { name: "a", data: "0123456789" }, {
    name: "after",
    data: "YYYY",
  }])
    .open("a", READ);
  const data = new Uint8Array(4);
  strictEqual(file.read(data, 3), 4);
  strictEqual(new TextDecoder().decode(data), "3456");
  strictEqual(file.read(data, 8), 2);
  strictEqual(new TextDecoder().decode(data.subarray(0, 2)), "89");
  strictEqual(file.read(data, 10), 0);
  strictEqual(file.read(data, 1000), 0);
});

Deno.test("every change in an archive is refused", () => {
  const files = archive(PACKAGE);
  const file = files.open("top.py", READ);
  const changes = [
    () => files.open("top.py", UPDATE),
    () => files.open("new", { ...READ, create: true }),
    () => files.makeLink("a", "b"),
    () => files.hardLink("top.py", "b"),
    () => files.makeDirectory("new"),
    () => files.removeFile("top.py"),
    () => files.removeDirectory("pkg"),
    () => files.rename("top.py"),
    () => files.chmod("top.py"),
    () => files.setTimes("top.py"),
    () => files.truncate("top.py"),
    () => file.write(new Uint8Array(1), 0),
    () => file.truncate(0),
  ];
  for (const change of changes) expectFailure("EROFS", change);
  expectFailure("EINVAL", () => files.readLink("top.py"));
});

Deno.test("an archive is not looked at before somebody asks, and its index is read once", () => {
  const source = makeBlob(makeZip(PACKAGE));
  const files = over(source);
  strictEqual(source.reads, 0);
  files.lstat("pkg");
  const { reads } = source;
  for (let i = 0; i < 10; i++) files.lstat("pkg/__init__.py");
  strictEqual(source.reads, reads);
});

Deno.test("an empty archive has one empty folder", () => {
  const files = archive([]);
  deepStrictEqual(files.list(""), []);
  expectFailure("ENOENT", () => files.lstat("a"));
});

Deno.test("a compressed entry is refused with its name", () => {
  const files = archive([{ name: "a", data: "a" }, { name: "pkg/b", data: "b", method: 8 }]);
  throws(() => files.lstat("a"), /pkg\/b is compressed/);
  throws(() => files.lstat("a"), /pkg\/b is compressed/);
});

Deno.test("a damaged archive fails whenever it is asked", () => {
  const whole = makeZip(PACKAGE);
  const cut = over(makeBlob(whole.subarray(0, whole.length - 5)));
  for (let i = 0; i < 2; i++) throws(() => cut.lstat("top.py"), /damaged or not a zip file/);
  throws(() => over(makeBlob(encoder.encode("no zip file at all, but long enough"))).list(""), /damaged/);
  throws(() => over(makeBlob(new Uint8Array(3))).list(""));
  const wrongOffset = whole.slice();
  wrongOffset.fill(0xff, whole.length - 6, whole.length - 2);
  throws(() => over(makeBlob(wrongOffset)).list(""));
  const wrongCount = whole.slice();
  wrongCount.fill(0xff, whole.length - 12, whole.length - 10);
  throws(() => over(makeBlob(wrongCount)).list(""));
});

Deno.test("a damaged index is noticed", () => {
  const whole = makeZip(PACKAGE);
  const damaged = whole.slice();
  const directory = new DataView(whole.buffer).getUint32(whole.length - 6, true);
  damaged.fill(0, directory, directory + 4);
  throws(() => over(makeBlob(damaged)).list(""), /damaged/);
});

Deno.test("the packages that come with Python are one such archive", () => {
  const path = `${Deno.env.get("CLOCHE_ASSETS")}/python/site.zip`;
  const source = openAsset(path);
  try {
    const files = over(source);
    strictEqual(files.lstat("IPython").kind, "directory");
    strictEqual(text(files, "IPython/__init__.py").includes("IPython"), true);
    strictEqual(files.list("IPython").some((entry) => entry.name === "core" && entry.kind === "directory"), true);
  } finally {
    source.close();
  }
});

Deno.test("an archive whose entries are followed by their sizes is read all the same", () => {
  const files = archive([{ name: "a", data: "first", trailed: true }, { name: "b", data: "second" }]);
  strictEqual(text(files, "a"), "first");
  strictEqual(text(files, "b"), "second");
});

Deno.test("folders of several packages are one", () => {
  const { files, list } = several({
    one: [{ name: "space/one/__init__.py", data: "1" }],
    two: [{ name: "space/two.py", data: "2" }],
  });
  files.set(list);
  deepStrictEqual(files.list("space").map(({ name }) => name), ["one", "two.py"]);
  strictEqual(text(files, "space/one/__init__.py"), "1");
  strictEqual(text(files, "space/two.py"), "2");
});

Deno.test("of the same file the later package's is seen", () => {
  const { files, list } = several({ one: [{ name: "a.py", data: "1" }], two: [{ name: "a.py", data: "22" }] });
  files.set(list);
  strictEqual(text(files, "a.py"), "22");
  files.set(list.toReversed());
  strictEqual(text(files, "a.py"), "1");
});

Deno.test("packages come and go, and every change gives the folders another time", () => {
  const { blobs, files, list } = several({ one: [{ name: "a/x.py", data: "1" }], two: [{ name: "b.py", data: "2" }] });
  files.set(list.slice(0, 1));
  const before = files.lstat("").mtime;
  expectFailure("ENOENT", () => files.lstat("b.py"));
  files.set(list);
  const between = files.lstat("a").mtime;
  strictEqual(between > before, true);
  strictEqual(text(files, "b.py"), "2");
  files.set(list.slice(1));
  strictEqual(files.lstat("").mtime > between, true);
  expectFailure("ENOENT", () => files.lstat("a"));
  deepStrictEqual([...blobs.values()].map(({ closed }) => closed), [1, 0]);
});

Deno.test("a damaged package is named, and the packages stay as they were", () => {
  const { blobs, files, list } = several({ one: [{ name: "a.py", data: "1" }], two: [{ name: "b.py", data: "2" }] });
  files.set(list.slice(0, 1));
  const broken = { name: "broken", version: "1", path: "/broken" };
  throws(() => files.set([...list, broken]), /the package broken could not be read: the archive is damaged/);
  strictEqual(text(files, "a.py"), "1");
  expectFailure("ENOENT", () => files.lstat("b.py"));
  deepStrictEqual([...blobs.values()].map(({ closed }) => closed), [0, 1]);
});

Deno.test("a file of a package that is gone gives an error, not other bytes", () => {
  const source = makeBlob(makeZip([{ name: "a.py", data: "1" }]));
  const files = over({ ...source, read: (into, position) => source.closed ? fail() : source.read(into, position) });
  const file = files.open("a.py", READ);
  source.close();
  expectFailure("EIO", () => file.read(new Uint8Array(1), 0));
});

function fail(): never {
  throw new Error("closed");
}
