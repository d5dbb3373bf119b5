/** Compound commands. */
import { ArithmeticError } from "../arithmetic/evaluate.ts";
import { matchPattern } from "../expansion/locale.ts";
import { expandPattern, expandWord, expandWords } from "../expansion/words.ts";
import { ExitShell, ExpansionError } from "../interpreter.ts";
import { assignLoop, isName } from "../state/assign.ts";
import type {
  CaseNode,
  CompoundNode,
  ForNode,
  FunctionNode,
  IfNode,
  StatementNode,
  SubshellNode,
  WhileNode,
  WordNode,
} from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import { runArithmetic, runArithmeticFor } from "./arithmetic.ts";
import { testCondition } from "./conditional.ts";
import { startCoprocess } from "./coproc.ts";
import type { ShellInterpreter } from "./execute.ts";
import { defineFunction, USAGE_ERROR } from "./functions.ts";
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
      return yield* runSubshell(shell, node);
    case "Function":
      return defineFunction(shell, node);
    case "Select":
      return yield* runSelect(shell, node);
    case "Coproc":
      return startCoprocess(shell, node);
  }
  shell.state.line = node.line;
  shell.state.command = node;
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
  if (!checkLoopName(shell, node.name)) return state.status = 1;
  state.line = node.line;
  const words = yield* loopWords(shell, node.words);
  const traced = state.options.has("xtrace") ? node.words?.map((word) => word.text).join(" ") ?? '"$@"' : undefined;
  let code = 0;
  state.loops++;
  try {
    for (const word of words) {
      state.line = node.line;
      state.command = node;
      if (traced !== undefined) yield* traceText(shell, `for ${node.name} in ${traced}`);
      if (state.traps.has("DEBUG") && (yield* runDebugTrap(shell, node))) continue;
      if (!assignName(shell, node.name, word)) return state.status = 1;
      const more = yield* runBody(shell, node.body);
      code = state.status;
      if (!more) break;
    }
  } finally {
    state.loops--;
  }
  return state.status = code;
}

/** Whether a loop's variable has a name; what has none is said, and in POSIX mode ends a script. */
export function checkLoopName(shell: ShellInterpreter, name: string): boolean {
  if (isName(name)) return true;
  shell.complainOfWhole(`\`${name}': not a valid identifier`);
  if (endsScript(shell)) throw new ExitShell(USAGE_ERROR);
  return false;
}

/** Gives a loop's variable its value; false if it cannot have one, which is said. */
export function assignName(shell: ShellInterpreter, name: string, word: string): boolean {
  try {
    assignLoop(shell, name, word);
    return true;
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.said) throw error;
    const end = sayError(shell, error);
    if (end instanceof ExitShell || error instanceof ArithmeticError) throw end;
    if (endsScript(shell)) throw new ExitShell(1);
    return false;
  }
}

function endsScript({ state }: ShellInterpreter): boolean {
  return state.options.has("posix") && !state.interactive;
}

function* runCase(shell: ShellInterpreter, node: CaseNode): Task<number> {
  const { state } = shell;
  state.line = node.line;
  state.command = node;
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

function* runSubshell(shell: ShellInterpreter, node: SubshellNode): Task<number> {
  const { body, redirections } = node;
  shell.state.line = node.line;
  shell.state.command = node;
  const child = shell.fork();
  child.state.loops = 0;
  if (redirections.length === 0) child.state.inputGiven = false;
  const code = yield* shell.process.runChild(child.process, child.main(child.runList(body)));
  const { endedBy: signal, pid } = child.process;
  if (signal !== undefined && code === 128 + signal) shell.killed = { signal, pid };
  return code;
}
