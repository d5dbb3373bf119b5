/** coproc. */
import { hasJobControl } from "../processes/jobs.ts";
import { makePipe } from "../descriptors/pipe.ts";
import { assignArray, assignVariable } from "../state/assign.ts";
import type { CoprocNode } from "../syntax/nodes.ts";
import type { ShellInterpreter } from "./execute.ts";

/** Starts a command whose input and output are descriptors of this shell: NAME[1] and NAME[0]. */
export function startCoprocess(shell: ShellInterpreter, node: CoprocNode): number {
  const [output, input] = [makePipe(), makePipe()];
  const child = shell.fork(node.name);
  child.fds.set(0, input.reader);
  child.fds.set(1, output.writer);
  const from = shell.freeHigh();
  shell.fds.set(from, output.reader);
  const to = shell.freeHigh();
  shell.fds.set(to, input.writer);
  for (const fd of [from, to]) child.fds.close(fd);
  const elements = [from, to].map((fd) => ({ append: false, value: String(fd) }));
  assignArray(shell, node.name, elements, false);
  assignVariable(shell, `${node.name}_PID`, String(child.process.pid));
  shell.kernel.jobs.add(shell.process, child.process, `coproc ${node.name}`, hasJobControl(shell));
  shell.state.lastJob = child.process.pid;
  setTimeout(() => child.process.startLate(child.main(child.runCommand(node.body))));
  return shell.state.status = 0;
}
