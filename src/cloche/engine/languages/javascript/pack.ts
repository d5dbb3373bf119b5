/** Builds JavaScript's pack: `pack.ts NODE_MODULES TARGET`. */

import { makeQuickJs } from "./build/quickjs.ts";

const [modules, target] = Deno.args;
makeQuickJs(modules, target);
