import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { PackLoader } from "./pack_loader.ts";

const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

class Bench {
  readonly asked: string[] = [];
  readonly compiled: string[] = [];
  readonly packs = new PackLoader(
    (path) => {
      this.compiled.push(path);
      return path.includes("broken") ? Promise.reject(new Error("no program")) : WebAssembly.compile(EMPTY);
    },
    (language) => this.asked.push(language),
  );
}

Deno.test("files are asked for once, and programs compiled once for all workers", async () => {
  const { packs, asked, compiled } = new Bench();
  const [first, second] = [packs.get("lua"), packs.get("lua")];
  packs.resolvePack("lua", "/packs/lua", null);
  deepStrictEqual([(await first).pack, Object.keys((await second).modules)], ["/packs/lua", ["lua.wasm"]]);
  deepStrictEqual([asked, compiled], [["lua"], ["/packs/lua/lua.wasm"]]);
});

Deno.test("a language that has nothing to fetch asks nobody", async () => {
  const { packs, asked } = new Bench();
  deepStrictEqual([await packs.get("bash"), asked], [{ pack: "", modules: {} }, []]);
});

Deno.test("a pack that could not be had is asked for again by the next use", async () => {
  const { packs, asked } = new Bench();
  const first = packs.get("lua");
  packs.resolvePack("lua", null, "no network");
  await rejects(first, /no network/);
  const second = packs.get("lua");
  packs.resolvePack("lua", "/packs/lua", null);
  strictEqual((await second).pack, "/packs/lua");
  deepStrictEqual(asked, ["lua", "lua"]);
});

Deno.test("a program that did not compile is tried again, and one that was let go too", async () => {
  const { packs, compiled } = new Bench();
  await rejects(packs.compile("/broken"), /no program/);
  await rejects(packs.compile("/broken"), /no program/);
  strictEqual(compiled.length, 2);
  const first = packs.get("lua");
  packs.resolvePack("lua", "/packs/lua", null);
  await first;
  packs.forget("lua");
  await Promise.resolve();
  const second = packs.get("lua");
  packs.resolvePack("lua", "/packs/lua", null);
  await second;
  strictEqual(compiled.filter((path) => path === "/packs/lua/lua.wasm").length, 2);
});
