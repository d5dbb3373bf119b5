/** Builds TypeScript's pack: JavaScript's files, and swc to strip types: `pack.ts NODE_MODULES TARGET`. */

import { meterModule } from "../../wasm/meter.ts";
import { copyFiles } from "../../build/npm_files.ts";
import { makeQuickJs } from "../javascript/build/quickjs.ts";

const PACKAGE = "@swc/wasm-typescript";
const PROGRAM = "swc.wasm";
const GLUE = "swc.js";
const MEMORY = 256 << 20;
/** The module is text in the package's only file. */
const EMBEDDED =
  /const \{ Buffer \} = require\('node:buffer'\);\s*const bytes = Buffer\.from\('([A-Za-z\d+/=]+)', 'base64'\);/;
const START = /const wasmModule = new WebAssembly\.Module\(bytes\);/;

/** The same as a function that is given the module. */
function patched(source: string): string {
  const [before, rest] = source.replace(EMBEDDED, "").split(START);
  if (rest === undefined) throw new Error(`${PACKAGE} is not laid out as expected`);
  const glue = before.replace("const { TextDecoder, TextEncoder } = require(`util`);", "");
  const end = rest.replace(
    /module\.exports\.__wasm = wasm;/,
    "return { transform: module.exports.transformSync, instance: wasmInstance };",
  );
  return `export function start(wasmModule) {\nconst module = { exports: {} };\n${glue}${end}}\n`;
}

const [modules, target] = Deno.args;
makeQuickJs(modules, target);
copyFiles(modules, PACKAGE, target, { "wasm.js": GLUE });
const source = Deno.readTextFileSync(`${target}/${GLUE}`);
const wasm = Uint8Array.from(atob(EMBEDDED.exec(source)?.[1] ?? ""), (char) => char.charCodeAt(0));
Deno.writeFileSync(`${target}/${PROGRAM}`, meterModule(wasm, { memory: MEMORY }));
Deno.writeTextFileSync(`${target}/${GLUE}`, patched(source));
