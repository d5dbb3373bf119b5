/** Gives the standard library its bytecode, trusted and without a guest: `stdlib_bytecode.ts ASSETS SOURCE TARGET`. */

import create from "pyodide-asm";
import { mountFolder } from "../../../build/mount_folder.ts";
import { PackageFiles, PACKAGES } from "../../../fs/packages.ts";
import { openAsset } from "../../../platform/deno/assets.ts";
import { LIBRARY, SITE, startPyodide } from "../pyodide/start.ts";

const OUT = "/opt/out";
const [assets, source, target] = Deno.args;

const pyodide = await startPyodide({
  create,
  module: await WebAssembly.compile(Deno.readFileSync(`${assets}/node_modules/pyodide/pyodide.asm.wasm`)),
  folders: [mountFolder(LIBRARY, source, true), mountFolder(OUT, target, false)],
  archives: { [PACKAGES]: new PackageFiles(openAsset), [SITE]: new PackageFiles(openAsset) },
});
pyodide.runPython(Deno.readTextFileSync(new URL("./compile_stdlib.py", import.meta.url)));
pyodide.runPython(`build("${LIBRARY}/python_stdlib.zip", "${OUT}/python_stdlib.zip")`);
Deno.exit(0);
