/** Textual changes to the pinned loader of php-wasm, made once when PHP is fetched. */

const WASM = "import dependencyFilename from './8_4_25/php_8_4.wasm';\nexport { dependencyFilename };";
const INSTANCE = "\t\t\twasmExports = instance.exports;\n";
const VIEWS = "\t\t\tupdateMemoryViews();\n\t\t\tremoveRunDependency('wasm-instantiate');";
const VARIABLES = "\tvar _php_date_get_date_ce,\n";
const ASSIGN = "\tfunction assignWasmExports(wasmExports) {\n";
const ADDRESSES = "\tvar _php_date_global_timezone_db = ";
const IMPORTS = "\tvar wasmImports = {\n";
/** Makes promises of imports; here all of them answer at once. */
const SUSPEND = "\t\tAsyncify.instrumentWasmImports(wasmImports);\n";

/**
 * The loader copies 8,700 exports and addresses at every start, for libraries that are loaded later; there are none
 * here. The functions that it calls itself remain; their names are returned too.
 */
export function patchLoader(source: string): { text: string; asked: string[] } {
  const [head, afterHead] = splitAt(source, WASM);
  const [before, afterInstance] = splitAt(
    splitAt(afterHead, SUSPEND).join(""),
    INSTANCE,
  );
  const [, afterViews] = splitAt(afterInstance, VIEWS);
  const [middle, afterVariables] = splitAt(afterViews, VARIABLES);
  const [, afterAssign] = splitAt(afterVariables, ASSIGN);
  const [assigned, afterAddresses] = splitAt(afterAssign, ADDRESSES);
  const [, rest] = splitAt(afterAddresses, IMPORTS);
  const start = `${head}const dependencyFilename = "";${before}`;
  const instance = "\t\t\twasmExports = instance.exports;\n\t\t\tassignWasmExports(wasmExports);\n";
  const used = new Set((start + middle + rest).match(/[\w$]+/g));
  const kept = readAssigned(assigned).filter(({ names }) => names.some((name) => used.has(name)));
  const names = kept.flatMap((each) => each.names);
  const lines = kept.map((each) => `\t\t${each.names.join(" = ")} = wasmExports["${each.from}"];\n`);
  const assign = `\tvar ${names.join(", ")};\n${ASSIGN}${lines.join("")}\t}\n`;
  const text = `${start}${instance}${VIEWS}${middle}${assign}${IMPORTS}${rest}`;
  return { text, asked: kept.map(({ from }) => from) };
}

interface Assigned {
  names: string[];
  from: string;
}

function readAssigned(text: string): Assigned[] {
  return text.split(";").flatMap((each): Assigned[] => {
    const parts = each.replace(/\s+/g, "").replace(/^}/, "").split("=");
    const from = /^wasmExports\['([\w$]+)'\]$/.exec(parts.pop() ?? "")?.[1];
    return from ? [{ names: parts.filter((part) => /^[\w$]+$/.test(part)), from }] : [];
  });
}

export function splitAt(source: string, by: string): [string, string] {
  const parts = source.split(by);
  if (parts.length !== 2) {
    throw new Error(
      `php-wasm's loader is not the pinned version: '${by.trim()}' occurs ${parts.length - 1} times`,
    );
  }
  return [parts[0], parts[1]];
}
