/** Runs jq: the real one, compiled to WebAssembly, a fresh instance for each call. */

import type { ExecResult } from "just-bash";
import { FileError } from "../../../../fs/files.ts";
import type { OpenBlob } from "../../../../fs/packages.ts";
import type { Tree } from "../../../../fs/tree.ts";
import { watchMeter } from "../../../../wasm/meter.ts";
import { Exit } from "../../../../wasi/wasi.ts";
import { toArray } from "../../text/byte_strings.ts";
import { outputOf } from "../../just_bash/output.ts";
import { type Context, pathOf, stdinOf } from "../command.ts";
import type { JqNames } from "./names.ts";
import { promising } from "./suspension.ts";
import { JqSystem } from "./system.ts";

/** What jq needs beside what every command is given. */
export interface JqHost {
  tree: Tree;
  /** Whether the run is to stop; read while jq computes, when no event can arrive. */
  isInterrupted(): boolean;
  /** Opens a file of jq's package. */
  open(name: string): OpenBlob;
}

interface LoadedJq {
  module: WebAssembly.Module;
  names: JqNames;
}

const INTERRUPTED = 130;
const BROKEN_PIPE = 141;
const ABORTED = 134;
/** As jq says it when memory is short. */
const NO_MEMORY = "jq: error: cannot allocate memory\n";
let loaded: Promise<LoadedJq> | undefined;

export async function runJq(args: string[], ctx: Context, host: JqHost): Promise<ExecResult> {
  loaded ??= loadJq(host);
  const { module, names } = await loaded;
  const output = outputOf(ctx);
  const system = new JqSystem({
    tree: host.tree,
    cwd: ctx.cwd,
    env: ctx.exportedEnv ?? {},
    stdin: toArray(stdinOf(ctx)),
    given: await readGiven(args, ctx, host.tree),
    terminal: output.terminal,
    write(stream, data) {
      if (stream === "stdout" && output.closed) throw new Exit(BROKEN_PIPE);
      // A copy: jq's memory changes before a pipe or the terminal has passed the bytes on.
      output[stream](data.slice());
    },
    room: () => output.room,
  });
  const exitCode = await callMain(
    module,
    names,
    system,
    ["jq", ...args],
    () => host.isInterrupted() || ctx.signal?.aborted === true,
    output,
  );
  return { stdout: "", stderr: "", exitCode };
}

async function callMain(
  module: WebAssembly.Module,
  names: JqNames,
  system: JqSystem,
  args: string[],
  stopped: () => boolean,
  output: { stderr(data: string): void },
): Promise<number> {
  const instance = new WebAssembly.Instance(module, { a: system.imports(names.imports) });
  const exported = <T>(name: string) => instance.exports[names.exports[name]] as T;
  const stack = (name: string) => exported<(value?: number) => number>(`emscripten_stack_${name}`);
  watchMeter(instance, () => stopped() ? 1 : 0);
  system.attach(exported("memory"), exported("indirect_function_table"));
  try {
    system.deepenStack(stack("get_current")(), stack("restore"));
    exported<() => void>("start")();
    const place = system.putArguments(args, stack("alloc"));
    const main = promising(exported<(count: number, at: number) => number>("main"));
    return await main(args.length, place) & 0xff;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (stopped()) return INTERRUPTED;
    // A trap: too deep a recursion, or memory that cannot grow.
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    output.stderr(system.refused ? NO_MEMORY : `jq: error: ${error.message}\n`);
    return ABORTED;
  } finally {
    system.close();
  }
}

async function loadJq({ open }: JqHost): Promise<LoadedJq> {
  const [code, names] = ["jq.cloche.wasm", "names.cloche.json"].map((name) => readWhole(open(name)));
  return { module: await WebAssembly.compile(code), names: JSON.parse(new TextDecoder().decode(names)) };
}

function readWhole(file: OpenBlob): Uint8Array<ArrayBuffer> {
  try {
    const data = new Uint8Array(file.size);
    file.read(data, 0);
    return data;
  } finally {
    file.close();
  }
}

/** Arguments that name files which are not in the guest's folders, such as those of `<(...)`, read in advance. */
async function readGiven(args: string[], ctx: Context, tree: Tree): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const arg of args) {
    const path = pathOf(ctx, arg);
    if (!arg.startsWith("/") || tree.covers(path) || path === "/dev/stdin" || !await ctx.fs.exists(path)) continue;
    try {
      found.set(path, await ctx.fs.readFileBuffer(path));
    } catch (error) {
      if (!(error instanceof FileError)) continue;
    }
  }
  return found;
}
