/** Commands that need not wait for anything: run without a generator, which makes loops several times as fast. */
import { FileError } from "../../../../fs/files.ts";
import { expandNode } from "../arithmetic/evaluate.ts";
import { SPECIAL } from "../builtins/special.ts";
import { readParameter } from "../expansion/parameters.ts";
import { ExpansionError } from "../interpreter.ts";
import { assignVariable, readVariable } from "../state/assign.ts";
import type { ParameterPart, SimpleCommandNode, StatementNode, WordNode, WordPart } from "../syntax/nodes.ts";
import { isTask, type Task } from "../task.ts";
import type { ShellInterpreter } from "./execute.ts";
import { findBuiltin } from "./lookup.ts";
import { sayBuiltinError, sayError, strictly } from "./simple.ts";

const QUICK: unique symbol = Symbol("cloche.quick");

/** What is known of a statement: "no", or how its only command can be run. */
type Kind = "no" | "assign" | "words";
type Known = StatementNode & { [QUICK]?: Kind };

/** Characters that could split a field or make it a pattern. */
const ACTIVE = /[\s*?[\\]|[+@!]\(/;

/** Runs a statement now; undefined if it cannot be, and nothing was done. */
export function runQuickly(shell: ShellInterpreter, node: StatementNode): number | Task<number> | undefined {
  const kind = (node as Known)[QUICK] ??= kindOf(node);
  if (kind === "no") return undefined;
  const { state } = shell;
  if (state.traps.has("DEBUG") || state.options.has("xtrace") || state.options.has("keyword")) return undefined;
  const command = node.pipelines[0].commands[0] as SimpleCommandNode;
  state.line = command.line;
  state.command = command;
  try {
    return kind === "assign" ? runAssignments(shell, command) : runWords(shell, command);
  } catch (thrown) {
    const error = kind === "assign" ? strictly(shell, thrown) : thrown;
    if (!(error instanceof ExpansionError) || error.said) throw error;
    throw sayError(shell, error);
  }
}

function kindOf(node: StatementNode): Kind {
  if (node.background || node.pipelines.length !== 1) return "no";
  const [pipeline] = node.pipelines;
  const [command] = pipeline.commands;
  if (pipeline.negated || pipeline.timed || pipeline.commands.length !== 1 || command.type !== "Simple") return "no";
  if (command.redirections.length > 0) return "no";
  if (command.words.length === 0) {
    const quick = command.assignments.every(({ array, subscript, value }) =>
      !array && !subscript && (!value || isQuick(value))
    );
    return quick ? "assign" : "no";
  }
  if (command.assignments.length > 0 || !command.words.every((word) => isQuick(word) && !word.assignment)) return "no";
  // What was computed must not be computed again if a later word turns out to need more.
  const computes = command.words.some((word) => word.parts.some(hasArithmetic));
  const splits = command.words.some((word) => word.parts.some((part) => part.type === "Parameter"));
  return computes && splits ? "no" : "words";
}

function isQuick(word: WordNode): boolean {
  return word.plain !== undefined || word.parts.every(isQuickPart);
}

function isQuickPart(part: WordPart): boolean {
  switch (part.type) {
    case "Literal":
      return !ACTIVE.test(part.value);
    case "Quoted":
      return true;
    case "DoubleQuoted":
      return part.parts.every((each) => each.type === "Literal" || isQuickPart(each));
    case "Parameter":
      return isSimple(part);
    case "ArithmeticExpansion":
      return !part.expression.word;
  }
  return false;
}

function isSimple({ name, operation, subscript, indirect }: ParameterPart): boolean {
  return !operation && !subscript && !indirect && name !== "@" && name !== "*";
}

function hasArithmetic(part: WordPart): boolean {
  return part.type === "ArithmeticExpansion" || part.type === "DoubleQuoted" && part.parts.some(hasArithmetic);
}

function textOf(shell: ShellInterpreter, parts: WordPart[]): string {
  let text = "";
  for (const part of parts) {
    if (part.type === "Literal" || part.type === "Quoted") text += part.value;
    else if (part.type === "Parameter") text += readParameter(shell, part);
    else if (part.type === "DoubleQuoted") text += textOf(shell, part.parts);
    else if (part.type === "ArithmeticExpansion") text += String(expandNode(shell, part.expression));
  }
  return text;
}

function runAssignments(shell: ShellInterpreter, node: SimpleCommandNode): number {
  for (const { name, value, append } of node.assignments) {
    assignVariable(shell, name, value === undefined ? "" : value.plain ?? textOf(shell, value.parts), append);
  }
  shell.state.lastArgument = "";
  return 0;
}

function runWords(shell: ShellInterpreter, node: SimpleCommandNode): number | Task<number> | undefined {
  const { state } = shell;
  const { words } = node;
  const name = words[0].plain;
  if (name === undefined || state.functions.size > 0 && state.functions.has(name)) return undefined;
  // In POSIX mode these may end the script.
  if (state.options.has("posix") && SPECIAL.has(name)) return undefined;
  const found = findBuiltin(shell, name);
  if (!found || found.type !== "builtin") return undefined;
  const args: string[] = [];
  for (let i = 1; i < words.length; i++) {
    const { plain, parts } = words[i];
    const text = plain ?? textOf(shell, parts);
    if (plain === undefined && splits(shell, parts, text)) return undefined;
    args.push(text);
  }
  state.lastArgument = args.length > 0 ? args[args.length - 1] : name;
  try {
    const code = found.run(shell, args);
    return isTask(code) ? finish(shell, name, code) : code;
  } catch (error) {
    return sayBuiltinError(shell, name, error);
  }
}

/** Whether what was expanded without quotes may be no field, several, or a pattern. */
function splits(shell: ShellInterpreter, parts: WordPart[], text: string): boolean {
  let quoted = false;
  let open = false;
  for (const part of parts) {
    if (part.type === "Parameter" || part.type === "ArithmeticExpansion") open = true;
    else quoted = true;
  }
  if (!open) return false;
  if (text === "" && !quoted) return true;
  return ACTIVE.test(text) || (readVariable(shell, "IFS") ?? " \t\n") !== " \t\n";
}

function* finish(shell: ShellInterpreter, name: string, task: Task<number>): Task<number> {
  try {
    return yield* task;
  } catch (error) {
    if (error instanceof FileError || error instanceof ExpansionError && !error.said) {
      return failLate(shell, name, error);
    }
    throw error;
  }
}

/** A failure after the statement has begun to wait. */
function failLate(shell: ShellInterpreter, name: string, error: Error): number {
  try {
    return sayBuiltinError(shell, name, error);
  } catch (thrown) {
    if (thrown instanceof ExpansionError && !thrown.said) throw sayError(shell, thrown);
    throw thrown;
  }
}
