/**
 * Compiles the modules of packages, trusted and without a guest: `compile.ts ASSETS SNAPSHOT SOURCE FOLDER`.
 *
 * SOURCE is the archive of a package; FOLDER gets `compiled.zip`, the same with the bytecode of its modules.
 */

import create from "pyodide-asm";
import { FolderFiles } from "./fs/folder.ts";
import { PackageFiles, PACKAGES } from "./fs/packages.ts";
import { Quota } from "./fs/quota.ts";
import { openAsset } from "./host/assets.ts";
import { DenoFiles } from "./host/files.ts";
import { LIBRARY, SITE, startMachine } from "./pyodide/machine.ts";

const OUT = "/opt/out";
const MEMORY = 1 << 30;

const [assets, snapshot, source, folder] = Deno.args;

function hostFolder(target: string, host: string, readOnly: boolean): FolderFiles {
  const files = new DenoFiles(() => "EROFS");
  return new FolderFiles({ target, host, readOnly }, files, new Quota(new SharedArrayBuffer(8), 2 ** 40));
}

const program = Deno.readTextFileSync(new URL("./guest/compiling.py", import.meta.url));
const pyodide = await startMachine({
  create,
  module: await WebAssembly.compile(Deno.readFileSync(`${assets}/node_modules/pyodide/pyodide.asm.wasm`)),
  folders: [hostFolder(LIBRARY, `${assets}/python`, true), hostFolder(OUT, folder, false)],
  archives: {
    [PACKAGES]: new PackageFiles(openAsset, [{ name: source, version: "", path: source }]),
    [SITE]: new PackageFiles(openAsset),
  },
  memory: MEMORY,
  snapshot: openAsset(snapshot),
});
pyodide.runPython(`${program}\nbuild("${PACKAGES}", "${OUT}/compiled.zip")`);
Deno.exit(0);
