/** The names of jq's imports and exports, which its package shortens to letters. */

/** By the names that Emscripten gives them. */
export interface JqNames {
  imports: Record<string, string>;
  exports: Record<string, string>;
}

const IMPORTS = /\bwasmImports = \{([^}]*)\}/;
const EXPORTED = /(\w+) = (?:\w+\[\s*"\w+"\s*\] = |\w+ = )?wasmExports2\["(\w+)"\]/g;
const START = /wasmExports\["(\w+)"\]\(\)/;
const STACK = ["alloc", "restore", "get_current"].map((name) => `emscripten_stack_${name}`);
const NEEDED = ["main", "memory", "indirect_function_table", ...STACK, "start"];

/** Reads them from the package's loader, which is not used otherwise. */
export function readNames(loader: string): JqNames {
  const listed = loader.match(IMPORTS)?.[1] ?? "";
  const imports = [...listed.matchAll(/(\w+): (\w+)/g)].map(([, letter, name]) => [plain(name), letter]);
  const exports = [...loader.matchAll(EXPORTED)].map(([, name, letter]) => [plain(name), letter]);
  const start = loader.match(START)?.[1] ?? "";
  const names = { imports: Object.fromEntries(imports), exports: { ...Object.fromEntries(exports), start } };
  const missing = NEEDED.filter((name) => !names.exports[name]);
  if (imports.length === 0 || missing.length > 0) throw new Error(`jq's loader has changed: ${missing.join(", ")}`);
  return names;
}

function plain(name: string): string {
  return name.replace(/^_+/, "");
}
