/** `((…))` and `for ((…))`. */
import { ArithmeticError, blame, evaluateArithmetic } from "../arithmetic/evaluate.ts";
import { ExpansionError } from "../interpreter.ts";
import type { ArithmeticForNode, ArithmeticNode } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import { guardExpansion, runBody } from "./compound.ts";
import type { ShellInterpreter } from "./execute.ts";
import { traceText } from "./trace.ts";
import { runDebugTrap } from "./traps.ts";

export function* runArithmetic(shell: ShellInterpreter, expression: ArithmeticNode): Task<number> {
  if (shell.state.options.has("xtrace")) yield* traceText(shell, `(( ${expression.text} ))`);
  const value = yield* evaluateHere(shell, expression);
  return value === undefined || value === 0 || value === 0n ? 1 : 0;
}

/** The value of arithmetic in a command of its own, where a mistake is said and gives undefined. */
function* evaluateHere(shell: ShellInterpreter, expression: ArithmeticNode): Task<number | bigint | undefined> {
  try {
    return yield* evaluateArithmetic(shell, expression);
  } catch (error) {
    sayArithmetic(shell, error, "((");
    return undefined;
  }
}

/** Says what is wrong with arithmetic that only fails its command; throws other errors. */
export function sayArithmetic(shell: ShellInterpreter, error: unknown, name: string): void {
  blame(error, name);
  const only = error instanceof ExpansionError && !error.fatal && !error.said;
  if (!only || error instanceof ArithmeticError && error.inSubscript) throw error;
  shell.complain(error.message);
}

export function* runArithmeticFor(shell: ShellInterpreter, node: ArithmeticForNode): Task<number> {
  const { state } = shell;
  let code = 0;
  state.loops++;
  try {
    if (node.init && (yield* evaluateStep(shell, node.init, node.line)) === undefined) return state.status = 1;
    for (;;) {
      const holds = node.condition ? yield* evaluateStep(shell, node.condition, node.line) : true;
      if (holds === undefined) return state.status = 1;
      if (!holds) break;
      if (shell.kernel.budget-- <= 0) yield* shell.attend();
      const more = yield* runBody(shell, node.body);
      code = state.status;
      if (!more) break;
      if (node.update && (yield* evaluateStep(shell, node.update, node.line)) === undefined) return state.status = 1;
    }
  } finally {
    state.loops--;
  }
  return state.status = code;
}

/** Whether a part of `for ((` is true; undefined after a mistake. */
function* evaluateStep(shell: ShellInterpreter, expression: ArithmeticNode, line: number): Task<boolean | undefined> {
  const { state } = shell;
  state.line = line;
  if (state.traps.has("DEBUG")) {
    yield* runDebugTrap(shell, { type: "ArithmeticCommand", expression, redirections: [], line });
  }
  if (state.options.has("xtrace")) yield* traceText(shell, `(( ${expression.text.trim()} ))`);
  const value = yield* guardExpansion(shell, () => evaluateHere(shell, expression));
  return value === undefined ? undefined : value !== 0 && value !== 0n;
}
