import { strictEqual } from "node:assert/strict";
import { outsideOf } from "./unsaved_state.ts";
import type { PyodideModule } from "./types.ts";

function module(libraries: string[], paths: (string | null)[]): PyodideModule {
  const loadedLibsByName = Object.fromEntries(["__main__", ...libraries].map((name) => [name, { exports: {} }]));
  const streams = [null, {}, {}, ...paths.map((path) => path === null ? null : { path })];
  return { LDSO: { loadedLibsByName }, FS: { streams } } as unknown as PyodideModule;
}

Deno.test("nothing is outside of a Python that has only its standard streams", () => {
  strictEqual(outsideOf(module([], [])), null);
  strictEqual(outsideOf(module([], [null])), null);
});

Deno.test("open files and native modules are named, a few of them", () => {
  strictEqual(outsideOf(module([], [null, "/tmp/a"])), "files are open (/tmp/a); close them first");
  const many = ["a", "b", "c", "d", "e"].map((name) => `/x/${name}.cpython-314.so`);
  strictEqual(outsideOf(module(many, ["/tmp/a"])), "native modules are loaded (a, b, c, and 2 more)");
});
