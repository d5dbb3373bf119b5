/**
 * Builds Perl's pack: zeroperl's module, its library, the modules that it lacks, and an image of a started perl, from
 * which cells start faster: `pack.ts NODE_MODULES TARGET`.
 */

import { FIXED_LIMITS } from "../../limits.ts";
import { writeImage } from "./vm/image.ts";
import { meterModule } from "../../wasm/meter.ts";
import { copyFiles } from "../../build/npm_files.ts";
import { writeZip } from "../../build/zip_writer.ts";
import { makeImage, proveInterrupts } from "./build/start_image.ts";
import { takeLibrary } from "./build/own_library.ts";
import { makeInterruptible } from "./build/signals.ts";

const MEMORY = 256 << 20;

const [modules, target] = Deno.args;
copyFiles(modules, "@6over3/zeroperl-ts", target, {
  "dist/esm/zeroperl.wasm": "perl.wasm",
  // Its licence is in no other file.
  "package.json": "licences/zeroperl-ts.json",
});
const { wasm: lean, files: own, free, idle } = takeLibrary(
  Deno.readFileSync(`${target}/perl.wasm`),
);
const { wasm, pending } = makeInterruptible(lean, free);
const metered = meterModule(wasm, { memory: MEMORY });
Deno.writeFileSync(`${target}/perl.wasm`, metered);
Deno.writeFileSync(`${target}/library.zip`, writeZip(own));

const library = filesIn(new URL("./guest/", import.meta.url));
const { dataLimit, dataDepth, dataValues } = FIXED_LIMITS;
library["Cloche/DataLimits.pm"] = new TextEncoder().encode(
  `package Cloche::DataLimits;\nour ($length, $depth, $values) = (${dataLimit}, ${dataDepth}, ${dataValues});\n1;\n`,
);
Deno.writeFileSync(
  `${target}/modules.zip`,
  writeZip(new Map(Object.entries(library))),
);
const made = {
  module: new WebAssembly.Module(metered as Uint8Array<ArrayBuffer>),
  own,
  library,
};
const image = makeImage(made, { idle, pending });
proveInterrupts(made, image);
Deno.writeFileSync(`${target}/perl.image`, writeImage(image));

function filesIn(folder: URL, prefix = ""): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) {
      Object.assign(
        files,
        filesIn(new URL(`${name}/`, folder), `${prefix}${name}/`),
      );
    } else files[prefix + name] = Deno.readFileSync(new URL(name, folder));
  }
  return files;
}
