import { MemoryFiles } from "../../../platform/browser/memory_files.ts";
import { FolderFiles } from "../../../fs/folder.ts";
import { Quota, QUOTA_BYTES } from "../../../fs/quota.ts";
import { Tree } from "../../../fs/tree.ts";
import { GuestFiles } from "./processes/guest_files.ts";
import { Kernel } from "./processes/kernel.ts";
import { ShellInterpreter } from "./execution/execute.ts";
import { ShellState } from "./state/shell_state.ts";
import { DescriptorTable } from "./descriptors/table.ts";
import { SinkStream, TextStream } from "./descriptors/devices.ts";
import { EXPORTED } from "./state/variables.ts";
import type { Command } from "./processes/command.ts";
import { Input, Output } from "./descriptors/input.ts";

export function makeShell(out: (s: string) => void, err: (s: string) => void) {
  const memory = new MemoryFiles();
  memory.makeDirectory("/box");
  memory.makeDirectory("/tmp");
  const quota = new Quota(new SharedArrayBuffer(QUOTA_BYTES), 1e9);
  const tree = new Tree(["/box", "/tmp"].map((target) => new FolderFiles({ target, host: target, readOnly: false }, memory, quota)));
  const files = new GuestFiles(tree);
  const kernel = new Kernel({ files, isInterrupted: () => false });
  files.programs = kernel.commands;
  const d = new TextDecoder();
  const state = new ShellState();
  state.cwd = "/box";
  for (const [name, value] of Object.entries({ HOME: "/box", PATH: "/usr/bin:/bin", PWD: "/box" })) state.variables.replace(name, { value, attributes: EXPORTED });
  const add = (c: Command) => kernel.commands.set(c.name, c);
  add({ name: "cat", run(ctx) {
    const input = new Input(ctx.fds.get(0)), output = new Output(ctx.fds.get(1));
    for (;;) {
      const chunk = input.read();
      if (chunk instanceof Promise) return (async () => { for (let c = await chunk; c; c = await input.read()) await output.write(c); return 0; })();
      if (!chunk) return 0;
      const w = output.write(chunk);
      if (w instanceof Promise) return (async () => { await w; for (let c = await input.read(); c; c = await input.read()) await output.write(c); return 0; })();
    }
  } });
  add({ name: "head", async run(ctx) {
    const input = new Input(ctx.fds.get(0)), output = new Output(ctx.fds.get(1));
    for (let n = Number(ctx.argv[1]?.replace(/^-n?/, "") || 10); n > 0; n--) { const l = await input.readLine(); if (!l) break; await output.write(l); }
    return 0;
  } });
  add({ name: "yes", async run(ctx) {
    const output = new Output(ctx.fds.get(1));
    const block = "y\n".repeat(4096);
    for (;;) await output.write(block);
  } });
  add({ name: "sleep", async run(ctx) { await new Promise((r) => { setTimeout(r, Number(ctx.argv[1]) * 1000); ctx.signal.addEventListener("abort", r); }); return 0; } });
  const process = kernel.createProcess(undefined, "bash");
  return async (text: string): Promise<number> => {
    const fds = new DescriptorTable();
    fds.set(0, new TextStream(new Uint8Array()));
    fds.set(1, new SinkStream("terminal", (b) => out(d.decode(b))));
    fds.set(2, new SinkStream("terminal", (b) => err(d.decode(b))));
    const shell = new ShellInterpreter(kernel, process.fork("bash"), state, fds);
    return await shell.process.start(shell.main(shell.runText(text)));
  };
}

if (import.meta.main) {
  const run = makeShell((s) => Deno.stdout.writeSync(new TextEncoder().encode(s)), (s) => Deno.stderr.writeSync(new TextEncoder().encode(s)));
  const [text, times] = Deno.args;
  for (let i = 0; i < Number(times ?? 1); i++) {
    const t = performance.now();
    const code = await run(text);
    if (times) console.error("code", code, "ms", (performance.now() - t).toFixed(3));
    else Deno.exit(code);
  }
}
