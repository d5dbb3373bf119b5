/** [[ … ]]. */
import { compareFiles, testFile } from "../builtins/test.ts";
import { evaluateText } from "../arithmetic/evaluate.ts";
import { matchPattern } from "../expansion/locale.ts";
import { compileCached } from "../../text/regex/cache.ts";
import type { Matcher } from "../../text/regex/regex.ts";
import { RegexError } from "../../text/regex/syntax.ts";
import { protectKey } from "../expansion/subscripts.ts";
import { expandPattern, expandRegex, expandWord } from "../expansion/words.ts";
import { assignArray, isReference, isSet } from "../state/assign.ts";
import type { SetOption } from "../state/shell_state.ts";
import type { ConditionNode, WordNode } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import type { ShellInterpreter } from "./execute.ts";
import { sayArithmetic } from "./arithmetic.ts";
import { traceText } from "./trace.ts";
import { quoteTrace } from "../expansion/quote.ts";

/** The exit code of a condition: 0, 1, or 2 for a pattern that is none. */
export function* testCondition(shell: ShellInterpreter, node: ConditionNode): Task<number> {
  switch (node.type) {
    case "And": {
      const left = yield* testCondition(shell, node.left);
      return left === 0 ? yield* testCondition(shell, node.right) : left;
    }
    case "Or": {
      const left = yield* testCondition(shell, node.left);
      return left === 0 ? 0 : yield* testCondition(shell, node.right);
    }
    case "Not": {
      const inner = yield* testCondition(shell, node.operand);
      return inner === 0 ? 1 : inner === 1 ? 0 : inner;
    }
    case "Unary":
      return yield* testUnary(shell, node.operator, node.operand);
    case "Binary":
      return yield* testBinary(shell, node);
  }
}

function* textOf(shell: ShellInterpreter, word: WordNode): Task<string> {
  return word.plain ?? (yield* expandWord(shell, word));
}

function* testUnary(shell: ShellInterpreter, operator: string, word: WordNode): Task<number> {
  const text = yield* textOf(shell, word);
  if (shell.state.options.has("xtrace")) yield* traceText(shell, `[[ ${operator} ${quoteTrace(text)} ]]`);
  const { options } = shell.state;
  switch (operator) {
    case "-z":
      return text === "" ? 0 : 1;
    case "-n":
      return text === "" ? 1 : 0;
    case "-v":
      return isSet(shell, protectKey(word, text)) ? 0 : 1;
    case "-R":
      return isReference(shell, text) ? 0 : 1;
    case "-o":
      return options.has(text as SetOption) ? 0 : 1;
  }
  return testFile(shell, operator, text) ? 0 : 1;
}

function* testBinary(shell: ShellInterpreter, node: ConditionNode & { type: "Binary" }): Task<number> {
  const { operator } = node;
  const left = yield* textOf(shell, node.left);
  if (operator === "=~") return yield* matchRegex(shell, left, node.right);
  if (operator === "=" || operator === "==" || operator === "!=") {
    const pattern = yield* expandPattern(shell, node.right);
    if (shell.state.options.has("xtrace")) yield* traceText(shell, `[[ ${quoteTrace(left)} ${operator} ${pattern} ]]`);
    const nocase = shell.state.shopt.has("nocasematch");
    const matches = matchPattern(shell, pattern, left, nocase);
    return matches === (operator !== "!=") ? 0 : 1;
  }
  const right = yield* textOf(shell, node.right);
  if (shell.state.options.has("xtrace")) {
    yield* traceText(shell, `[[ ${quoteTrace(left)} ${operator} ${quoteTrace(right)} ]]`);
  }
  if (operator === "<") return left < right ? 0 : 1;
  if (operator === ">") return left > right ? 0 : 1;
  if (/^-(nt|ot|ef)$/.test(operator)) return compareFiles(shell, operator, left, right) ? 0 : 1;
  try {
    return compareNumbers(shell, operator, left, right) ? 0 : 1;
  } catch (error) {
    sayArithmetic(shell, error, "[[");
    return 1;
  }
}

function compareNumbers(shell: ShellInterpreter, operator: string, left: string, right: string): boolean {
  const [a, b] = [evaluateText(shell, left), evaluateText(shell, right)];
  switch (operator) {
    case "-eq":
      return a === b;
    case "-ne":
      return a !== b;
    case "-lt":
      return a < b;
    case "-le":
      return a <= b;
    case "-gt":
      return a > b;
    default:
      return a >= b;
  }
}

function* matchRegex(shell: ShellInterpreter, text: string, word: WordNode): Task<number> {
  const source = yield* expandRegex(shell, word);
  if (shell.state.options.has("xtrace")) yield* traceText(shell, `[[ ${quoteTrace(text)} =~ ${source} ]]`);
  let pattern: Matcher;
  try {
    pattern = compileCached(source, shell.state.shopt.has("nocasematch"));
  } catch (error) {
    if (error instanceof RegexError) return 2;
    throw error;
  }
  const match = pattern.find(text, 0);
  const found = match ? [text.slice(match.start, match.end), ...match.groups] : [];
  const groups = found.map((group) => ({ append: false, value: group ?? "" }));
  assignArray(shell, "BASH_REMATCH", groups, false);
  return match ? 0 : 1;
}
