/** Builds R's pack: its module with a clock, its files in one archive, and its memory once it has started. */

import { PackageMount } from "../../fs/package_mount.ts";
import { PackageFiles } from "../../fs/packages.ts";
import { meterModule } from "../../wasm/meter.ts";
import { copyFiles, packageFolder } from "../../build/npm_files.ts";
import { writeZip } from "../../build/zip_writer.ts";
import { emptyData } from "../../wasm/initial_memory.ts";
import { isWanted, placeFiles, readImages } from "./build/home_files.ts";
import { type Parts, type RModule, type RVmServices, startVm } from "./vm/vm.ts";
import { patchScript } from "./build/script_patch.ts";
import { packSnapshot } from "./vm/snapshot.ts";
import { bootR, ENVIRONMENT, PRELUDE } from "./build/boot.ts";

/** The most bytes that R can ever be allowed. */
const MEMORY = 1 << 30;
const BESIDE = ["libRblas.so", "libRlapack.so"];

const WORLD: RVmServices = {
  write: (stream, data) => void (stream === "stderr" ? Deno.stderr : Deno.stdout).writeSync(data),
  read: () => 0,
  readLine: () => null,
  poll: () => {},
  call: (module) => module.getValue(module._R_NilValue, "i32"),
  check: () => 0,
};

const [modules, target] = Deno.args;
const folder = `${packageFolder(modules, "webr")}/dist`;
copyFiles(modules, "webr", target, {});

const wasm = Deno.readFileSync(`${folder}/R.wasm`);
const libraries = new Map(
  BESIDE.map((name) => [name, meterModule(Deno.readFileSync(`${folder}/${name}`))]),
);
const files = readImages(`${folder}/vfs`);
/** The addresses of files in R's memory, where they are not needed. */
const spans: { at: number; length: number }[] = [];

const compiled = await WebAssembly.compile(wasm);
const names = WebAssembly.Module.exports(compiled).map(({ name }) => name);
const script = `${target}/R.mjs`;
Deno.writeTextFileSync(
  script,
  patchScript(Deno.readTextFileSync(`${folder}/R.js`), names, new Set()),
);
await findEmbedded();
for (const [path, data] of files) {
  if (path.endsWith(".so")) files.set(path, meterModule(data));
}
Deno.writeTextFileSync(
  script,
  patchScript(
    Deno.readTextFileSync(`${folder}/R.js`),
    names,
    await neededImports(),
  ),
);

const archive = writeZip(placeFiles(files));
Deno.writeFileSync(`${target}/home.zip`, archive);
for (const [name, data] of libraries) {
  Deno.writeFileSync(`${target}/${name}`, data);
}
const metered = meterModule(wasm, { memory: MEMORY });
await writeSnapshot();
Deno.writeFileSync(`${target}/R.wasm`, emptyData(metered));

async function writeSnapshot(): Promise<void> {
  const memory = new PackageFiles(() => ({
    size: archive.length,
    read: (into, position) => into.set(archive.subarray(position, position + into.length)),
    close: () => {},
  }));
  memory.set([{ name: "R", version: "", path: "home.zip" }], 0);
  const vm = await startVm({
    ...await plainParts(metered),
    mount: (module) => void new PackageMount(module, { "/usr": memory }),
    readLibrary: (module, path) => module.FS.readFile(path),
  });
  const guest = new URL("./guest/", import.meta.url);
  const prelude = PRELUDE.map((name) => Deno.readTextFileSync(new URL(name, guest)));
  bootR(vm, prelude.join("\n"));
  for (const { at, length } of spans) {
    vm.module.HEAPU8.fill(0, at, at + length);
  }
  const file = Deno.openSync(`${target}/snapshot`, {
    write: true,
    create: true,
    truncate: true,
  });
  for (const part of packSnapshot(vm.module, vm.memo)) {
    write(file, part);
  }
  file.close();
}

function write(file: Deno.FsFile, data: Uint8Array): void {
  for (let done = 0; done < data.length;) {
    done += file.writeSync(data.subarray(done));
  }
}

/** Collects the files within the module, which it reports when it starts. */
async function findEmbedded(): Promise<void> {
  await startVm({ ...await plainParts(wasm), embedded });
  function embedded(
    module: RModule,
    name: string,
    at: number,
    length: number,
  ): void {
    spans.push({ at, length });
    const place = name.replace(/^\//, "");
    if (isWanted(place)) files.set(place, module.HEAPU8.slice(at, at + length));
  }
}

/** What the module and its libraries import of JavaScript. */
async function neededImports(): Promise<Set<string>> {
  const others = [...files].filter(([path]) => path.endsWith(".so")).map((
    [, data],
  ) => data);
  const all = await Promise.all(
    [...libraries.values(), ...others].map((each) => WebAssembly.compile(each as BufferSource)),
  );
  const imports = [compiled, ...all].flatMap((each) => WebAssembly.Module.imports(each));
  return new Set(imports.map(({ name }) => name));
}

async function plainParts(bytes: Uint8Array): Promise<Parts> {
  // A different address each time, because the script has been rewritten.
  const { default: create } = await import(`file://${script}?${bytes.length}`);
  return {
    create,
    module: await WebAssembly.compile(bytes as BufferSource),
    world: WORLD,
    readBinary: (name) => libraries.get(name) ?? Deno.readFileSync(`${folder}/${name}`),
    readLibrary: () => new Uint8Array(0),
    mount: () => {},
    env: ENVIRONMENT,
    limit: MEMORY,
  };
}
