/** Bundles the engine for browsers into the package: one module for a page, one for its workers, and what they share. */

import { rolldown } from "rolldown";

const ROOT = new URL("../../src/cloche/", import.meta.url).pathname;
const ENGINE = `${ROOT}engine/`;
const TARGET = `${ROOT}sandbox/embedding/built`;
/** Entries by the name under which pages and packages import them. */
const ENTRIES = {
  page: `${ENGINE}platform/browser/page.ts`,
  worker: `${ENGINE}worker/main.ts`,
  alone: `${ENGINE}platform/browser/alone_worker.ts`,
  ...nodeModules(),
};
/** Packages that are among the assets, as a chunk of the bundle reaches them: the assets lie beside the bundle. */
const PACKAGES: Record<string, string> = {
  "isomorphic-git": "./assets/node_modules/isomorphic-git/index.cloche.js",
  "just-bash": "./assets/node_modules/just-bash/dist/bundle/index.js",
  "pyodide-asm": "./assets/node_modules/pyodide/pyodide.asm.cloche.mjs",
};

/** What a page has instead of Node's modules: each under the name by which packages import it. */
function nodeModules(): Record<string, string> {
  const folder = `${ENGINE}platform/browser/node`;
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name !== "missing.ts");
  return Object.fromEntries(names.map((name) => [`node_${name.replace(".ts", "")}`, `${folder}/${name}`]));
}

const platform = {
  name: "browser-platform",
  async resolveId(source: string, importer?: string) {
    const address = PACKAGES[source];
    if (address) return { id: address, external: true as const };
    if (source.startsWith("node:")) {
      return `${ENGINE}platform/browser/node/${source.slice(5).replaceAll("/", "_")}.ts`;
    }
    if (!source.includes("platform/deno/")) return null;
    // @ts-expect-error - the context of a plugin is `this`
    return await this.resolve(source.replace("platform/deno/", "platform/browser/"), importer);
  },
};

const bundle = await rolldown({
  input: ENTRIES,
  plugins: [platform],
  platform: "browser",
  // What looks useless may be meant: a call that does nothing shows how much room the stack has.
  treeshake: false,
  preserveEntrySignatures: "exports-only",
  onLog(level, log, handle) {
    if (level !== "info" && level !== "debug") handle(level, log);
  },
});
await Deno.remove(TARGET, { recursive: true }).catch(() => {});
await bundle.write({
  dir: TARGET,
  format: "esm",
  minify: { compress: false, mangle: true, codegen: true },
  // Flat, so that each finds the worker and the assets beside itself.
  entryFileNames: "[name].js",
  chunkFileNames: "part-[hash].js",
});
