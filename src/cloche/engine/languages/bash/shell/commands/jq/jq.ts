/** Runs jq: the real one, compiled to WebAssembly, a fresh instance for each call. */

import type { OpenBlob } from "../../../../../fs/packages.ts";
import type { Tree } from "../../../../../fs/tree.ts";
import { watchMeter } from "../../../../../wasm/meter.ts";
import { callSuspending, CAN_SUSPEND, suspending } from "../../../../../wasm/suspension.ts";
import { Exit } from "../../../../../wasi/wasi.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import { BrokenPipe } from "../../descriptors/stream.ts";
import type { CommandContext } from "../../processes/command.ts";
import { giveWay, isTurnDue } from "../../turns.ts";
import type { JqNames } from "./names.ts";
import { JqSystem } from "./system.ts";

/** What jq needs beside what every command is given. */
export interface JqHost {
  tree: Tree;
  /** Whether the run is to stop; read while jq computes, where no event can arrive. */
  isInterrupted(): boolean;
  /** Opens a file of jq's package. */
  open(name: string): OpenBlob;
}

interface LoadedJq {
  module: WebAssembly.Module;
  names: JqNames;
}

const BROKEN_PIPE = 141;
const ABORTED = 134;
/** As jq says it when memory is short. */
const NO_MEMORY = "jq: error: cannot allocate memory\n";
/** V8's stack, on which jq recurses through its data, ends before jq's own limit of 10,000 levels. */
const TOO_DEEP = "jq: error: data nested too deep: the sandbox has a stack for about 5,000 levels\n";
let loaded: Promise<LoadedJq> | undefined;

export async function runJq(context: CommandContext, host: JqHost): Promise<number> {
  loaded ??= loadJq(host);
  const { module, names } = await loaded;
  const { fds, env, cwd } = context;
  const [stdin, stdout, stderr] = [0, 1, 2].map((fd) => fds.find(fd));
  const terminal = stdout?.kind === "terminal" && !["", "dumb"].includes(env.TERM ?? "");
  const open = (path: string) => context.open(path, { read: true, write: false });
  const system = new JqSystem({ tree: host.tree, cwd, env, stdin, stdout, stderr, open, terminal });
  const stopped = () => context.signal.aborted || !CAN_SUSPEND && host.isInterrupted();
  try {
    return await callMain(module, names, system, [...context.argv], stopped);
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (error instanceof BrokenPipe) return BROKEN_PIPE;
    context.signal.throwIfAborted();
    // A trap: too deep a recursion, or memory that cannot grow.
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    await stderr?.write(toArray(encodeText(system.refused ? NO_MEMORY : whyEnded(error))));
    return ABORTED;
  } finally {
    system.close();
  }
}

function whyEnded(error: Error): string {
  return error instanceof RangeError ? TOO_DEEP : `jq: error: ${error.message}\n`;
}

async function callMain(
  module: WebAssembly.Module,
  names: JqNames,
  system: JqSystem,
  args: string[],
  stopped: () => boolean,
): Promise<number> {
  const instance = new WebAssembly.Instance(module, { a: system.imports(names.imports) });
  const exported = <T>(name: string) => instance.exports[names.exports[name]] as T;
  const stack = (name: string) => exported<(value?: number) => number>(`emscripten_stack_${name}`);
  watchMeter(instance, suspending(() => checkStop(stopped)) as () => number);
  system.attach(exported("memory"), exported("indirect_function_table"));
  system.deepenStack(stack("get_current")(), stack("restore"));
  await callSuspending(exported<() => void>("start"));
  const place = system.putArguments(args, stack("alloc"));
  const main = exported<(count: number, at: number) => number>("main");
  return (await callSuspending(main, args.length, place) as number) & 0xff;
}

/** Lets others run now and then; then 1 if jq is to end. */
function checkStop(stopped: () => boolean): number | Promise<number> {
  if (!CAN_SUSPEND || !isTurnDue()) return Number(stopped());
  return giveWay().then(() => Number(stopped()));
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
