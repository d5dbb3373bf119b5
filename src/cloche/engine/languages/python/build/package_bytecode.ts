/**
 * Compiles the modules of packages, trusted and without a guest: `package_bytecode.ts ASSETS SNAPSHOT FOLDER SOURCE...`.
 *
 * Each SOURCE is the archive of a package; FOLDER gets copies with the bytecode of their modules: `0.zip`, `1.zip`...
 * If one cannot be made, its number is missing and the exit code is 1.
 */

import { MemoryBudget } from "../../../worker/memory_budget.ts";
import create from "pyodide-asm";
import { mountFolder } from "../../../build/mount_folder.ts";
import { PackageFiles, PACKAGES } from "../../../fs/packages.ts";
import { openAsset } from "../../../platform/deno/assets.ts";
import { LIBRARY, SITE, startPyodide } from "../pyodide/start.ts";

const OUT = "/opt/out";
const UNFINISHED = "unfinished";
const MEMORY = 1 << 30;

const [assets, snapshot, folder, ...sources] = Deno.args;

const packages = new PackageFiles(openAsset);
const pyodide = await startPyodide({
  create,
  module: await WebAssembly.compile(Deno.readFileSync(`${assets}/node_modules/pyodide/pyodide.asm.wasm`)),
  folders: [mountFolder(LIBRARY, `${assets}/python`, true), mountFolder(OUT, folder, false)],
  archives: { [PACKAGES]: packages, [SITE]: new PackageFiles(openAsset) },
  memory: { limit: MEMORY, budget: new MemoryBudget(), number: 0 },
  snapshot: openAsset(snapshot),
});
pyodide.runPython(Deno.readTextFileSync(new URL("./compile_package.py", import.meta.url)));
let failed = 0;
for (const [index, source] of sources.entries()) {
  try {
    packages.set([{ name: source, version: "", path: source }]);
    pyodide.runPython(`build("${PACKAGES}", "${OUT}/${UNFINISHED}")`);
    Deno.renameSync(`${folder}/${UNFINISHED}`, `${folder}/${index}.zip`);
  } catch (error) {
    failed = 1;
    console.error(`${source}: ${error instanceof Error ? error.message : error}`);
  }
}
Deno.exit(failed);
