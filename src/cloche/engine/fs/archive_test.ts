import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { openAsset } from "../host/assets.ts";
import { fails, READ, UPDATE } from "../kit_test.ts";
import { ArchiveFiles, type Blob } from "./archive.ts";

const encoder = new TextEncoder();

interface Piece {
  name: string;
  data: string;
  method?: number;
  /** Bytes between the local header and the data, which the central directory does not mention. */
  extra?: number;
}

function record(signature: number, size: number, fields: [at: number, value: number, bytes: 2 | 4][]): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, signature, true);
  for (const [at, value, bytes] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  }
  return new Uint8Array(view.buffer);
}

function join(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A zip file, made by hand; checksums are left out, as nobody here looks at them. */
function zip(pieces: Piece[]): Uint8Array {
  const locals: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let offset = 0;
  for (const { name, data, method = 0, extra = 0 } of pieces) {
    const [title, body] = [encoder.encode(name), encoder.encode(data)];
    const head = record(0x04034b50, 30, [[8, method, 2], [18, body.length, 4], [22, body.length, 4], [
      26,
      title.length,
      2,
    ], [28, extra, 2]]);
    const local = join([head, title, new Uint8Array(extra), body]);
    const entry = record(0x02014b50, 46, [
      [10, method, 2],
      [20, body.length, 4],
      [24, body.length, 4],
      [28, title.length, 2],
      [30, 4, 2],
      [32, 3, 2],
      [42, offset, 4],
    ]);
    entries.push(join([entry, title, new Uint8Array(7)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = join(entries);
  const end = record(0x06054b50, 22, [[8, pieces.length, 2], [10, pieces.length, 2], [12, directory.length, 4], [
    16,
    offset,
    4,
  ]]);
  return join([...locals, directory, end]);
}

function blob(data: Uint8Array): Blob & { reads: number } {
  return {
    size: data.length,
    reads: 0,
    read(into, position) {
      this.reads++;
      if (position < 0 || position + into.length > data.length) throw new Error("shorter than it should be");
      into.set(data.subarray(position, position + into.length));
    },
  };
}

function archive(pieces: Piece[]): ArchiveFiles {
  return new ArchiveFiles(blob(zip(pieces)));
}

function text(files: ArchiveFiles, path: string): string {
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
  fails("ENOTDIR", () => files.list("top.py"));
  fails("ENOENT", () => files.list("nothing"));
  fails("ENOENT", () => files.lstat("pkg/nothing"));
  fails("ENOENT", () => files.open("pkg/nothing", READ));
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
  for (const change of changes) fails("EROFS", change);
  fails("EINVAL", () => files.readLink("top.py"));
});

Deno.test("an archive is not looked at before somebody asks, and its index is read once", () => {
  const source = blob(zip(PACKAGE));
  const files = new ArchiveFiles(source);
  strictEqual(source.reads, 0);
  files.lstat("pkg");
  const { reads } = source;
  for (let i = 0; i < 10; i++) files.lstat("pkg/__init__.py");
  strictEqual(source.reads, reads);
});

Deno.test("an empty archive has one empty folder", () => {
  const files = archive([]);
  deepStrictEqual(files.list(""), []);
  fails("ENOENT", () => files.lstat("a"));
});

Deno.test("a compressed entry is refused with its name", () => {
  const files = archive([{ name: "a", data: "a" }, { name: "pkg/b", data: "b", method: 8 }]);
  throws(() => files.lstat("a"), /pkg\/b is compressed/);
  throws(() => files.lstat("a"), /pkg\/b is compressed/);
});

Deno.test("a damaged archive fails whenever it is asked", () => {
  const whole = zip(PACKAGE);
  const cut = new ArchiveFiles(blob(whole.subarray(0, whole.length - 5)));
  for (let i = 0; i < 2; i++) throws(() => cut.lstat("top.py"), /damaged or not a zip file/);
  throws(() => new ArchiveFiles(blob(encoder.encode("no zip file at all, but long enough"))).list(""), /damaged/);
  throws(() => new ArchiveFiles(blob(new Uint8Array(3))).list(""));
  const wrongOffset = whole.slice();
  wrongOffset.fill(0xff, whole.length - 6, whole.length - 2);
  throws(() => new ArchiveFiles(blob(wrongOffset)).list(""));
  const wrongCount = whole.slice();
  wrongCount.fill(0xff, whole.length - 12, whole.length - 10);
  throws(() => new ArchiveFiles(blob(wrongCount)).list(""));
});

Deno.test("a damaged index is noticed", () => {
  const whole = zip(PACKAGE);
  const damaged = whole.slice();
  const directory = new DataView(whole.buffer).getUint32(whole.length - 6, true);
  damaged.fill(0, directory, directory + 4);
  throws(() => new ArchiveFiles(blob(damaged)).list(""), /damaged/);
});

Deno.test("the packages that come with Python are one such archive", () => {
  const source = openAsset(`${Deno.env.get("CLOCHE_ASSETS")}/python/site.zip`);
  try {
    const files = new ArchiveFiles(source);
    strictEqual(files.lstat("IPython").kind, "directory");
    strictEqual(text(files, "IPython/__init__.py").includes("IPython"), true);
    strictEqual(files.list("IPython").some((entry) => entry.name === "core" && entry.kind === "directory"), true);
  } finally {
    source.close();
  }
});
