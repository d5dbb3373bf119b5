import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { PackageFiles } from "../../../fs/packages.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { withoutData } from "./without_data.ts";
import { isWanted, placeFiles, readImages, writeArchive } from "./home_archive.ts";
import type { RModule } from "../machine/machine.ts";
import { patchScript } from "./script_patch.ts";
import { packSnapshot, Snapshot } from "../machine/snapshot.ts";
import { type Signed, wrapFunctions } from "../machine/table_functions.ts";

const PAGE = 4096;

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("an archive is read as packages are", () => {
  const archive = writeArchive(new Map([["lib/R/b", encode("second")], ["lib/a", encode("")], ["c", encode("third")]]));
  const files = new PackageFiles(() => ({
    size: archive.length,
    read: (into, position) => into.set(archive.subarray(position, position + into.length)),
    close: () => {},
  }));
  files.set([{ name: "R", version: "", path: "home.zip" }]);
  deepStrictEqual(files.list("").map(({ name }) => name).sort(), ["c", "lib"]);
  const file = files.open("lib/R/b", { read: true, write: false, create: false, exclusive: false, truncate: false });
  const into = new Uint8Array(6);
  strictEqual(file.read(into, 0), 6);
  deepStrictEqual(into, encode("second"));
});

Deno.test("images are unpacked, what nobody needs is left out", () => {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${folder}/usr/lib/R/library/stats`, { recursive: true });
    const stats = `${folder}/usr/lib/R/library/stats`;
    const files = [{ filename: "/a.rds", start: 0, end: 2 }, { filename: "/b.rds", start: 2, end: 5 }];
    for (const name of ["help", "html"]) {
      Deno.writeTextFileSync(`${stats}/${name}.js.metadata`, JSON.stringify({ files }));
      Deno.writeTextFileSync(`${stats}/${name}.data`, "aabbb");
    }
    Deno.writeTextFileSync(`${stats}/DESCRIPTION`, "Package: stats");
    const found = placeFiles(readImages(folder));
    const place = "lib/R/library/stats";
    deepStrictEqual([...found.keys()].sort(), [`${place}/DESCRIPTION`, `${place}/help/a.rds`, `${place}/help/b.rds`]);
    deepStrictEqual(found.get(`${place}/help/b.rds`), encode("bbb"));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("webR's own package, which runs JavaScript, is not among the files", () => {
  ok(!isWanted("usr/lib/R/library/webr/libs/webr.so"));
  ok(isWanted("usr/lib/R/library/stats/libs/stats.so"));
});

Deno.test("functions of JavaScript become functions of WebAssembly by their signatures", () => {
  const add = Object.assign((a: number, b: number) => a + b, { sig: "ipp" });
  const half = Object.assign((a: number) => a / 2, { sig: "dd" });
  const noted: number[] = [];
  const note = Object.assign((a: number) => void noted.push(a), { sig: "vi" });
  const wrapped = wrapFunctions([add, half, note] as Signed[]) as ((...args: number[]) => unknown)[];
  deepStrictEqual([wrapped[0](40, 2), wrapped[1](5), wrapped[2](7), noted], [42, 2.5, undefined, [7]]);
  const table = new WebAssembly.Table({ element: "anyfunc", initial: 3 });
  wrapped.forEach((each, i) => table.set(i, each));
  deepStrictEqual(wrapFunctions([]), []);
});

Deno.test("a program without its data is as before but for that", async () => {
  const memory = [5, 4, 1, 1, 1, 1];
  const exports = [7, 10, 1, 6, ...encode("memory"), 2, 0];
  const data = [11, 10, 1, 0, 0x41, 4, 0x0b, 4, ...encode("data")];
  const program = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...memory, ...exports, ...data]);
  const bytesAt4 = async (bytes: Uint8Array) => {
    const { instance } = await WebAssembly.instantiate(bytes as BufferSource);
    return new TextDecoder().decode(new Uint8Array((instance.exports.memory as WebAssembly.Memory).buffer, 4, 4));
  };
  strictEqual(await bytesAt4(program), "data");
  strictEqual(await bytesAt4(withoutData(program)), "\0\0\0\0");
});

Deno.test("a snapshot holds the pages that are used, and what was loaded in its order", () => {
  const heap = new Uint8Array(4 * 65536);
  heap.set([1, 2, 3], PAGE);
  heap.set([4], 40 * PAGE + 9);
  const memo = { steps: [{ symbol: "f", handle: 7 }], places: [16], table: 0, prelude: 99 };
  const module = { HEAPU8: heap, table: () => ({ length: 3 }) } as unknown as RModule;
  const packed = concatBytes(packSnapshot(module, memo));
  ok(packed.length < 3 * PAGE);
  const snapshot = new Snapshot({ read: (into, at) => into.set(packed.subarray(at, at + into.length)) });
  deepStrictEqual(snapshot.memo, { ...memo, table: 3 });
  const found: unknown[] = [];
  const memory = new WebAssembly.Memory({ initial: 1 });
  const other = {
    memory: () => memory,
    updateViews: () => Object.assign(other, { HEAPU8: new Uint8Array(memory.buffer) }),
    findFunction: (handle: number, symbol: string) => found.push([handle, symbol]),
    table: () => ({ length: 3 }),
    restoring: true,
  } as unknown as RModule;
  snapshot.restore(other);
  deepStrictEqual([found, other.restoring], [[[7, "f"]], false]);
  deepStrictEqual(other.HEAPU8, heap);
});

Deno.test("what is no snapshot, or of another program, is refused", () => {
  throws(() => new Snapshot({ read: (into) => into.fill(0) }), /not the image/);
});

Deno.test("a script of another webR is refused", () => {
  throws(() => patchScript("var Module=typeof Module!=1;", [], new Set()), /webR's script has no/);
});
