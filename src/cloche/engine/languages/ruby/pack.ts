/**
 * Builds Ruby's pack: its library as one archive, and the interpreter as it is after its start, so that no sandbox
 * has to start it again: `pack.ts NODE_MODULES TARGET`.
 */

import { Tree } from "../../fs/tree.ts";
import { FIXED_LIMITS } from "../../limits.ts";
import { Vm } from "./vm/vm.ts";
import { SCRATCH, SCRATCH_END } from "./vm/memory_layout.ts";
import type { SignalFacts } from "./vm/signals.ts";
import { readSections, SECTION } from "../../wasm/format.ts";
import { meterModule } from "../../wasm/meter.ts";
import { copyFiles, packageFolder } from "../../build/npm_files.ts";
import { exposeGlobals, freezeModule } from "../../build/freeze_module.ts";
import { writeZip } from "../../build/zip_writer.ts";
import { deepenStack } from "./build/deepen_stack.ts";
import { libraryFolder, readLibrary, wasiFor } from "./build/stdlib.ts";
import { functionNames } from "./build/function_names.ts";
import { findSignals, proveSignals } from "./build/find_signals.ts";

const PACKAGE = "@ruby/4.0-wasm-wasi";
/** 300 MB of it are Ruby's tables before its start, which are never used. */
const MEMORY = 848 << 20;

const [modules, target] = Deno.args;
copyFiles(modules, PACKAGE, target, { "dist/NOTICE": "licences/ruby-notice.txt", "dist/LICENSE": "licences/ruby.txt" });
const dist = `${packageFolder(modules, PACKAGE)}/dist`;

const files = readLibrary(Deno.readFileSync(`${dist}/ruby+stdlib.wasm`));
const added = new URL("./guest/library/", import.meta.url);
for (const { name } of Deno.readDirSync(added)) {
  files.set(`4.0.0/${name}`, Deno.readFileSync(new URL(name, added)));
}
// Its methods are part of Ruby by now, but libraries require it.
files.set("4.0.0/io/wait.rb", new Uint8Array(0));
const library = writeZip(files);
Deno.writeFileSync(`${target}/library.zip`, library);

const names = functionNames(Deno.readFileSync(`${dist}/ruby.debug+stdlib.wasm`));
const wasm = deepenStack(Deno.readFileSync(`${dist}/ruby.wasm`), names);
const exposed = new WebAssembly.Module(exposeGlobals(wasm) as Uint8Array<ArrayBuffer>);
const vm = new Vm(
  exposed,
  wasiFor(new Tree([libraryFolder(library)]), (data) => Deno.stdout.writeSync(data)),
);
vm.start(["ruby", "-EUTF-8", "-e_=0"]);
const limits = [FIXED_LIMITS.dataLimit, FIXED_LIMITS.dataDepth, FIXED_LIMITS.dataValues];
if (!vm.run(`module Cloche; DATA_LIMITS = ${JSON.stringify(limits)}.freeze; end`)) throw new Error("no limits");
const guest = new URL("./guest/boot/", import.meta.url);
for (const name of [...Deno.readDirSync(guest)].map(({ name }) => name).sort()) {
  const text = JSON.stringify(Deno.readTextFileSync(new URL(name, guest))).replaceAll("#", "\\#");
  const file = `<internal:cloche>/${name}`;
  if (!vm.run(`RubyVM::InstructionSequence.compile(${text}, "${file}").eval`)) throw new Error(`${name} failed`);
}
new Uint8Array(vm.memory.buffer).fill(0, SCRATCH, SCRATCH_END);
const frozen = freezeModule(wasm, vm.instance);
const metered = meterModule(frozen, { memory: MEMORY });
Deno.writeFileSync(`${target}/ruby.wasm`, metered);

const signals = findSignals(exposed);
proveSignals(new WebAssembly.Module(metered as Uint8Array<ArrayBuffer>), signals);
const used = readSections(frozen).find(({ id }) => id === SECTION.data)?.body.length ?? 0;
const facts: SignalFacts = { ...signals, idle: vm.memory.buffer.byteLength - used };
Deno.writeTextFileSync(`${target}/ruby.json`, JSON.stringify(facts));
