/** bash and sh as programs: a script, a file, or standard input. */
import { INTERRUPT_KEY } from "../../../../worker/programs/input.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { decodeText, fromArray } from "../../text/byte_strings.ts";
import { loadHistory, saveHistory } from "../history/file.ts";
import { descriptorPath, readWhole } from "../descriptors/paths.ts";
import { type TerminalInput, terminalOf } from "../descriptors/terminal.ts";
import { ExpansionError } from "../interpreter.ts";
import { endingOf } from "../syntax/ending.ts";
import type { ProgramContext } from "../execution/run_program.ts";
import { type ShellInterpreter, startShell } from "../execution/execute.ts";
import { readVariable } from "../state/assign.ts";
import {
  parseOptions,
  SET_OPTIONS,
  type SetOption,
  setPosix,
  type ShellState,
  SHOPT_OPTIONS,
} from "../state/shell_state.ts";
import { type Task, wait } from "../task.ts";
import { printStatement } from "../syntax/print.ts";
import { parseStart, type Start } from "./bash_options.ts";
import type { Command } from "./command.ts";
import { searchPath } from "./find_program.ts";

export function bashCommand(name: string): Command {
  return {
    name,
    run(given) {
      const context = given as ProgramContext;
      const start = parseStart(name, context.argv.slice(1));
      if (name === "sh" || name === "dash") start.set.unshift(["posix", true]);
      if (start.done) {
        const bytes = new TextEncoder().encode(start.done.text);
        const written = context.fds.find(start.done.code === 0 ? 1 : 2)?.write(bytes);
        const { code } = start.done;
        return written instanceof Promise ? written.then(() => code) : code;
      }
      const shell = startShell(context);
      const [called = name] = context.argv;
      setUp(shell.state, called, start);
      return context.runShell(shell, runShell(shell, called, start));
    },
  };
}

function setUp(state: ShellState, name: string, start: Start): void {
  const { variables } = state;
  const argv0 = variables.find("BASH_ARGV0")?.value;
  state.name = typeof argv0 === "string" ? argv0 : name;
  inheritOptions(state);
  for (const [option, on] of start.set) {
    if (on) state.options.add(option as SetOption);
    else state.options.delete(option as SetOption);
  }
  for (const [option, on] of start.shopt) {
    if (on) state.shopt.add(option);
    else state.shopt.delete(option);
  }
  if (start.login) state.shopt.add("login_shell");
  if (start.interactive) {
    state.shopt.add("expand_aliases");
    state.options.add("histexpand").add("history");
    if (start.editing) state.options.add("emacs");
    state.startLetters = "i";
    const home = variables.find("HOME")?.value ?? "";
    if (!variables.find("HISTFILE")) {
      variables.replace("HISTFILE", { value: `${home}/.bash_history`, attributes: 0 });
    }
    if (!variables.find("PS1")) variables.replace("PS1", { value: "\\s-\\v\\$ ", attributes: 0 });
  }
  if (state.options.has("posix")) setPosix(state, true);
}

/** Turns on what the shell that exported SHELLOPTS or BASHOPTS had on. */
function inheritOptions(state: ShellState): void {
  const known: [string, Set<string>, readonly string[]][] = [
    ["SHELLOPTS", state.options, SET_OPTIONS],
    ["BASHOPTS", state.shopt, SHOPT_OPTIONS],
  ];
  for (const [name, on, all] of known) {
    const given = state.variables.find(name);
    if (typeof given?.value !== "string") continue;
    for (const option of given.value.split(":")) if (all.includes(option)) on.add(option);
    state.variables.replace(name, { value: undefined, attributes: given.attributes });
  }
}

function* runShell(shell: ShellInterpreter, name: string, start: Start): Task<number> {
  const { state } = shell;
  yield* runStartup(shell, start);
  if (!start.login) return yield* runWork(shell, name, start);
  const code = yield* shell.guard(runWork(shell, name, start));
  yield* runHomeFile(shell, [".bash_logout"]);
  return state.status = code;
}

/** The files that are read before the script. */
function* runStartup(shell: ShellInterpreter, start: Start): Task<void> {
  if (start.login && !start.bare) {
    yield* runFile(shell, "/etc/profile");
    yield* runHomeFile(shell, [".bash_profile", ".bash_login", ".profile"]);
  }
  const { options } = shell.state;
  const file = start.interactive ? start.rc : options.has("posix") ? "" : readVariable(shell, "BASH_ENV");
  if (file) yield* runFile(shell, file);
}

/** Runs the first of these files in the home folder. */
function* runHomeFile(shell: ShellInterpreter, names: string[]): Task<void> {
  const home = readVariable(shell, "HOME");
  const file = names.map((name) => `${home}/${name}`).find((path) => home && shell.files.exists(shell.resolve(path)));
  if (file) yield* runFile(shell, file);
}

/** Runs what the words ask for: a text, a file, or standard input. */
function* runWork(shell: ShellInterpreter, name: string, start: Start): Task<number> {
  const { state } = shell;
  const [first, ...rest] = start.words;
  if (start.command) {
    if (first === undefined) {
      shell.say(`${name}: -c: option requires an argument`);
      return 2;
    }
    state.name = rest[0] ?? state.name;
    state.positional = rest.slice(1);
    state.startLetters += "c";
    return yield* shell.runText(first, undefined, "-c");
  }
  if (first === undefined || start.stdin) {
    state.positional = start.words;
    state.startLetters += "s";
    const terminal = terminalOf(shell.fds.find(0));
    if (terminal) return yield* runTerminal(shell, name, terminal);
    return start.interactive ? yield* runPrompted(shell, start.editing) : yield* shell.runInput();
  }
  state.name = first;
  state.positional = rest;
  state.frames.push({ kind: "main", name: "main", source: first, callLine: 0 });
  return yield* runScript(shell, name, first, start.pretty);
}

function* runScript(shell: ShellInterpreter, name: string, file: string, pretty: boolean): Task<number> {
  try {
    const path = findScript(shell, file);
    if (descriptorPath(path) === undefined && shell.files.stat(path).kind === "directory") {
      shell.say(`${file}: ${file}: Is a directory`);
      return 126;
    }
    const bytes = yield* wait(readWhole(shell.files, shell.fds, path));
    const line = bytes.indexOf(10);
    if (bytes.subarray(0, line < 0 ? 80 : line).includes(0)) {
      shell.say(`${file}: ${file}: cannot execute binary file`);
      return 126;
    }
    const text = decodeText(fromArray(bytes));
    return pretty ? yield* printScript(shell, text) : yield* shell.runText(text);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "FileError") throw error;
    shell.say(`${name}: ${file}: ${reasonOf(error)}`);
    return 127;
  }
}

/** The path of a script: a name that is not in the folder is looked for in PATH. */
function findScript(shell: ShellInterpreter, file: string): string {
  const path = shell.resolve(file);
  if (file.includes("/") || shell.files.exists(path)) return path;
  for (const found of searchPath(shell, file, undefined, false)) return shell.resolve(found.path);
  return path;
}

/** Prints a script as bash would write it, an empty line for lines without commands. */
function* printScript(shell: ShellInterpreter, text: string): Task<number> {
  const parser = shell.parserOf(text);
  const { scanner } = parser;
  for (;;) {
    const { line } = scanner;
    scanner.skipLines();
    if (scanner.line > line) yield* shell.print("\n");
    const statements = parser.parseLine();
    if (!statements) break;
    for (const statement of statements) yield* shell.print(`${printStatement(statement)}\n`);
  }
  yield* shell.print("\n");
  return 0;
}

/** Runs what is typed at a terminal, each command when it is whole. */
function* runTerminal(shell: ShellInterpreter, name: string, terminal: TerminalInput): Task<number> {
  const { state } = shell;
  state.interactive = true;
  for (let text = "";;) {
    const prompt = text === "" ? `${name === "bash" ? "bash-5.2" : ""}$ ` : "> ";
    const line = yield* wait(terminal.prompt(prompt, false, undefined, true));
    if (line === undefined) return state.status;
    const typed = decodeText(fromArray(line));
    if (typed.startsWith(INTERRUPT_KEY)) {
      text = "";
      state.status = 130;
      continue;
    }
    text += typed;
    if (!endingOf(text, parseOptions(state)).whole) continue;
    yield* runTyped(shell, text);
    text = "";
  }
}

/** What goes wrong ends the command, not the shell. */
function* runTyped(shell: ShellInterpreter, text: string): Task<void> {
  try {
    shell.state.status = yield* shell.runText(text);
  } catch (error) {
    if (!(error instanceof ExpansionError)) throw error;
    shell.complain(error.message);
    shell.state.status = 1;
  }
}

/** Runs standard input as if it were typed: with prompts, a history, and PROMPT_COMMAND before each command. */
function* runPrompted(shell: ShellInterpreter, shows: boolean): Task<number> {
  loadHistory(shell);
  shell.beforePrompt = function* () {
    const { status } = shell.state;
    const command = readVariable(shell, "PROMPT_COMMAND");
    if (command) yield* shell.runText(command);
    shell.state.status = status;
  };
  try {
    return yield* shell.runInput({ shows });
  } finally {
    saveHistory(shell);
  }
}

function* runFile(shell: ShellInterpreter, file: string): Task<void> {
  try {
    yield* shell.runSource(file, decodeText(fromArray(shell.files.readFile(shell.resolve(file)))), undefined);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "FileError") throw error;
  }
}
