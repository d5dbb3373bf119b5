/** Starts perl with all that cells need, makes it interruptible, and records its memory. */

import { FixedFiles } from "./fixed_files.ts";
import { FolderFiles } from "../../../fs/folder.ts";
import { Quota, QUOTA_BYTES } from "../../../fs/quota.ts";
import { Tree } from "../../../fs/tree.ts";
import { ENVIRONMENT } from "../../environment.ts";
import type { Image } from "../vm/image.ts";
import { Vm } from "../vm/vm.ts";
import { LIBRARY, OWN } from "../vm/places.ts";
import { findChanges } from "../../../build/freeze_module.ts";

/** Modules that show values, and those that most cells use. */
const MODULES = ["strict", "warnings", "overload", "Data::Dumper"];

const LOOPS = [
  "1 while 1",
  "for (;;) {}",
  "sub again { again() } again()",
  "my @sorted = sort { 1 while 1 } 1, 2",
];

interface PackParts {
  module: WebAssembly.Module;
  /** Perl's own files, and those that come with Cloche. */
  own: Map<string, Uint8Array>;
  library: Record<string, Uint8Array>;
}

/** What the earlier steps have found out about it. */
type ImageFacts = Pick<Image, "idle" | "pending">;

export function makeImage(made: PackParts, known: ImageFacts): Image {
  const before = vmOf(made, { ...known, size: 0, pieces: [] }).memory.slice();
  const vm = vmOf(made);
  const stack = vm.stack;
  const code = vm.start(["-MCloche::Cell", "-e", "0"]);
  const lines = [
    ...MODULES.map((name) => `require ${name}`),
    "Cloche::leave()",
  ];
  if (code !== 0 || lines.some((line) => vm.run(line) !== null)) {
    throw new Error("perl did not start");
  }
  if (vm.stack !== stack) throw new Error("perl is not at rest");
  const { memory } = vm;
  // Below it are remains of calls that have ended.
  const pieces = findChanges(memory, before).filter(([from]) => from >= stack);
  return {
    ...known,
    size: memory.length,
    pieces: pieces.map(([from, to]) => [from, memory.subarray(from, to)]),
  };
}

/** Fails unless an interrupt ends endless loops, and nothing else. */
export function proveInterrupts(made: PackParts, image: Image): void {
  let looks = 0;
  const vm = vmOf(made, image, () => {
    if (++looks === 3) vm.interrupt(image.pending);
    return looks > 1000;
  });
  for (const loop of LOOPS) {
    looks = 0;
    const ended = vm.run(
      `eval { ${loop} }; CORE::exit(1) unless $@ =~ /^interrupted at/`,
    );
    if (ended !== null || looks < 3) {
      throw new Error(`perl was not interrupted in ${loop}`);
    }
  }
}

/** A perl that starts from the image, or a fresh one without it. */
function vmOf(
  { module, own, library }: PackParts,
  image?: Image,
  stop = () => false,
): Vm {
  const folder = (target: string, files: Record<string, Uint8Array>) => {
    const quota = new Quota(new SharedArrayBuffer(QUOTA_BYTES), 0);
    return new FolderFiles(
      { target, host: "", readOnly: true },
      new FixedFiles(files),
      quota,
    );
  };
  return new Vm({
    module,
    image,
    tree: new Tree([
      folder(OWN, Object.fromEntries(own)),
      folder(LIBRARY, library),
    ]),
    env: ENVIRONMENT,
    cwd: "/",
    stdin: () => new Uint8Array(0),
    stdout: (data) => void Deno.stdout.writeSync(data),
    stderr: (data) => void Deno.stderr.writeSync(data),
    sleep: () => true,
    stop,
    answer: (_, [what]) => new TextDecoder().decode(what) === "begin" ? ["ok", "/", "1"] : ["ok"],
  });
}
