/** Runs the actions of traps. */
import type { CommandNode } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import type { ShellInterpreter } from "./execute.ts";

/** Traps that are running: none starts itself. */
const running = new WeakMap<ShellInterpreter, Set<string>>();

/** Traps whose text counts lines from where the shell is. */
const EVENTS = new Set(["DEBUG", "ERR", "RETURN"]);

/** As messages name the text of a trap. */
const LABELS: Record<string, string> = {
  EXIT: "exit trap",
  DEBUG: "debug trap",
  ERR: "error trap",
  RETURN: "return trap",
};

/** Runs an action; `$?` is what it was before and after. */
function* runAction(shell: ShellInterpreter, name: string, text: string): Task<void> {
  const { state } = shell;
  let active = running.get(shell);
  if (!active) running.set(shell, active = new Set());
  if (text === "" || active.has(name)) return;
  const start = EVENTS.has(name) ? state.line : 1;
  const { status, line, pipeStatus, lastArgument, conditions, command, trapped, trapStatus } = state;
  active.add(name);
  state.trapped ??= command;
  state.trapStatus = name === "DEBUG" ? undefined : status;
  try {
    yield* shell.runText(text, start, LABELS[name] ?? "trap");
  } finally {
    active.delete(name);
    Object.assign(state, { line, pipeStatus, lastArgument, conditions, command, trapped, trapStatus });
    if (!shell.flow) state.status = status;
  }
}

/** Signals that came while something else ran. */
export function* runPendingTraps(shell: ShellInterpreter): Task<void> {
  for (let name = shell.process.pending.shift(); name !== undefined; name = shell.process.pending.shift()) {
    yield* runAction(shell, name, shell.state.traps.get(name) ?? "");
  }
}

/** The EXIT trap; returns the code that the shell ends with. */
export function* runExitTrap(shell: ShellInterpreter, code: number): Task<number> {
  const text = shell.state.traps.get("EXIT");
  if (!text) return code;
  shell.state.traps.delete("EXIT");
  shell.state.status = code;
  shell.process.endedBy = undefined;
  return yield* shell.guard((function* () {
    yield* runAction(shell, "EXIT", text);
    return code;
  })());
}

export function* runErrorTrap(shell: ShellInterpreter, code: number): Task<void> {
  const text = shell.state.traps.get("ERR");
  if (text === undefined) return;
  shell.state.status = code;
  yield* runAction(shell, "ERR", text);
}

/** The DEBUG trap before a command; true if the command is to be skipped (extdebug). */
export function* runDebugTrap(shell: ShellInterpreter, node: CommandNode): Task<boolean> {
  const { state } = shell;
  const text = state.traps.get("DEBUG");
  if (text === undefined || text === "" || running.get(shell)?.has("DEBUG")) return false;
  const { status } = state;
  state.command = node;
  yield* runAction(shell, "DEBUG", text);
  const code = state.status;
  state.status = status;
  return state.shopt.has("extdebug") && code !== 0;
}

export function* runReturnTrap(shell: ShellInterpreter): Task<void> {
  yield* runAction(shell, "RETURN", shell.state.traps.get("RETURN") ?? "");
}
