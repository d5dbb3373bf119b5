/** The patched pyodide.asm.mjs of the assets, which the import map leads to. */

import type { CreateModule, LockInfo } from "./types.ts";

declare const create: CreateModule;
export default create;
/** What the package's own files say of it; added when the assets are made. */
export declare const lockInfo: LockInfo;
