/** Starts background jobs. */
import { DeviceStream } from "../descriptors/devices.ts";
import { hasJobControl } from "../processes/jobs.ts";
import type { StatementNode } from "../syntax/nodes.ts";
import type { ShellInterpreter } from "./execute.ts";

/** Starts `list &`; it runs when this shell next waits. */
export function startJob(shell: ShellInterpreter, node: StatementNode): number {
  const child = shell.fork(node.text);
  child.state.loops = 0;
  // Without job control a job does not read the terminal.
  if (!shell.state.options.has("monitor")) child.fds.set(0, new DeviceStream("null"));
  const job = shell.kernel.jobs.add(shell.process, child.process, node.text, hasJobControl(shell));
  shell.state.lastJob = child.process.pid;
  const statement: StatementNode = { ...node, background: false };
  setTimeout(() => child.process.startLate(child.main(child.runStatement(statement))));
  if (shell.state.interactive && shell.state.options.has("monitor")) {
    shell.complainAs(`[${job.id}] ${child.process.pid}`, shell.fds);
  }
  return 0;
}
