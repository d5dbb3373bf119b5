/** Builds Lua's pack: wasmoon's module without its JavaScript, which would let Lua reach objects of the engine. */

import { FIXED_LIMITS } from "../../limits.ts";
import { meterModule } from "../../wasm/meter.ts";
import { copyFiles } from "../../build/npm_files.ts";

const MEMORY = 256 << 20;

const [modules, target] = Deno.args;
copyFiles(modules, "wasmoon", target, { "dist/glue.wasm": "lua.wasm" });
const { dataLimit, dataDepth, dataValues } = FIXED_LIMITS;
const prelude = Deno.readTextFileSync(new URL("./guest/prelude.lua", import.meta.url));
Deno.writeTextFileSync(
  `${target}/prelude.lua`,
  `local LENGTH, NESTED, VALUES = ${dataLimit}, ${dataDepth}, ${dataValues}\n${prelude}`,
);
Deno.writeFileSync(`${target}/lua.wasm`, meterModule(Deno.readFileSync(`${target}/lua.wasm`), { memory: MEMORY }));
