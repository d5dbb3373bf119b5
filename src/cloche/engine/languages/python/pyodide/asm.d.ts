/** The patched pyodide.asm.mjs of the assets, found through the import map. */

import type { CreateModule, LockInfo } from "./types.ts";

declare const create: CreateModule;
export default create;
/** The versions that the package's own files state; added when the assets are built. */
export declare const lockInfo: LockInfo;
