import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { PackLoader } from "./pack_loader.ts";

const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

class Bench {
  readonly asked: string[] = [];
  readonly answers: { resolve(folder: string): void; reject(error: Error): void }[] = [];
  readonly compiled: string[] = [];
  readonly packs = new PackLoader(
    (path) => {
      this.compiled.push(path);
      return path.includes("broken") ? Promise.reject(new Error("no program")) : WebAssembly.compile(EMPTY);
    },
    (language) => {
      this.asked.push(language);
      return new Promise((resolve, reject) => this.answers.push({ resolve, reject }));
    },
  );
}

Deno.test("files are asked for once, and programs compiled once for all workers", async () => {
  const { packs, asked, answers, compiled } = new Bench();
  const [first, second] = [packs.get("lua"), packs.get("lua")];
  answers.shift()?.resolve("/packs/lua");
  deepStrictEqual([(await first).pack, Object.keys((await second).modules)], ["/packs/lua", ["lua.wasm"]]);
  deepStrictEqual([asked, compiled], [["lua"], ["/packs/lua/lua.wasm"]]);
});

Deno.test("a language that has nothing to fetch asks nobody", async () => {
  const { packs, asked } = new Bench();
  deepStrictEqual([await packs.get("bash"), asked], [{ pack: "", modules: {} }, []]);
});

Deno.test("a pack that could not be had is asked for again by the next use", async () => {
  const { packs, asked, answers } = new Bench();
  const first = packs.get("lua");
  answers.shift()?.reject(new Error("no network"));
  await rejects(first, /no network/);
  const second = packs.get("lua");
  answers.shift()?.resolve("/packs/lua");
  strictEqual((await second).pack, "/packs/lua");
  deepStrictEqual(asked, ["lua", "lua"]);
});

Deno.test("a program that did not compile is tried again, and one that was let go too", async () => {
  const { packs, answers, compiled } = new Bench();
  await rejects(packs.compile("/broken"), /no program/);
  await rejects(packs.compile("/broken"), /no program/);
  strictEqual(compiled.length, 2);
  const first = packs.get("lua");
  answers.shift()?.resolve("/packs/lua");
  await first;
  packs.forget("lua");
  await Promise.resolve();
  const second = packs.get("lua");
  answers.shift()?.resolve("/packs/lua");
  await second;
  strictEqual(compiled.filter((path) => path === "/packs/lua/lua.wasm").length, 2);
});

Deno.test("one that is let go while it is asked for is not asked for twice at once", async () => {
  const { packs, asked, answers } = new Bench();
  const first = packs.get("lua");
  packs.forget("lua");
  const second = packs.get("lua");
  deepStrictEqual(asked, ["lua"]);
  answers.shift()?.resolve("/packs/lua");
  deepStrictEqual([(await first).pack, (await second).pack], ["/packs/lua", "/packs/lua"]);
  void packs.get("lua");
  deepStrictEqual(asked, ["lua", "lua"]);
});
