/** Functions. */
import { SPECIAL } from "../builtins/special.ts";
import { ExitShell, ExpansionError } from "../interpreter.ts";
import { isName, readVariable } from "../state/assign.ts";
import type { ShellFunction } from "../state/shell_state.ts";
import type { FunctionNode } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import type { ShellInterpreter } from "./execute.ts";
import { givesInput, redirect } from "./redirect.ts";
import { runDebugTrap, runReturnTrap } from "./traps.ts";

/** What a misused command ends a script with. */
export const USAGE_ERROR = 2;
/** Calls after which a new stack is taken. */
const STACK_DEPTH = 40;

export function defineFunction(shell: ShellInterpreter, node: FunctionNode): number {
  const { state } = shell;
  const strict = state.options.has("posix");
  const wrong = findMistake(node.name, strict);
  if (wrong !== undefined) {
    shell.complainOfWhole(wrong);
    if (strict && !state.interactive) throw new ExitShell(USAGE_ERROR);
    return state.status = 1;
  }
  const before = state.functions.get(node.name);
  if (before?.readonly) {
    shell.complainOfWhole(`${node.name}: readonly function`);
    return state.status = 1;
  }
  const source = state.frames.at(-1)?.source ?? "main";
  const { exported = false, traced = false } = before ?? {};
  state.functions.set(node.name, { node, source, exported, traced, readonly: false });
  return state.status = 0;
}

/** What is wrong with the name of a function; POSIX is strict. */
function findMistake(name: string, strict: boolean): string | undefined {
  if (/['"\\$`]|[<>]\(/.test(name) || strict && !isName(name)) return `\`${name}': not a valid identifier`;
  return strict && SPECIAL.has(name) ? `\`${name}': is a special builtin` : undefined;
}

export function* callFunction(
  shell: ShellInterpreter,
  name: string,
  { node, source, traced }: ShellFunction,
  args: string[],
): Task<number> {
  const { state } = shell;
  const { positional, positionalSet, line, loops } = state;
  const limit = state.variables.find("FUNCNEST") ? Number(readVariable(shell, "FUNCNEST")) : 0;
  if (limit > 0 && state.frames.filter(({ kind }) => kind === "function").length >= limit) {
    throw new ExpansionError(`${name}: maximum function nesting level exceeded (${limit})`, false);
  }
  shell.enter();
  shell.replaced = false;
  const hidden = hideTraps(shell, traced);
  state.frames.push({ kind: "function", name, source, callLine: line });
  const { optionRecord, optionPlace } = state;
  state.variables.pushScope();
  state.positional = args;
  state.loops = 0;
  try {
    const body = runBody(shell, node);
    const code = shell.depth % STACK_DEPTH === 0 ? yield* shell.process.runDeep(body) : yield* body;
    return state.status = code;
  } finally {
    const { options } = state.frames.pop() ?? {};
    if (options) state.options = new Set(options);
    const inner = state.variables.find("OPTIND");
    state.variables.popScope();
    if (state.variables.find("OPTIND") !== inner) Object.assign(state, { optionRecord, optionPlace });
    state.positional = positional;
    state.positionalSet = positionalSet;
    state.loops = loops;
    state.line = line;
    shell.depth--;
    for (const [trap, action] of hidden) if (!state.traps.has(trap)) state.traps.set(trap, action);
  }
}

function* runBody(shell: ShellInterpreter, node: FunctionNode): Task<number> {
  const { state } = shell;
  const redirected = node.redirections.length > 0 ? yield* redirect(shell, node.redirections) : undefined;
  if (node.redirections.length > 0 && !redirected) return 1;
  if (redirected) state.inputGiven = givesInput(node.redirections);
  state.line = node.body.line;
  try {
    if (state.traps.has("DEBUG")) yield* runDebugTrap(shell, node.body);
    let code = yield* shell.runCommand(node.body);
    const { flow } = shell;
    if (flow?.kind === "return") {
      code = flow.code;
      shell.flow = undefined;
    }
    state.status = code;
    if (state.traps.has("RETURN")) yield* runReturnTrap(shell);
    return code;
  } finally {
    redirected?.undo();
  }
}

/** Traps that a function does not inherit; they are back when it returns. */
function hideTraps(shell: ShellInterpreter, traced: boolean): [string, string][] {
  const { traps, options } = shell.state;
  if (traps.size === 0) return [];
  const hidden: [string, string][] = [];
  const hide = (name: string) => {
    const action = traps.get(name);
    if (action === undefined) return;
    hidden.push([name, action]);
    traps.delete(name);
  };
  if (!traced && !options.has("functrace")) ["DEBUG", "RETURN"].forEach(hide);
  if (!options.has("errtrace")) hide("ERR");
  return hidden;
}
