/** Builds Lua's pack: wasmoon's program without its JavaScript, which would let Lua reach objects of the engine. */

import { meterProgram } from "../../wasm/meter.ts";
import { copyFiles } from "../../build/npm_files.ts";

const MEMORY = 256 << 20;

const [modules, target] = Deno.args;
copyFiles(modules, "wasmoon", target, { "dist/glue.wasm": "lua.wasm" });
Deno.copyFileSync(new URL("./guest/prelude.lua", import.meta.url), `${target}/prelude.lua`);
Deno.writeFileSync(`${target}/lua.wasm`, meterProgram(Deno.readFileSync(`${target}/lua.wasm`), { memory: MEMORY }));
