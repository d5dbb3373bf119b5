/** The patched pyodide.asm.mjs of the assets, which the import map leads to. */

import type { CreateModule } from "./types.ts";

declare const create: CreateModule;
export default create;
