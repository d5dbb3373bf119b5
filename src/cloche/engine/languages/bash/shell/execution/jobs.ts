/** Starts background jobs. */
import { DeviceStream } from "../descriptors/devices.ts";
import { hasJobControl, isAtTerminal } from "../processes/jobs.ts";
import type { StatementNode } from "../syntax/nodes.ts";
import { printCommand } from "../syntax/print.ts";
import type { ShellInterpreter } from "./execute.ts";

/** Starts `list &`; it runs when this shell next waits. */
export function startJob(shell: ShellInterpreter, node: StatementNode): number {
  const child = shell.fork(node.text);
  child.state.loops = 0;
  // Without job control a job does not read the terminal.
  if (!shell.state.options.has("monitor")) child.fds.set(0, new DeviceStream("null"));
  const job = shell.kernel.jobs.add(shell.process, child.process, describe(node), hasJobControl(shell));
  shell.state.lastJob = child.process.pid;
  const statement: StatementNode = { ...node, background: false };
  setTimeout(() => child.process.startLate(child.main(child.runStatement(statement))));
  if (isAtTerminal(shell)) shell.say(`[${job.id}] ${child.process.pid}`);
  return 0;
}

/** What `jobs` shows: the text as it was written, but a subshell as bash prints it. */
function describe({ pipelines, text }: StatementNode): string {
  const [command] = pipelines[0].commands;
  const alone = pipelines.length === 1 && pipelines[0].commands.length === 1 && command.type === "Subshell";
  return alone ? printCommand(command) : text;
}
