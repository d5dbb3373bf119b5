/** Starts background jobs. */
import { DeviceStream } from "../descriptors/devices.ts";
import { hasJobControl, isAtTerminal } from "../processes/jobs.ts";
import type { CommandNode, StatementNode, SubshellNode } from "../syntax/nodes.ts";
import { printCommand } from "../syntax/print.ts";
import type { ShellInterpreter } from "./execute.ts";
import { runInFork } from "./pipeline.ts";

/** Starts `list &`; it runs when this shell next waits. */
export function startJob(shell: ShellInterpreter, node: StatementNode): number {
  const child = shell.fork(node.text);
  child.state.loops = 0;
  // Without job control a job does not read what the shell does.
  const { options, inputGiven } = shell.state;
  if (!options.has("monitor") && !inputGiven) child.fds.set(0, new DeviceStream("null"));
  const job = shell.kernel.jobs.add(shell.process, child.process, describe(node), hasJobControl(shell));
  shell.state.lastJob = child.process.pid;
  const alone = findSubshell(node);
  child.replaced = onlyCommand(node)?.type === "Simple";
  const work = alone ? runInFork(child, alone) : child.runStatement({ ...node, background: false });
  setTimeout(() => child.process.startLate(child.main(work)));
  if (isAtTerminal(shell)) shell.say(`[${job.id}] ${child.process.pid}`);
  return 0;
}

/** What `jobs` shows: the text as it was written, but a subshell as bash prints it. */
function describe(node: StatementNode): string {
  const alone = findSubshell(node);
  return alone ? printCommand(alone) : node.text;
}

/** The subshell that is all of the job, if it is one. */
function findSubshell(node: StatementNode): SubshellNode | undefined {
  const command = onlyCommand(node);
  return command?.type === "Subshell" ? command : undefined;
}

function onlyCommand({ pipelines: [{ commands, negated, timed }, ...rest] }: StatementNode): CommandNode | undefined {
  return rest.length === 0 && commands.length === 1 && !negated && !timed ? commands[0] : undefined;
}
