/**
 * Copies the files that the engine needs out of a full `node_modules` folder and writes patched modules beside them.
 *
 * Run as `assets.ts FROM TO`, where both are `node_modules` folders and TO does not exist yet.
 */
import { askedExports, patchAsm } from "../languages/python/pyodide/asm_patch.ts";
import { hideExports, takeData } from "../languages/python/pyodide/lean_module.ts";
import { patchGit } from "../languages/bash/git/isomorphic_patch.ts";
import { readNames } from "../languages/bash/shell/commands/jq/names.ts";
import { meterModule } from "../wasm/meter.ts";
import { packageFolder } from "./npm_files.ts";

/** Packages needed at run time, each with the files and folders that are needed. */
const KEPT: Record<string, string[]> = {
  "pyodide": [
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide.mjs",
    "pyodide-lock.json",
    "python_stdlib.zip",
  ],
  "just-bash": ["LICENSE", "dist/bundle/index.js", "dist/bundle/chunks"],
  "diff": ["LICENSE", "libesm"],
  "minimatch": ["LICENSE.md", "dist/esm"],
  "brace-expansion": ["LICENSE", "dist/esm"],
  "balanced-match": ["LICENSE.md", "dist/esm"],
  "seek-bzip": ["LICENSE", "lib"],
  "sprintf-js": ["LICENSE", "src/sprintf.js"],
  "turndown": ["LICENSE", "lib/turndown.cjs.js"],
  "@mixmark-io/domino": ["LICENSE", "lib"],
  "isomorphic-git": ["LICENSE.md", "index.umd.min.js"],
  "jq-wasm": ["LICENSE", "dist/index.mjs", "dist/build/jq.wasm"],
};

/** Types, maps, and just-bash's own Python, JavaScript, SQLite and HTTP, which the engine replaces or refuses. */
const DROPPED = /\.d\.[cm]?ts$|\.map$|\/chunks\/((js-exec-|sqlite3-)?worker|undici-\w+)\.js$/;

/** Entry modules that are rewritten: source, target, patch. */
const PATCHED: [string, string, (source: string) => string][] = [
  ["isomorphic-git/index.umd.min.js", "isomorphic-git/index.cloche.js", patchGit],
  ["pyodide/pyodide.asm.mjs", "pyodide/pyodide.asm.cloche.mjs", patchAsm],
];

/** What the engine's sources import by name. */
const IMPORTS = {
  "isomorphic-git": "./node_modules/isomorphic-git/index.cloche.js",
  "just-bash": "./node_modules/just-bash/dist/bundle/index.js",
  "pyodide-asm": "./node_modules/pyodide/pyodide.asm.cloche.mjs",
};

function copy(from: string, to: string): void {
  if (!Deno.statSync(from).isDirectory) {
    Deno.mkdirSync(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(to, Deno.readFileSync(from));
    return;
  }
  for (const entry of Deno.readDirSync(from)) {
    if (!DROPPED.test(`${from}/${entry.name}`)) copy(`${from}/${entry.name}`, `${to}/${entry.name}`);
  }
}

/** Writes Python's module with few exports and without data; what was removed is written beside it. */
function rewriteModule(folder: string): void {
  const asked = askedExports(Deno.readTextFileSync(`${folder}/pyodide.asm.cloche.mjs`));
  const { wasm: whole, hidden } = hideExports(Deno.readFileSync(`${folder}/pyodide.asm.wasm`), asked);
  const { wasm, image } = takeData(whole);
  Deno.writeFileSync(`${folder}/pyodide.asm.cloche.wasm`, wasm);
  Deno.writeFileSync(`${folder}/pyodide.asm.clock.wasm`, meterModule(wasm));
  Deno.writeFileSync(`${folder}/data.cloche`, image);
  Deno.writeTextFileSync(`${folder}/hidden.cloche`, JSON.stringify(hidden));
}

/** Writes jq's module with a clock and without its loader, of which only the names are kept. */
function rewriteJq(folder: string): void {
  const names = readNames(Deno.readTextFileSync(`${folder}/dist/index.mjs`));
  Deno.writeFileSync(`${folder}/jq.cloche.wasm`, meterModule(Deno.readFileSync(`${folder}/dist/build/jq.wasm`)));
  Deno.writeTextFileSync(`${folder}/names.cloche.json`, JSON.stringify(names));
  Deno.removeSync(`${folder}/dist`, { recursive: true });
}

/** Writes into the loader which Pyodide it loads. */
function nameVersions(folder: string): void {
  const { info } = JSON.parse(Deno.readTextFileSync(`${folder}/pyodide-lock.json`));
  const { version } = JSON.parse(Deno.readTextFileSync(`${folder}/package.json`));
  const line = `export const lockInfo = ${JSON.stringify({ ...info, version })};\n`;
  Deno.writeTextFileSync(`${folder}/pyodide.asm.cloche.mjs`, line, { append: true });
}

function prepare(from: string, to: string): void {
  for (const [name, paths] of Object.entries(KEPT)) {
    const folder = packageFolder(from, name);
    for (const path of ["package.json", ...paths]) copy(`${folder}/${path}`, `${to}/${name}/${path}`);
  }
  for (const [source, target, patch] of PATCHED) {
    Deno.writeTextFileSync(`${to}/${target}`, patch(Deno.readTextFileSync(`${to}/${source}`)));
  }
  rewriteModule(`${to}/pyodide`);
  rewriteJq(`${to}/jq-wasm`);
  nameVersions(`${to}/pyodide`);
  Deno.writeTextFileSync(`${to}/../import_map.json`, JSON.stringify({ imports: IMPORTS }));
  Deno.mkdirSync(`${to}/../python`);
  Deno.renameSync(`${to}/pyodide/python_stdlib.zip`, `${to}/../python/python_stdlib.zip`);
}

if (import.meta.main) {
  const [from, to] = Deno.args;
  prepare(from, to);
}
