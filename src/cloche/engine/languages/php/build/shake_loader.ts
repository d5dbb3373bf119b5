/** Removes unused functions from php-wasm's loader: parsing them costs more time than running the rest. */

import { splitAt } from "./loader_patch.ts";

const BODY = "export function init(RuntimeName, PHPLoader) {\n";
/** Statements of the loader begin with a tab and something that does not end another one. */
const STATEMENT = /^\t(?![\t\s})\]])/;
const COMMENT = /^[ \t]*(?:\/\/.*|\/\*(?:[^*]|\*(?!\/))*\*\/)[ \t]*\n/gm;
const DECLARES = /^\t(?:var|let|const|class|(?:async )?function) ([\w$]+)/;
const SEVERAL = /^\tvar ((?:[\w$]+,\s*)+[\w$]+);/;
const PART = /^\t([\w$]+)(?:\.(\w+)|\['(\w+)'\]) = /;
/** What the engine uses of the loader. */
const OFFERED = ["FS", "UTF8ToString"];
const IMPORTS = /^\tvar wasmImports = \{\n([^}]*)\};/m;
/** Libraries that are loaded later, sockets, pipes, and folders of php-wasm's own. */
const UNWANTED = [
  "\t\t\t'GOT.mem': new Proxy(wasmImports, GOTHandler),\n\t\t\t'GOT.func': new Proxy(wasmImports, GOTHandler),\n",
  "\t\tSOCKFS.root = FS.mount(SOCKFS, {}, null);\n\t\tPIPEFS.root = FS.mount(PIPEFS, {}, null);\n",
  "\tregisterWasmPlugin();\n",
  "\tPHPWASM.init();\n",
  "\tFS.createPreloadedFile = FS_createPreloadedFile;\n\tFS.preloadFile = FS_preloadFile;\n",
  "\tDNS.address_map.addrs.localhost = '127.0.0.1';\n",
  ", PROXYFS",
];
/** Statements that only such things need. */
const NEEDLESS = /^\tif \((?:PHPLoader\.debug|typeof NODEFS)/;
/** Patterns with names of functions in them. */
const PATTERN = /^\s*\/\^.*$/gm;

interface Statement {
  text: string;
  names: string[];
}

/** `imports` are the loader's functions that the module gets. */
export function shakeLoader(source: string, imports: readonly string[]): string {
  const text = UNWANTED.reduce(
    (rest, each) => splitAt(rest, each).join(""),
    source.replace(COMMENT, ""),
  );
  const [head, body] = splitAt(withImports(text, new Set(imports)), BODY);
  const statements = body.split("\n").reduce<string[]>((all, line) => {
    if (STATEMENT.test(line) || all.length === 0) all.push(line);
    else all.push(`${all.pop()}\n${line}`);
    return all;
  }, []).map(read).filter((each) => each !== null);
  return head + BODY + reachable(statements).map(({ text }) => text).join("\n");
}

function withImports(text: string, wanted: ReadonlySet<string>): string {
  const list = IMPORTS.exec(text)?.[1];
  if (!list) {
    throw new Error(
      "php-wasm's loader is not the pinned version: it has no list of imports",
    );
  }
  const entries = [...list.matchAll(/([\w$]+)(?:\s*:\s*([\w$]+))?,/g)].map((
    [, name, value],
  ) => [name, value ?? name]);
  const kept = entries.filter(([name]) => wanted.has(name));
  if (kept.length !== wanted.size) {
    throw new Error("php-wasm's loader does not have every import");
  }
  return text.replace(
    list,
    () => kept.map(([name, value]) => `\t\t${name}: ${value},\n`).join("") + "\t",
  );
}

/** Null for a statement that is not wanted; without names for one that is run. */
function read(text: string): Statement | null {
  if (NEEDLESS.test(text)) return null;
  const part = PART.exec(text);
  if (part) {
    const [, whole, property, name] = part;
    if (whole === "Module" || whole === "PHPLoader") {
      return OFFERED.includes(name) ? { text, names: [] } : null;
    }
    // Types for libraries that are loaded later.
    return property === "sig" || property === "isAsync" ? null : { text, names: [whole] };
  }
  const several = SEVERAL.exec(text)?.[1].split(/,\s*/);
  const name = DECLARES.exec(text)?.[1];
  return { text, names: several ?? (name ? [name] : []) };
}

function reachable(statements: Statement[]): Statement[] {
  const seen = new Set<string>();
  const kept = new Set<Statement>();
  for (let before = -1; before !== kept.size;) {
    before = kept.size;
    for (const each of statements) {
      if (
        kept.has(each) ||
        each.names.length > 0 && !each.names.some((name) => seen.has(name))
      ) continue;
      kept.add(each);
      for (
        const name of each.text.replace(PATTERN, "").match(/[\w$]+/g) ?? []
      ) seen.add(name);
    }
  }
  return statements.filter((each) => kept.has(each));
}
