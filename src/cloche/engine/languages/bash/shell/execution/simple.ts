/** Simple commands: assignments, words, redirections, and what the first word stands for. */
import { FileError } from "../../../../fs/files.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { ArithmeticError, blame } from "../arithmetic/evaluate.ts";
import { DECLARATIONS } from "../builtins/index.ts";
import { SPECIAL } from "../builtins/special.ts";
import { expandAssignment, expandWord, expandWords } from "../expansion/words.ts";
import {
  type ArrayElement,
  type DeclarationWord,
  ExitShell,
  type ExpandedAssignment,
  ExpansionError,
  fatal,
  type RunOptions,
} from "../interpreter.ts";
import { applyAssignment, assignVariable, isName, resolveName } from "../state/assign.ts";
import { EXPORTED, READONLY, TEMPORARY } from "../state/variables.ts";
import type { AssignmentNode, SimpleCommandNode, WordNode } from "../syntax/nodes.ts";
import { parseScript } from "../syntax/parser.ts";
import { isTask, type Task } from "../task.ts";
import { hasJobControl } from "../processes/jobs.ts";
import { environmentOf } from "./environment.ts";
import type { ShellInterpreter } from "./execute.ts";
import { callFunction } from "./functions.ts";
import { findBuiltin, type Found } from "./lookup.ts";
import { redirect, type Redirected } from "./redirect.ts";
import { runProgram } from "./run_program.ts";
import { traceAssignment, traceWords } from "./trace.ts";
import { runDebugTrap } from "./traps.ts";

export function* runSimple(shell: ShellInterpreter, given: SimpleCommandNode): Task<number> {
  const { state } = shell;
  const node = state.options.has("keyword") ? takeKeywords(given) : given;
  const open = shell.firstSubstitution = shell.openSubstitutions.length;
  state.line = node.line;
  state.command = node;
  if (state.traps.has("DEBUG") && (yield* runDebugTrap(shell, node))) return state.status;
  try {
    if (node.words.length === 0) return yield* runAssignments(shell, node, 0);
    state.lastSubstitution = undefined;
    const argv = yield* expandArguments(shell, node.words);
    if (argv.length === 0) return yield* runAssignments(shell, node, state.lastSubstitution ?? 0);
    return yield* runExpanded(shell, node, argv);
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.said) throw error;
    throw sayError(shell, error);
  } finally {
    if (shell.openSubstitutions.length > open) yield* shell.closeSubstitutions(open);
  }
}

const ASSIGNMENT = /^[A-Za-z_]\w*(\[.*\])?\+?=/;

/** After `set -k`, assignments count wherever they stand. */
function takeKeywords(node: SimpleCommandNode): SimpleCommandNode {
  const [first, ...rest] = node.words;
  const found = rest.filter(({ text }) => ASSIGNMENT.test(text));
  if (found.length === 0) return node;
  const assignments = found.flatMap(({ assignment, text }) => assignment ?? readAssignments(text));
  return {
    ...node,
    words: [first, ...rest.filter((word) => !found.includes(word))],
    assignments: [...node.assignments, ...assignments],
  };
}

function readAssignments(text: string): AssignmentNode[] {
  const [command] = parseScript(text).statements[0].pipelines[0].commands;
  return command.type === "Simple" ? command.assignments : [];
}

/** Says why an expansion failed; a fatal one ends the shell, and after `set -e` others that are no arithmetic do. */
export function sayError(shell: ShellInterpreter, error: ExpansionError): Error {
  shell.complain(error.message);
  error.said = true;
  const strict = shell.state.options.has("errexit");
  const code = shell.state.status = error.fatal && strict ? 1 : error.code;
  return error.fatal || strict && !(error instanceof ArithmeticError) ? new ExitShell(code) : error;
}

/** The fields of a command's words; those of a builtin that declares keep their assignments. */
function* expandArguments(shell: ShellInterpreter, words: WordNode[]): Task<DeclarationWord[]> {
  let plain = true;
  for (let i = 0; i < words.length && plain; i++) {
    plain = words[i].plain !== undefined && words[i].assignment === undefined;
  }
  if (plain) return words.map((word) => word.plain as string);
  if (!words.some((word) => word.assignment)) return yield* expandWords(shell, words);
  const declares = isDeclaration(shell, words);
  const associative = declares && words.some(({ plain }) => plain !== undefined && /^-\w*A/.test(plain));
  const found: DeclarationWord[] = [];
  for (const word of words) {
    if (declares && word.assignment) found.push(yield* expandAssignment(shell, word.assignment, associative));
    else found.push(...yield* expandWords(shell, [word]));
  }
  return found;
}

function isDeclaration(shell: ShellInterpreter, words: WordNode[]): boolean {
  let at = 0;
  while (words[at]?.plain === "command" || words[at]?.plain === "builtin") at++;
  const name = words[at]?.plain;
  return name !== undefined && Object.hasOwn(DECLARATIONS, name) && !shell.state.functions.has(name);
}

/** Assignments without a command: they stay, and `$?` is that of the last substitution. */
function* runAssignments(shell: ShellInterpreter, node: SimpleCommandNode, status: number): Task<number> {
  const { state } = shell;
  state.lastSubstitution = undefined;
  try {
    for (const assignment of node.assignments) yield* assign(shell, assignment);
  } catch (error) {
    throw strictly(shell, error);
  }
  state.lastArgument = "";
  const code = state.lastSubstitution ?? status;
  if (node.redirections.length === 0) return code;
  const redirected = yield* redirect(shell, node.redirections);
  redirected?.undo();
  return redirected ? code : 1;
}

function* assign(shell: ShellInterpreter, node: AssignmentNode): Task<void> {
  if (node.array || node.subscript) {
    const expanded = yield* expandAssignment(shell, node);
    if (shell.state.options.has("xtrace")) yield* traceAssignment(shell, expanded);
    return applyAssignment(shell, expanded);
  }
  const value = node.value === undefined ? "" : node.value.plain ?? (yield* expandWord(shell, node.value));
  if (shell.state.options.has("xtrace")) yield* traceAssignment(shell, { name: node.name, append: node.append, value });
  assignVariable(shell, node.name, value, node.append);
}

/** Runs a command whose words are expanded, with its redirections and assignments. */
function* runExpanded(shell: ShellInterpreter, node: SimpleCommandNode, argv: DeclarationWord[]): Task<number> {
  const { state } = shell;
  const name = String(argv[0]);
  if (state.options.has("xtrace")) yield* traceWords(shell, argv);
  if (node.redirections.length === 0 && node.assignments.length === 0) {
    const code = yield* dispatch(shell, name, argv, undefined);
    state.lastArgument = lastText(argv);
    return code;
  }
  const redirected = node.redirections.length > 0 ? yield* redirect(shell, node.redirections) : undefined;
  if (node.redirections.length > 0 && !redirected) {
    if (SPECIAL.has(name) && state.options.has("posix")) throw new ExitShell(1);
    return 1;
  }
  // In POSIX mode, assignments before a special builtin stay.
  const scoped = node.assignments.length > 0 && !(state.options.has("posix") && SPECIAL.has(name));
  if (scoped) state.variables.pushScope(true);
  try {
    for (const each of node.assignments) yield* assignBefore(shell, each, scoped);
    const code = yield* dispatch(shell, name, argv, redirected);
    state.lastArgument = lastText(argv);
    return code;
  } finally {
    if (scoped) state.variables.popScope();
    redirected?.undo();
  }
}

/** An assignment before a command: exported, and gone after it. */
function* assignBefore(shell: ShellInterpreter, node: AssignmentNode, scoped: boolean): Task<void> {
  const { variables } = shell.state;
  const expanded = yield* expandAssignment(shell, node);
  if (shell.state.options.has("xtrace")) yield* traceAssignment(shell, expanded);
  if (!scoped) return assignStrictly(shell, expanded);
  const { subscript, append, value } = expanded;
  const target = resolveName(shell, expanded.name);
  const name = isName(target) ? target : expanded.name;
  const before = variables.find(name);
  if (subscript !== undefined) return shell.complain(`\`${name}[${subscript}]': not a valid identifier`);
  if (before && before.attributes & READONLY) return refuseReadonly(shell, name);
  const text = typeof value === "string" ? value : `(${value.map(elementText).join(" ")})`;
  variables.hideTemporarily(name);
  assignVariable(shell, name, append && typeof before?.value === "string" ? before.value + text : text);
  const variable = variables.find(name);
  if (variable) variables.replace(name, { ...variable, attributes: variable.attributes | EXPORTED | TEMPORARY });
  if (node.name === "PATH") shell.state.hashed.clear();
}

function assignStrictly(shell: ShellInterpreter, assignment: ExpandedAssignment): void {
  try {
    applyAssignment(shell, assignment);
  } catch (error) {
    throw strictly(shell, error);
  }
}

/** What an assignment failed with: in POSIX mode that ends a script, unless it is arithmetic. */
export function strictly(shell: ShellInterpreter, error: unknown): unknown {
  if (!(error instanceof ExpansionError) || error.said || error instanceof ArithmeticError) return error;
  const { options, interactive } = shell.state;
  return options.has("posix") && !interactive ? fatal(shell, error.message) : error;
}

/** What cannot be assigned is said, and the command runs without it; in POSIX mode it does not run. */
function refuseReadonly(shell: ShellInterpreter, name: string): void {
  const error = new ExpansionError(`${name}: readonly variable`, false);
  if (shell.state.options.has("posix")) throw error;
  const end = sayError(shell, error);
  if (end instanceof ExitShell) throw end;
}

function elementText({ subscript, value }: ArrayElement): string {
  return subscript === undefined ? value : `[${subscript}]=${value}`;
}

function lastText(argv: DeclarationWord[]): string {
  const last = argv[argv.length - 1];
  if (typeof last === "string") return last;
  return typeof last.value === "string" ? `${last.name}${last.append ? "+=" : "="}${last.value}` : last.name;
}

function* dispatch(
  shell: ShellInterpreter,
  name: string,
  argv: DeclarationWord[],
  redirected: Redirected | undefined,
): Task<number> {
  const { state } = shell;
  const posix = state.options.has("posix") && SPECIAL.has(name);
  const found: Found | undefined = state.functions.size > 0 && !posix && state.functions.has(name)
    ? { type: "function", function: state.functions.get(name) as never }
    : findBuiltin(shell, name);
  if (!found) {
    // A job by its name is brought to the foreground.
    if (name.startsWith("%") && hasJobControl(shell)) return yield* runWords(shell, ["fg", ...argv], { builtin: true });
    return yield* runProgram(shell, argv as string[], environmentOf(shell));
  }
  if (redirected && opensForGood(argv)) redirected.commit();
  if (!posix) return yield* runFound(shell, found, name, argv);
  state.specialFailed = false;
  const code = yield* runFound(shell, found, name, argv);
  if (state.specialFailed && code !== 0 && state.conditions === 0 && !state.interactive) throw new ExitShell(code);
  return code;
}

/** Whether it is `exec` without a program, whose redirections stay. */
function opensForGood(argv: DeclarationWord[]): boolean {
  let at = 0;
  while (argv[at] === "command") at++;
  return argv[at] === "exec" && (argv.length === at + 1 || argv.length === at + 2 && argv[at + 1] === "--");
}

function* runFound(shell: ShellInterpreter, found: Found, name: string, argv: DeclarationWord[]): Task<number> {
  if (found.type === "function") return yield* callFunction(shell, name, found.function, (argv as string[]).slice(1));
  if (found.type !== "builtin" && found.type !== "declaration") throw new Error(`${name} is no builtin`);
  try {
    const code = found.type === "builtin"
      ? found.run(shell, (argv as string[]).slice(1))
      : found.run(shell, argv.slice(1));
    return isTask(code) ? yield* code : code;
  } catch (error) {
    return sayBuiltinError(shell, name, error);
  }
}

/** A builtin that cannot write, or cannot assign what it is to, says so and fails. */
export function sayBuiltinError(shell: ShellInterpreter, name: string, error: unknown): number {
  if (error instanceof FileError) shell.complain(`${name}: write error: ${reasonOf(error)}`);
  else if (!(error instanceof ExpansionError) || error.said || error.fatal || error instanceof ArithmeticError) {
    blame(error, name);
    if (name !== "let" || !(error instanceof ArithmeticError)) throw error;
    shell.complain(error.message);
  } else shell.complain(error.message.startsWith("`") ? `${name}: ${error.message}` : error.message);
  return 1;
}

/** Runs words as a command, for `command`, `builtin`, `exec` and programs that run others. */
export function* runWords(
  shell: ShellInterpreter,
  words: DeclarationWord[],
  options: RunOptions,
): Task<number> {
  const name = String(words[0]);
  const own = options.functions === false || options.builtin ? undefined : shell.state.functions.get(name);
  const found: Found | undefined = own
    ? { type: "function", function: own }
    : options.program
    ? undefined
    : findBuiltin(shell, name);
  if (found) return yield* runFound(shell, found, name, words);
  if (options.builtin) {
    shell.complain(`builtin: ${name}: not a shell builtin`);
    return 1;
  }
  return yield* runProgram(shell, words as string[], options.env ?? environmentOf(shell), options);
}
