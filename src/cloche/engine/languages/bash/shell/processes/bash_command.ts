/** bash and sh as programs: a script, a file, or standard input. */
import { INTERRUPT_KEY } from "../../../../worker/program_input.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { decodeText, fromArray } from "../../text/byte_strings.ts";
import { loadHistory, saveHistory } from "../history/file.ts";
import { descriptorPath, readWhole } from "../descriptors/paths.ts";
import { Input } from "../descriptors/input.ts";
import { type TerminalInput, terminalOf } from "../descriptors/terminal.ts";
import { ExpansionError } from "../interpreter.ts";
import { parseScript } from "../syntax/parser.ts";
import { ShellSyntaxError } from "../syntax/scanner.ts";
import type { ProgramContext } from "../execution/run_program.ts";
import { type ShellInterpreter, startShell } from "../execution/execute.ts";
import { readVariable } from "../state/assign.ts";
import { SET_LETTERS, SET_OPTIONS, type SetOption, type ShellState, SHOPT_OPTIONS } from "../state/shell_state.ts";
import { type Task, wait } from "../task.ts";
import type { Command } from "./command.ts";

interface Start {
  set: [name: string, on: boolean][];
  shopt: [name: string, on: boolean][];
  command: boolean;
  stdin: boolean;
  interactive: boolean;
  login: boolean;
  rc?: string;
  words: string[];
  done?: { text: string; code: number };
}

const VERSION = "GNU bash, version 5.2.0(1)-release (x86_64-pc-linux-gnu)\n";
/** Options about things that are not read here anyway. */
const WITHOUT_EFFECT = new Set(["--norc", "--noprofile", "--noediting"]);
const LONG_WITH_VALUE = new Set(["--rcfile", "--init-file"]);

function parseStart(name: string, args: readonly string[]): Start {
  const start: Start = {
    set: [],
    shopt: [],
    command: false,
    stdin: false,
    interactive: false,
    login: false,
    words: [],
  };
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    if (word === "--" || word === "-") {
      at++;
      break;
    }
    if (word === "--version") return { ...start, done: { text: VERSION, code: 0 } };
    if (word === "--help") return { ...start, done: { text: `Usage: ${name} [option] script-file ...\n`, code: 0 } };
    if (word === "--posix") start.set.push(["posix", true]);
    else if (word === "--login") start.login = true;
    else if (LONG_WITH_VALUE.has(word)) start.rc = args[++at];
    else if (WITHOUT_EFFECT.has(word)) continue;
    else if (word.startsWith("--")) return { ...start, done: refuse(name, word) };
    else if (!/^[-+]./.test(word)) break;
    else {
      const on = word[0] === "-";
      for (const letter of word.slice(1)) {
        if (letter === "c") start.command = true;
        else if (letter === "s") start.stdin = true;
        else if (letter === "i") start.interactive = true;
        else if (letter === "l") start.login = true;
        else if (letter === "o" || letter === "O") start[letter === "o" ? "set" : "shopt"].push([args[++at] ?? "", on]);
        else if (letter in SET_LETTERS) start.set.push([SET_LETTERS[letter], on]);
        else return { ...start, done: refuse(name, `${word[0]}${letter}`) };
      }
    }
  }
  start.words = args.slice(at);
  const unknown = start.set.find(([option]) => !SET_OPTIONS.includes(option as SetOption)) ??
    start.shopt.find(([option]) => !SHOPT_OPTIONS.includes(option));
  if (unknown) return { ...start, done: { text: `${name}: ${unknown[0]}: invalid option name\n`, code: 2 } };
  return start;
}

function refuse(name: string, option: string): Start["done"] {
  return { text: `${name}: ${option}: invalid option\nUsage: ${name} [option] script-file ...\n`, code: 2 };
}

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
  state.name = name;
  for (const [option, on] of start.set) {
    if (on) state.options.add(option as SetOption);
    else state.options.delete(option as SetOption);
  }
  for (const [option, on] of start.shopt) {
    if (on) state.shopt.add(option);
    else state.shopt.delete(option);
  }
  if (start.interactive) {
    state.shopt.add("expand_aliases");
    state.options.add("emacs").add("histexpand").add("history");
    state.startLetters = "i";
    const home = state.variables.find("HOME")?.value ?? "";
    if (!state.variables.find("HISTFILE")) {
      state.variables.replace("HISTFILE", { value: `${home}/.bash_history`, attributes: 0 });
    }
  }
  if (state.options.has("posix")) state.shopt.add("expand_aliases");
}

function* runShell(shell: ShellInterpreter, name: string, start: Start): Task<number> {
  const { state } = shell;
  const [first, ...rest] = start.words;
  const startup = start.interactive ? start.rc : state.options.has("posix") ? "" : readVariable(shell, "BASH_ENV");
  if (startup) yield* runFile(shell, startup);
  if (start.command) {
    if (first === undefined) {
      shell.say(`${name}: -c: option requires an argument`);
      return 2;
    }
    state.name = rest[0] ?? name;
    state.positional = rest.slice(1);
    state.startLetters += "c";
    return yield* shell.runText(first, undefined, "-c");
  }
  if (first === undefined || start.stdin) {
    state.positional = start.words;
    state.startLetters += "s";
    const terminal = terminalOf(shell.fds.find(0));
    if (terminal) return yield* runTerminal(shell, name, terminal);
    const bytes = yield* wait(new Input(shell.fds.get(0)).readAll());
    const text = decodeText(fromArray(bytes));
    return start.interactive ? yield* runPrompted(shell, text) : yield* shell.runText(text);
  }
  state.name = first;
  state.positional = rest;
  state.frames.push({ kind: "main", name: "main", source: first, callLine: 0 });
  try {
    const path = shell.resolve(first);
    if (descriptorPath(path) === undefined && shell.files.stat(path).kind === "directory") {
      shell.say(`${first}: ${first}: Is a directory`);
      return 126;
    }
    const bytes = yield* wait(readWhole(shell.files, shell.fds, path));
    const line = bytes.indexOf(10);
    if (bytes.subarray(0, line < 0 ? 80 : line).includes(0)) {
      shell.say(`${first}: ${first}: cannot execute binary file`);
      return 126;
    }
    return yield* shell.runText(decodeText(fromArray(bytes)));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "FileError") throw error;
    shell.say(`${name}: ${first}: ${reasonOf(error)}`);
    return 127;
  }
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
    if (isIncomplete(text)) continue;
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

function isIncomplete(text: string): boolean {
  try {
    parseScript(text);
    return /\\\n$/.test(text);
  } catch (error) {
    return error instanceof ShellSyntaxError && error.incomplete === true;
  }
}

/** Runs text as if it were typed: with a history, and PROMPT_COMMAND before each line. */
function* runPrompted(shell: ShellInterpreter, text: string): Task<number> {
  loadHistory(shell);
  shell.beforePrompt = function* () {
    const { status } = shell.state;
    const command = readVariable(shell, "PROMPT_COMMAND");
    if (command) yield* shell.runText(command);
    shell.state.status = status;
  };
  try {
    return yield* shell.runText(text);
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
