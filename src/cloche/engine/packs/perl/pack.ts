/** Perl's program out of zeroperl, and the modules that it lacks, in one file. */

import { meter } from "../../wasm/meter.ts";
import { copyFiles } from "../copy.ts";

const MEMORY = 256 << 20;

const [modules, target] = Deno.args;
copyFiles(modules, "@6over3/zeroperl-ts", target, {
  "dist/esm/zeroperl.wasm": "perl.wasm",
  // It has no other file that tells its licence.
  "package.json": "licences/zeroperl-ts.json",
});
Deno.writeFileSync(`${target}/perl.wasm`, meter(Deno.readFileSync(`${target}/perl.wasm`), { memory: MEMORY }));
Deno.writeTextFileSync(`${target}/lib.json`, JSON.stringify(textsIn(new URL("./lib/", import.meta.url))));

function textsIn(folder: URL, prefix = ""): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) Object.assign(texts, textsIn(new URL(`${name}/`, folder), `${prefix}${name}/`));
    else texts[prefix + name] = Deno.readTextFileSync(new URL(name, folder));
  }
  return texts;
}
