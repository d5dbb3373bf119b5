/** Reads commands line by line as they enter the history, with what `!` stands for in its place. */
import type { Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import { parseOptions } from "../state/shell_state.ts";
import { type Ending, endingOf } from "../syntax/ending.ts";
import type { Parser } from "../syntax/parser.ts";
import { expandHistory, HistoryError } from "./expand.ts";
import { addCommand } from "./record.ts";

const CHARACTERS = "!^#";
/** After these a line goes on without a semicolon. */
const OPEN_END = /(?:^|[\s;&|()])(?:then|do|else|if|while|until|in|case\s+\S+|function\s+\S+|[{}!])$|[;&|({)]$/;

/** Takes the next command of a script into the history, and the comments before it. */
export function readCommand(shell: Interpreter, parser: Parser): void {
  const { scanner } = parser;
  while (!scanner.ended) {
    const read = readLines(shell, parser);
    if (!/^[ \t]*(?:#.*)?\n$/.test(read)) return;
    scanner.at = Math.min(scanner.at + read.length, scanner.text.length);
    scanner.line++;
  }
}

/** The lines of one command; expansions are put into the script's text. */
function readLines(shell: Interpreter, { scanner }: Parser): string {
  const { history } = shell.state;
  let saved = false;
  let read = "";
  let ending: Ending = { whole: false, quote: "", document: false };
  let at = scanner.at;
  for (let count = 1; at < scanner.text.length && !ending.whole; count++) {
    const end = lineEnd(scanner.text, at);
    const raw = scanner.text.slice(at, end);
    shell.state.line = scanner.line + count - 1;
    const line: string | undefined = ending.document ? raw : expandLine(shell, raw, ending.quote, saved);
    if (line !== raw) scanner.text = scanner.text.slice(0, at) + (line ?? "") + scanner.text.slice(end);
    if (line !== undefined) {
      if (count === 1) saved = history.added = line !== "" && addCommand(shell, line);
      else if (saved) extend(shell, read, line, ending);
      history.pushed = false;
    }
    read += `${line ?? ""}\n`;
    at += (line ?? "").length + 1;
    ending = endingOf(read, parseOptions(shell.state));
  }
  return read;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** A line with its expansions; undefined if one fails or is only to be shown. */
function expandLine(shell: Interpreter, line: string, quote: string, continues: boolean): string | undefined {
  const { state } = shell;
  const characters = readVariable(shell, "histchars") ?? CHARACTERS;
  if (!state.options.has("histexpand") || !line.includes(characters[0]) && line[0] !== characters[1]) return line;
  // The lines of a command do not refer to itself.
  const own = continues ? state.history.lines.pop() : undefined;
  try {
    const { extglob, posix } = { extglob: state.shopt.has("extglob"), posix: state.options.has("posix") };
    const { text, changed, printOnly } = expandHistory(state.history, line, { characters, extglob, posix, quote });
    if (changed) shell.say(text);
    if (printOnly) addCommand(shell, text);
    return printOnly ? undefined : text;
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    shell.complain(error.message);
    return undefined;
  } finally {
    if (own !== undefined) state.history.lines.push(own);
  }
}

/** Adds a further line to the command's entry. */
function extend(shell: Interpreter, before: string, line: string, ending: Ending): void {
  const { history, shopt } = shell.state;
  if (!shopt.has("cmdhist")) return history.add(line);
  const literal = shopt.has("lithist");
  if (/^\s*#/.test(line) && !literal && ending.quote === "" && !ending.document) return;
  const last = history.lines.length - 1;
  const entry = history.lines[last];
  if (ending.document) {
    history.lines[last] = `${entry}${entry.endsWith("\n") ? "" : "\n"}${line}\n`;
    return;
  }
  const joined = ending.quote === "" && /(?<!\\)\\$/.test(entry);
  const separator = literal || ending.quote !== "" ? "\n" : joined ? "" : separatorOf(before, line);
  const between = separator === "; " && entry.endsWith("\n") ? " " : separator;
  history.lines[last] = (joined ? entry.slice(0, -1) : entry) + between + line;
}

/** What stands between two lines of a command when they become one. */
function separatorOf(before: string, line: string): string {
  const last = before.trimEnd();
  if (/(?:^|[\s;&|])for\s+\w+$/.test(last)) return /^\s*in\b/.test(line) ? " " : ";";
  if (OPEN_END.test(last) || /\w\s*\(\s*\)$/.test(last) || /=\([^)]*$/.test(last)) return " ";
  return line.trim() === "" ? "" : "; ";
}
