/** Builds SQL's pack: SQLite's module as its authors build it, without their JavaScript and its file systems. */

import { meterModule } from "../../wasm/meter.ts";
import { copyFiles } from "../../build/npm_files.ts";

const NAME = "@sqlite.org/sqlite-wasm";
/** The package contains no licence file. */
const LICENCE = "SQLite is in the public domain. Its build for WebAssembly is licensed under the Apache License 2.0.\n";

const [modules, target] = Deno.args;
copyFiles(modules, NAME, target, { "dist/sqlite3.wasm": "sqlite3.wasm" });
Deno.writeFileSync(`${target}/sqlite3.wasm`, meterModule(Deno.readFileSync(`${target}/sqlite3.wasm`)));
Deno.mkdirSync(`${target}/licences`, { recursive: true });
Deno.writeTextFileSync(`${target}/licences/sqlite.txt`, LICENCE);
