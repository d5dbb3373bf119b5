/** Pipelines: all stages run at the same time, each a process, joined by pipes. */
import { makePipe } from "../descriptors/pipe.ts";
import { ExitShell } from "../interpreter.ts";
import { describeSignal, SIGINT, SIGPIPE, SIGTERM } from "../processes/signals.ts";
import type { CommandNode, PipelineNode, SubshellNode } from "../syntax/nodes.ts";
import { printPipeline } from "../syntax/print.ts";
import type { Later, Task } from "../task.ts";
import type { ShellInterpreter } from "./execute.ts";
import { givesInput, redirect } from "./redirect.ts";
import { runDebugTrap, runErrorTrap } from "./traps.ts";
import { reportTime } from "./time.ts";

/** Commands whose failure has not been seen yet by what is inside them. */
const COUNTED = new Set(["Simple", "Subshell", "ArithmeticCommand", "Conditional"]);

export function* runPipeline(shell: ShellInterpreter, node: PipelineNode): Task<number> {
  if (node.negated) return yield* runNegated(shell, node);
  if (node.timed) return yield* runTimed(shell, node);
  const { state } = shell;
  const { commands } = node;
  if (commands.length === 0) return state.status = 0;
  if (commands.length === 1) {
    const code = state.status = yield* shell.runCommand(commands[0]);
    state.pipeStatus = [code];
    if (shell.killed !== undefined) sayKilled(shell, node);
    if (code !== 0 && state.conditions === 0 && COUNTED.has(commands[0].type) && !shell.flow) yield* fail(shell, code);
    return code;
  }
  const codes = yield* runStages(shell, node);
  state.pipeStatus = codes;
  state.command = commands[commands.length - 1];
  if (shell.killed !== undefined) sayKilled(shell, node);
  const failed = state.options.has("pipefail") ? codes.findLast((code) => code !== 0) : undefined;
  const code = state.status = failed ?? codes[codes.length - 1];
  if (code !== 0 && state.conditions === 0) yield* fail(shell, code);
  return code;
}

/** Signals by which commands usually end: nobody wonders why. */
const EXPECTED = new Set([SIGINT, SIGPIPE]);

/** Says which signal has ended the command, as bash does where nobody else would. */
function sayKilled(shell: ShellInterpreter, node: PipelineNode): void {
  const { signal, pid } = shell.killed as { signal: number; pid: number };
  shell.killed = undefined;
  if (EXPECTED.has(signal) || shell.process.endedBy !== undefined) return;
  const what = describeSignal(signal);
  if (shell.state.interactive || signal === SIGTERM) shell.say(what);
  else shell.complain(`${String(pid).padStart(5)} ${what.padEnd(23)} ${printPipeline(node)}`);
}

/** A command has failed where that counts: the ERR trap, then `set -e`. */
export function* fail(shell: ShellInterpreter, code: number): Task<void> {
  yield* runErrorTrap(shell, code);
  if (shell.state.options.has("errexit")) throw new ExitShell(code);
}

function* runNegated(shell: ShellInterpreter, node: PipelineNode): Task<number> {
  shell.state.conditions++;
  try {
    const code = yield* runPipeline(shell, { ...node, negated: false });
    return shell.state.status = code === 0 ? 1 : 0;
  } finally {
    shell.state.conditions--;
  }
}

function* runTimed(shell: ShellInterpreter, node: PipelineNode): Task<number> {
  const begin = performance.now();
  const { timed, ...rest } = node;
  try {
    return yield* runPipeline(shell, rest);
  } finally {
    reportTime(shell, performance.now() - begin, timed === "posix");
  }
}

/** Starts every stage in a fork, the last one here if `lastpipe` says so; waits for all. */
function* runStages(shell: ShellInterpreter, node: PipelineNode): Task<number[]> {
  const { commands } = node;
  const codes: Later<number>[] = [];
  const stages: ShellInterpreter[] = [];
  const here = shell.state.shopt.has("lastpipe");
  const [first] = commands;
  if (first.type !== "Function") shell.state.line = first.line;
  const pipes = commands.slice(1).map(() => makePipe());
  const forks = commands.slice(0, here ? -1 : undefined).map((command) => shell.fork(describe(command)));
  for (const [i, stage] of forks.entries()) {
    if (i > 0) {
      stage.fds.set(0, pipes[i - 1].reader);
      stage.state.inputGiven = true;
    }
    if (i < pipes.length) stage.fds.set(1, pipes[i].writer);
    if (node.both?.[i]) stage.fds.duplicate(1, 2);
    stages.push(stage);
    shell.process.foreground.add(stage.process);
  }
  try {
    for (const [i, stage] of stages.entries()) {
      const command = commands[i];
      if (command.type === "Simple" && shell.state.traps.has("DEBUG")) {
        shell.state.line = command.line;
        yield* runDebugTrap(shell, command);
      }
      codes.push(stage.process.start(stage.main(runInFork(stage, commands[i]))));
    }
    if (here) codes.push(yield* runLastHere(shell, commands[commands.length - 1], pipes[pipes.length - 1].reader));
    const done: number[] = [];
    for (const code of codes) done.push(code instanceof Promise ? (yield code) as number : code);
    noteKilled(shell, stages[stages.length - 1], here ? undefined : done[done.length - 1]);
    return done;
  } finally {
    for (const stage of stages) shell.process.foreground.delete(stage.process);
  }
}

/** The last stage may have ended by a signal, or what ran in it. */
function noteKilled(shell: ShellInterpreter, last: ShellInterpreter, code: number | undefined): void {
  const { endedBy: signal, pid } = last.process;
  if (signal !== undefined && code === 128 + signal) shell.killed = { signal, pid };
  else if (code !== undefined && code === 128 + (last.killed?.signal ?? 0)) shell.killed = last.killed;
}

function describe(command: CommandNode): string {
  return command.type === "Simple" ? command.words.map((word) => word.text).join(" ") : command.type;
}

/** The whole work of a forked shell: a subshell needs no other fork, so signals to this one reach its traps. */
export function* runInFork(fork: ShellInterpreter, command: CommandNode): Task<number> {
  const code = yield* command.type === "Subshell" ? runBody(fork, command) : fork.runCommand(command);
  // Within the fork it may already have counted.
  return fork.state.status = code;
}

function* runBody(fork: ShellInterpreter, { body, redirections }: SubshellNode): Task<number> {
  const open = fork.openSubstitutions.length;
  if (redirections.length > 0) fork.state.line = redirections[0].line;
  const redirected = yield* redirect(fork, redirections);
  if (!redirected) return 1;
  // Nothing comes after it, and what is kept open would keep readers waiting.
  redirected.commit();
  if (redirections.length > 0) fork.state.inputGiven = givesInput(redirections);
  try {
    return yield* fork.runList(body);
  } finally {
    yield* fork.closeSubstitutions(open);
  }
}

function* runLastHere(
  shell: ShellInterpreter,
  command: CommandNode,
  reader: ReturnType<typeof makePipe>["reader"],
): Task<number> {
  const before = shell.fds.save(0);
  shell.fds.set(0, reader);
  try {
    return yield* shell.runCommand(command);
  } finally {
    shell.fds.restore(0, before);
  }
}
