/** Builds the Python snapshot, trusted and without a guest: `snapshot.ts ASSETS TARGET`. */

import create from "pyodide-asm";
import { mountFolder } from "../../../build/mount_folder.ts";
import { PackageFiles, PACKAGES } from "../../../fs/packages.ts";
import { openAsset } from "../../../platform/deno/assets.ts";
import { FIXED_LIMITS, RUN_LIMITS } from "../../../limits.ts";
import { LIBRARY, SITE, startPyodide } from "../pyodide/start.ts";
import { packSnapshot } from "../pyodide/snapshot.ts";
import { clearFreedMemory } from "../pyodide/clear_memory.ts";
import type { Pyodide } from "../pyodide/types.ts";

const GUEST = "/opt/guest";
const [assets, target] = Deno.args;

function boot(pyodide: Pyodide): void {
  pyodide.runPython(`
import sys
sys.dont_write_bytecode = True
sys.path[:0] = ["${GUEST}"]
sys.path += ["${PACKAGES}", "${SITE}"]
import cloche_guest.boot
cloche_guest.boot.prepare('${JSON.stringify({ ...FIXED_LIMITS, ...RUN_LIMITS })}')
import gc
# The functions that sealed the interpreter are freed only after their frames are gone: collect several times.
for _ in range(3): gc.collect()
# Later collections pass over what is in the snapshot: cells are quicker and more even.
gc.freeze()
sys.path.remove("${GUEST}")
`);
}

const guest = decodeURIComponent(new URL("../guest", import.meta.url).pathname);
const site = [{ name: "site", version: "", path: `${assets}/python/site.zip` }];
const pyodide = await startPyodide({
  create,
  // The original module: sealing the interpreter needs exports that are hidden later.
  module: await WebAssembly.compile(Deno.readFileSync(`${assets}/node_modules/pyodide/pyodide.asm.wasm`)),
  folders: [mountFolder(LIBRARY, `${assets}/python`, true), mountFolder(GUEST, guest, true)],
  archives: { [PACKAGES]: new PackageFiles(openAsset), [SITE]: new PackageFiles(openAsset, site) },
});
boot(pyodide);
clearFreedMemory(pyodide._module);
const file = Deno.openSync(target, { write: true, createNew: true });
for (const part of packSnapshot(pyodide._module, () => null)) {
  for (let done = 0; done < part.length;) done += file.writeSync(part.subarray(done));
}
file.close();
Deno.exit(0);
