/**
 * Builds Ruby's pack: its library as one archive, and the interpreter as it is after its start, so that no sandbox
 * has to start it again: `pack.ts NODE_MODULES TARGET`.
 */

import { Tree } from "../../fs/tree.ts";
import { FIXED_LIMITS } from "../../limits.ts";
import { Machine } from "./machine/machine.ts";
import { SCRATCH, SCRATCH_END } from "./machine/memory_layout.ts";
import type { SignalFacts } from "./machine/signals.ts";
import { readSections, SECTION } from "../../wasm/format.ts";
import { meterProgram } from "../../wasm/meter.ts";
import { copyFiles, packageFolder } from "../../build/npm_files.ts";
import { exposeGlobals, freezeProgram } from "../../build/freeze_program.ts";
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
const program = deepenStack(Deno.readFileSync(`${dist}/ruby.wasm`), names);
const exposed = new WebAssembly.Module(exposeGlobals(program) as Uint8Array<ArrayBuffer>);
const machine = new Machine(
  exposed,
  wasiFor(new Tree([libraryFolder(library)]), (data) => Deno.stdout.writeSync(data)),
);
machine.start(["ruby", "-EUTF-8", "-e_=0"]);
const limits = [FIXED_LIMITS.dataLimit, FIXED_LIMITS.dataDepth, FIXED_LIMITS.dataValues];
if (!machine.run(`module Cloche; DATA_LIMITS = ${JSON.stringify(limits)}.freeze; end`)) throw new Error("no limits");
const guest = new URL("./guest/boot/", import.meta.url);
for (const name of [...Deno.readDirSync(guest)].map(({ name }) => name).sort()) {
  const text = JSON.stringify(Deno.readTextFileSync(new URL(name, guest))).replaceAll("#", "\\#");
  const file = `<internal:cloche>/${name}`;
  if (!machine.run(`RubyVM::InstructionSequence.compile(${text}, "${file}").eval`)) throw new Error(`${name} failed`);
}
new Uint8Array(machine.memory.buffer).fill(0, SCRATCH, SCRATCH_END);
const frozen = freezeProgram(program, machine.instance);
const metered = meterProgram(frozen, { memory: MEMORY });
Deno.writeFileSync(`${target}/ruby.wasm`, metered);

const signals = findSignals(exposed);
proveSignals(new WebAssembly.Module(metered as Uint8Array<ArrayBuffer>), signals);
const used = readSections(frozen).find(({ id }) => id === SECTION.data)?.body.length ?? 0;
const facts: SignalFacts = { ...signals, idle: machine.memory.buffer.byteLength - used };
Deno.writeTextFileSync(`${target}/ruby.json`, JSON.stringify(facts));
