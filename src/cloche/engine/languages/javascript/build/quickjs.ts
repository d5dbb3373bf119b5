/** Builds what QuickJS needs: the module with its checks, and the guest library with fflate in it, compiled. */

import { STRIP_SOURCE } from "../quickjs/exports.ts";
import { Vm } from "../quickjs/vm.ts";
import { meterModule } from "../../../wasm/meter.ts";
import { copyFiles, packageFolder } from "../../../build/npm_files.ts";

const PROGRAM = "quickjs.wasm";
const LIBRARY = "guest.bin";
const FIRST = "boot";
const MEMORY = 512 << 20;
const GUEST = new URL("../guest/", import.meta.url);
const OPEN = "(function (module, exports, require, host, core) {";

export function makeQuickJs(modules: string, target: string): void {
  copyFiles(modules, "quickjs-wasi", target, { [PROGRAM]: PROGRAM });
  const wasm = meterModule(Deno.readFileSync(`${target}/${PROGRAM}`), { memory: MEMORY }) as Uint8Array<
    ArrayBuffer
  >;
  Deno.writeFileSync(`${target}/${PROGRAM}`, wasm);
  copyFiles(modules, "fflate", target, {});
  const inflate = Deno.readTextFileSync(`${packageFolder(modules, "fflate")}/lib/browser.cjs`);
  const sources = guestModules().set("internal/fflate", inflate);
  Deno.writeFileSync(`${target}/${LIBRARY}`, library(new WebAssembly.Module(wasm), sources));
}

/** All modules in one file, after a list of their positions. */
function library(module: WebAssembly.Module, sources: Map<string, string>): Uint8Array {
  const vm = idle(module);
  const parts = [...sources].map(([name, source]) => [name, compiled(vm, name, source)] as const);
  let at = 0;
  const places = parts.map(([name, code]) => {
    at += code.length;
    return [name, [at - code.length, code.length]];
  });
  const head = new TextEncoder().encode(JSON.stringify(Object.fromEntries(places)));
  const all = new Uint8Array(4 + head.length + at);
  new DataView(all.buffer).setUint32(0, head.length, true);
  all.set(head, 4);
  at = 4 + head.length;
  for (const [, code] of parts) {
    all.set(code, at);
    at += code.length;
  }
  return all;
}

/** The guest's modules by name: in the folder of its group, a module lies at the path that programs require. */
function guestModules(): Map<string, string> {
  const modules = new Map([[FIRST, Deno.readTextFileSync(new URL(`${FIRST}.js`, GUEST))]]);
  for (const group of listFolder(GUEST).filter(({ isDirectory }) => isDirectory)) {
    for (const [name, source] of readModules(new URL(`${group.name}/`, GUEST))) {
      if (modules.has(name)) throw new Error(`two groups have ${name}.js`);
      modules.set(name, source);
    }
  }
  return modules;
}

function readModules(group: URL, folder = ""): [name: string, source: string][] {
  return listFolder(new URL(folder, group)).flatMap(({ name, isDirectory }) => {
    const path = `${folder}${name}`;
    if (isDirectory) return readModules(group, `${path}/`);
    return [[path.replace(/\.js$/, ""), Deno.readTextFileSync(new URL(path, group))]];
  });
}

function listFolder(folder: URL): Deno.DirEntry[] {
  return [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
}

function compiled(vm: Vm, name: string, source: string): Uint8Array {
  try {
    return vm.compile(name === FIRST ? source : `${OPEN}${source}\n})`, `node:${name}`, STRIP_SOURCE);
  } catch {
    throw new Error(`${name}.js cannot be compiled`);
  }
}

/** A QuickJS that only compiles. */
function idle(module: WebAssembly.Module): Vm {
  const hooks = {
    functions: {},
    interrupt: () => false,
    killed: () => false,
    rejected: () => {},
    normalize: (_: string, name: string) => name,
    load: () => "",
  };
  return new Vm(module, hooks, { memory: MEMORY, stack: 1 << 18 });
}
