import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { concatBytes } from "../../../text/bytes.ts";
import { isWanted, placeFiles, readImages } from "./home_files.ts";
import type { RModule } from "../vm/vm.ts";
import { patchScript } from "./script_patch.ts";
import { packSnapshot, Snapshot } from "../vm/snapshot.ts";

const PAGE = 4096;

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

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

Deno.test("what is no snapshot, or of another module, is refused", () => {
  throws(() => new Snapshot({ read: (into) => into.fill(0) }), /not the image/);
});

Deno.test("a script of another webR is refused", () => {
  throws(() => patchScript("var Module=typeof Module!=1;", [], new Set()), /webR's script has no/);
});
