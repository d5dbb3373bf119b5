/**
 * Lists our changes to Pyodide that no longer fit a new version of it: `check_patches.ts NODE_MODULES`.
 *
 * Prints a line for each; the exit code is 1 if there are any.
 */

import { askedExports, findMisfits, patchAsm } from "../pyodide/asm_patch.ts";
import { hideExports, takeData } from "../pyodide/lean_module.ts";
import { packageFolder } from "../../../build/npm_files.ts";

const PYTHON = new URL("../pyodide/", import.meta.url);
/** Parts of Pyodide that types.ts names; what its modules add themselves is not among them. */
const INSIDE = /^export interface (?:PyodideModule|PyodideApi|Pyodide) .*?^}/gms;
const MEMBER = /^ {2}(\w+)[?(:]/gm;
const OWN = ["fillTable"];
const FILES = ["pyodide.asm.mjs", "pyodide.mjs"];

function findMissingNames(source: string): string[] {
  const types = Deno.readTextFileSync(new URL("types.ts", PYTHON));
  const names = (types.match(INSIDE) ?? []).flatMap((each) => Array.from(each.matchAll(MEMBER), ([, name]) => name));
  const words = new Set(source.match(/[\w$]+/g));
  return names.filter((name) => !words.has(name) && !OWN.includes(name));
}

function findModuleMisfits(source: string, wasm: Uint8Array): string[] {
  try {
    takeData(hideExports(wasm, askedExports(patchAsm(source))).wasm);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function findAll(folder: string): string[] {
  const missing = FILES.filter((name) => !isFile(`${folder}/${name}`));
  if (missing.length > 0) return missing.map((name) => `asm_patch.ts does not fit: Pyodide has no file ${name}`);
  const [source, loader] = FILES.map((name) => Deno.readTextFileSync(`${folder}/${name}`));
  const misfits = findMisfits(source);
  // The module is changed as the patched source asks.
  const wasm = misfits.length > 0 ? [] : findModuleMisfits(source, Deno.readFileSync(`${folder}/pyodide.asm.wasm`));
  return [
    ...misfits.map((each) => `asm_patch.ts does not fit: ${each}`),
    ...wasm.map((each) => `lean_module.ts does not fit: ${each}`),
    ...findMissingNames(source + loader).map((name) => `types.ts names ${name}, which Pyodide does not have`),
  ];
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

const found = findAll(packageFolder(Deno.args[0], "pyodide"));
for (const each of found) console.log(`languages/python/pyodide/${each}`);
Deno.exit(found.length > 0 ? 1 : 0);
