/** Compound commands. */
import { evaluateArithmetic } from "../arithmetic/evaluate.ts";
import { matchPattern } from "../expansion/locale.ts";
import { expandPattern, expandWord, expandWords } from "../expansion/words.ts";
import { ExpansionError } from "../interpreter.ts";
import { assignLoop } from "../state/assign.ts";
import type {
  ArithmeticForNode,
  ArithmeticNode,
  CaseNode,
  CompoundNode,
  ForNode,
  FunctionNode,
  IfNode,
  StatementNode,
  WhileNode,
  WordNode,
} from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import { testCondition } from "./conditional.ts";
import { startCoprocess } from "./coproc.ts";
import type { ShellInterpreter } from "./execute.ts";
import { defineFunction } from "./functions.ts";
import { runSelect } from "./select.ts";
import { sayError } from "./simple.ts";
import { traceText } from "./trace.ts";
import { runDebugTrap } from "./traps.ts";

export function* runCompound(shell: ShellInterpreter, node: CompoundNode | FunctionNode): Task<number> {
  switch (node.type) {
    case "Group":
      return yield* shell.runList(node.body);
    case "If":
      return yield* runIf(shell, node);
    case "While":
      return yield* runWhile(shell, node);
    case "For":
      return yield* runFor(shell, node);
    case "ArithmeticFor":
      return yield* runArithmeticFor(shell, node);
    case "Case":
      return yield* runCase(shell, node);
    case "Subshell":
      return yield* runSubshell(shell, node.body);
    case "Function":
      return defineFunction(shell, node);
    case "Select":
      return yield* runSelect(shell, node);
    case "Coproc":
      return startCoprocess(shell, node);
  }
  shell.state.line = node.line;
  if (shell.state.traps.has("DEBUG") && (yield* runDebugTrap(shell, node))) return shell.state.status;
  return yield* guardExpansion(
    shell,
    () => node.type === "Conditional" ? testConditional(shell, node) : runArithmetic(shell, node.expression),
  );
}

/** Says why an expansion failed in what is no simple command. */
export function* guardExpansion<T>(shell: ShellInterpreter, act: () => Task<T>): Task<T> {
  try {
    return yield* act();
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.said) throw error;
    throw sayError(shell, error);
  }
}

function* testConditional(shell: ShellInterpreter, node: CompoundNode & { type: "Conditional" }): Task<number> {
  return (yield* testCondition(shell, node.expression));
}

function* runArithmetic(shell: ShellInterpreter, expression: ArithmeticNode): Task<number> {
  if (shell.state.options.has("xtrace")) yield* traceText(shell, `(( ${expression.text.trim()} ))`);
  try {
    const value = yield* evaluateArithmetic(shell, expression);
    return value === 0 || value === 0n ? 1 : 0;
  } catch (error) {
    // In `((`, a mistake is a failure and not the end of the line.
    if (!(error instanceof ExpansionError) || error.fatal) throw error;
    shell.complain(`((: ${error.message}`);
    return 1;
  }
}

function* runIf(shell: ShellInterpreter, node: IfNode): Task<number> {
  for (const { condition, body } of node.clauses) {
    const holds = yield* shell.runCondition(condition);
    if (shell.flow) return shell.state.status;
    if (holds) return yield* shell.runList(body);
  }
  if (node.otherwise) return yield* shell.runList(node.otherwise);
  return shell.state.status = 0;
}

/** Runs the body of a loop once; false if the loop is to end. */
export function* runBody(shell: ShellInterpreter, body: StatementNode[]): Task<boolean> {
  yield* shell.runList(body);
  return !shell.flow || continues(shell);
}

/** What `break` and `continue` mean for this loop. */
function continues(shell: ShellInterpreter): boolean {
  const { flow } = shell;
  if (!flow) return true;
  if (flow.kind === "return") return false;
  if (flow.levels > 1) {
    flow.levels--;
    return false;
  }
  shell.flow = undefined;
  return flow.kind === "continue";
}

function* runWhile(shell: ShellInterpreter, node: WhileNode): Task<number> {
  const { state } = shell;
  let code = 0;
  state.loops++;
  try {
    for (;;) {
      const holds = yield* shell.runCondition(node.condition);
      if (shell.flow) {
        if (continues(shell)) continue;
        break;
      }
      if (holds === node.until) break;
      const more = yield* runBody(shell, node.body);
      code = state.status;
      if (!more) break;
    }
  } finally {
    state.loops--;
  }
  return state.status = shell.flow?.kind === "return" ? state.status : code;
}

/** The words that a loop goes over. */
export function* loopWords(shell: ShellInterpreter, words: WordNode[] | undefined): Task<string[]> {
  return words ? yield* guardExpansion(shell, () => expandWords(shell, words)) : shell.state.positional.slice();
}

function* runFor(shell: ShellInterpreter, node: ForNode): Task<number> {
  const { state } = shell;
  state.line = node.line;
  const words = yield* loopWords(shell, node.words);
  const traced = state.options.has("xtrace") ? node.words?.map((word) => word.text).join(" ") ?? '"$@"' : undefined;
  let code = 0;
  state.loops++;
  try {
    for (const word of words) {
      state.line = node.line;
      if (traced !== undefined) yield* traceText(shell, `for ${node.name} in ${traced}`);
      if (state.traps.has("DEBUG") && (yield* runDebugTrap(shell, node))) continue;
      assignName(shell, node.name, word);
      const more = yield* runBody(shell, node.body);
      code = state.status;
      if (!more) break;
    }
  } finally {
    state.loops--;
  }
  return state.status = code;
}

function assignName(shell: ShellInterpreter, name: string, word: string): void {
  try {
    assignLoop(shell, name, word);
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.said) throw error;
    throw sayError(shell, error);
  }
}

function* runArithmeticFor(shell: ShellInterpreter, node: ArithmeticForNode): Task<number> {
  const { state } = shell;
  let code = 0;
  state.loops++;
  try {
    if (node.init) yield* evaluateStep(shell, node.init, node.line);
    while (!node.condition || (yield* evaluateStep(shell, node.condition, node.line))) {
      if (shell.kernel.budget-- <= 0) yield* shell.attend();
      const more = yield* runBody(shell, node.body);
      code = state.status;
      if (!more) break;
      if (node.update) yield* evaluateStep(shell, node.update, node.line);
    }
  } finally {
    state.loops--;
  }
  return state.status = code;
}

function* evaluateStep(shell: ShellInterpreter, expression: ArithmeticNode, line: number): Task<boolean> {
  shell.state.line = line;
  // An error here ends the loop's line.
  if (shell.state.options.has("xtrace")) yield* traceText(shell, `(( ${expression.text.trim()} ))`);
  const value = yield* guardExpansion(shell, () => evaluateArithmetic(shell, expression));
  return value !== 0 && value !== 0n;
}

function* runCase(shell: ShellInterpreter, node: CaseNode): Task<number> {
  const { state } = shell;
  state.line = node.line;
  const text = node.word.plain ?? (yield* guardExpansion(shell, () => expandWord(shell, node.word)));
  if (state.options.has("xtrace")) yield* traceText(shell, `case ${node.word.text} in`);
  if (state.traps.has("DEBUG") && (yield* runDebugTrap(shell, node))) return state.status;
  const nocase = state.shopt.has("nocasematch");
  let code = 0;
  let falls = false;
  for (const { patterns, body, end } of node.items) {
    let matches = falls;
    for (let i = 0; i < patterns.length && !matches; i++) {
      const pattern = yield* guardExpansion(shell, () => expandPattern(shell, patterns[i]));
      matches = matchPattern(shell, pattern, text, nocase);
    }
    if (!matches) continue;
    // What the body asks for as `$?` is from before.
    code = body.length === 0 ? 0 : yield* shell.runList(body);
    if (end === ";;" || shell.flow) return state.status = code;
    falls = end === ";&";
  }
  return state.status = code;
}

function* runSubshell(shell: ShellInterpreter, body: StatementNode[]): Task<number> {
  const child = shell.fork();
  child.state.loops = 0;
  return yield* shell.process.runChild(child.process, child.main(child.runList(body)));
}
