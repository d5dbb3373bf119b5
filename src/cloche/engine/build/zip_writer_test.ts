import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { PackageFiles } from "../fs/packages.ts";
import { listZip } from "../fs/zip.ts";
import { writeZip } from "./zip_writer.ts";

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function open(data: Uint8Array) {
  return {
    size: data.length,
    read: (into: Uint8Array, position: number) => into.set(data.subarray(position, position + into.length)),
    close: () => {},
  };
}

Deno.test("an archive lists what was put into it, sorted", () => {
  const data = writeZip(new Map([["b/ü.rb", new Uint8Array(0)], ["a.rb", encode("A")]]));
  const entries = listZip(open(data));
  deepStrictEqual(entries.map(({ name, size }) => [name, size]), [["a.rb", 1], ["b/ü.rb", 0]]);
  strictEqual(data[entries[0].start], 65);
});

Deno.test("an archive is read as packages are", () => {
  const archive = writeZip(new Map([["lib/R/b", encode("second")], ["lib/a", encode("")], ["c", encode("third")]]));
  const files = new PackageFiles(() => open(archive));
  files.set([{ name: "R", version: "", path: "home.zip" }]);
  deepStrictEqual(files.list("").map(({ name }) => name).sort(), ["c", "lib"]);
  const file = files.open("lib/R/b", { read: true, write: false, create: false, exclusive: false, truncate: false });
  const into = new Uint8Array(6);
  strictEqual(file.read(into, 0), 6);
  deepStrictEqual(into, encode("second"));
});
