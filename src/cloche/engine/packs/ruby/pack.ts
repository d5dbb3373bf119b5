/**
 * Makes the pack of Ruby: its library as one archive, and the interpreter as it stands once it has started, so that
 * nobody has to wait for that again.
 */

import { Tree } from "../../fs/tree.ts";
import { Machine } from "../../ruby/machine.ts";
import type { Facts } from "../../ruby/signals.ts";
import { readSections, SECTION } from "../../wasm/format.ts";
import { meter } from "../../wasm/meter.ts";
import { copyFiles, packageFolder } from "../copy.ts";
import { exposeGlobals, freeze } from "./freeze.ts";
import { libraryFolder, readLibrary, wasiFor } from "./library.ts";
import { findSignals, proveSignals } from "./signals.ts";
import { zip } from "./zip.ts";

const PACKAGE = "@ruby/4.0-wasm-wasi";
/** Where Ruby keeps its tables before it has started takes 300 MB that nobody ever touches. */
const MEMORY = 848 << 20;

const [modules, target] = Deno.args;
copyFiles(modules, PACKAGE, target, { "dist/NOTICE": "licences/ruby-notice.txt", "dist/LICENSE": "licences/ruby.txt" });
const dist = `${packageFolder(modules, PACKAGE)}/dist`;

const files = readLibrary(Deno.readFileSync(`${dist}/ruby+stdlib.wasm`));
files.set("4.0.0/open3.rb", Deno.readFileSync(new URL("./open3.rb", import.meta.url)));
const library = zip(files);
Deno.writeFileSync(`${target}/library.zip`, library);

const program = Deno.readFileSync(`${dist}/ruby.wasm`);
const exposed = new WebAssembly.Module(exposeGlobals(program) as Uint8Array<ArrayBuffer>);
const machine = new Machine(
  exposed,
  wasiFor(new Tree([libraryFolder(library)]), (data) => Deno.stdout.writeSync(data)),
);
machine.start(["ruby", "-EUTF-8", "-e_=0"]);
const guest = new URL("./guest/", import.meta.url);
for (const name of [...Deno.readDirSync(guest)].map(({ name }) => name).sort()) {
  const text = JSON.stringify(Deno.readTextFileSync(new URL(name, guest))).replaceAll("#", "\\#");
  const file = `<internal:cloche>/${name}`;
  if (!machine.run(`RubyVM::InstructionSequence.compile(${text}, "${file}").eval`)) throw new Error(`${name} failed`);
}
const frozen = freeze(program, machine.instance);
const metered = meter(frozen, { memory: MEMORY });
Deno.writeFileSync(`${target}/ruby.wasm`, metered);

const signals = findSignals(exposed);
proveSignals(new WebAssembly.Module(metered as Uint8Array<ArrayBuffer>), signals);
const used = readSections(frozen).find(({ id }) => id === SECTION.data)?.body.length ?? 0;
const facts: Facts = { ...signals, idle: machine.memory.buffer.byteLength - used };
Deno.writeTextFileSync(`${target}/ruby.json`, JSON.stringify(facts));
