/** Has perl start with all that cells need, and tells how it stands then. */

import { FixedFiles } from "../../fs/fixed.ts";
import { FolderFiles } from "../../fs/folder.ts";
import { Quota, QUOTA_BYTES } from "../../fs/quota.ts";
import { Tree } from "../../fs/tree.ts";
import { ENVIRONMENT } from "../../languages/environment.ts";
import type { Image } from "../../perl/machine/image.ts";
import { Machine } from "../../perl/machine/machine.ts";
import { LIBRARY, OWN } from "../../perl/machine/places.ts";
import { differing } from "../freeze.ts";

/** What showing a value takes, and what most cells begin with. */
const MODULES = ["strict", "warnings", "overload", "Data::Dumper"];

export interface Made {
  module: WebAssembly.Module;
  /** Perl's own files, and those that come with Cloche. */
  own: Map<string, Uint8Array>;
  library: Record<string, Uint8Array>;
}

export function makeImage(made: Made): Omit<Image, "idle"> {
  const before = machineOf(made, { size: 0, idle: 0, pieces: [] }).memory.slice();
  const machine = machineOf(made);
  const stack = machine.stack;
  const code = machine.start(["-MCloche::Cell", "-e", "0"]);
  const lines = [...MODULES.map((name) => `require ${name}`), "Cloche::leave()"];
  if (code !== 0 || lines.some((line) => machine.run(line) !== null)) throw new Error("perl did not start");
  if (machine.stack !== stack) throw new Error("perl is not at rest");
  const { memory } = machine;
  // Below is what is left of calls that have ended.
  const pieces = differing(memory, before).filter(([from]) => from >= stack);
  return { size: memory.length, pieces: pieces.map(([from, to]) => [from, memory.subarray(from, to)]) };
}

/** A perl of the image; a fresh one without. */
export function machineOf({ module, own, library }: Made, image?: Image): Machine {
  const folder = (target: string, files: Record<string, Uint8Array>) => {
    const quota = new Quota(new SharedArrayBuffer(QUOTA_BYTES), 0);
    return new FolderFiles({ target, host: "", readOnly: true }, new FixedFiles(files), quota);
  };
  return new Machine({
    module,
    image,
    tree: new Tree([folder(OWN, Object.fromEntries(own)), folder(LIBRARY, library)]),
    env: ENVIRONMENT,
    cwd: "/",
    stdin: () => new Uint8Array(0),
    stdout: (data) => void Deno.stdout.writeSync(data),
    stderr: (data) => void Deno.stderr.writeSync(data),
    sleep: () => true,
    stop: () => false,
    answer: (_, [what]) => new TextDecoder().decode(what) === "begin" ? ["ok", "/", "1"] : ["ok"],
  });
}
