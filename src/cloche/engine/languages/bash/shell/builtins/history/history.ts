/** history. */
import { expandHistory, HistoryError } from "../../history/expand.ts";
import { appendNew, readLines, writeLines } from "../../history/file.ts";
import { addCommand, trimHistory } from "../../history/record.ts";
import type { Builtin, Interpreter } from "../../interpreter.ts";
import { readVariable } from "../../state/assign.ts";
import type { Task } from "../../task.ts";
import { fc } from "./fc.ts";
import { readCount, readFlags } from "../options.ts";

const history: Builtin = function* (shell, args): Task<number> {
  const { state } = shell;
  const given = readFlags(shell, "history", args, "cd:anrwps");
  if (!given) return 2;
  if ([..."anrw"].filter((letter) => given.has(letter)).length > 1) {
    shell.complain("history: cannot use more than one of -anrw");
    return 1;
  }
  trimHistory(shell);
  if (given.has("c")) state.history.clear();
  const offset = given.get("d");
  if (offset !== undefined) return deleteLines(shell, offset);
  if (given.has("s")) return replaceCommand(shell, given.rest);
  if (given.has("p")) return yield* show(shell, given.rest);
  for (const letter of "anrw") if (given.has(letter)) return exchange(shell, letter, given.rest[0]);
  if (given.has("c")) return 0;
  return yield* list(shell, given.rest);
};

/** -s: the words in the place of this command. */
function replaceCommand(shell: Interpreter, words: string[]): number {
  const { history } = shell.state;
  forgetCommand(shell);
  if (words.length > 0) addCommand(shell, words.join(" "));
  history.pushed = true;
  return 0;
}

/** Takes the command that runs out of the history, if it is there. */
function forgetCommand({ state: { history, options } }: Interpreter): void {
  if (options.has("history") && history.added && !history.pushed) history.removeLast();
}

/** -p: what the words expand to. */
function* show(shell: Interpreter, words: string[]): Task<number> {
  const { state } = shell;
  forgetCommand(shell);
  const characters = readVariable(shell, "histchars") ?? "!^#";
  const options = { characters, extglob: state.shopt.has("extglob"), posix: false, quote: "" };
  let code = 0;
  for (const word of words) {
    try {
      yield* shell.print(`${expandHistory(state.history, word, options).text}\n`);
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      shell.complain(`history: ${word}: history expansion failed`);
      code = 1;
    }
  }
  return code;
}

function* list(shell: Interpreter, words: string[]): Task<number> {
  const { lines, base } = shell.state.history;
  const most = words.length === 0 ? lines.length : readCount(shell, "history", words);
  if (most === undefined) return 1;
  const count = Math.min(Math.abs(most), lines.length);
  const first = lines.length - count;
  const shown = lines.slice(first).map((line, i) => `${String(base + first + i).padStart(5)}  ${line}\n`);
  yield* shell.print(shown.join(""));
  return 0;
}

/** -d: one line or a range, by numbers or from the end. */
function deleteLines(shell: Interpreter, offset: string): number {
  const { history } = shell.state;
  const [, from, to] = /^(-?\w+?)(?:-(-?\w+))?$/.exec(offset) ?? [];
  const place = (text: string) => {
    const number = /^-?\d+$/.test(text) ? Number(text) : NaN;
    return text.startsWith("-") ? history.lines.length + number : number - history.base;
  };
  const refuse = (text: string) => {
    shell.complain(`history: ${text}: history position out of range`);
    return 1;
  };
  const isPlace = (at: number) => at >= 0 && at < history.lines.length;
  if (from === undefined) return refuse(offset);
  const first = place(from);
  if (!isPlace(first)) return refuse(Number.isNaN(first) ? offset : from);
  const last = to === undefined ? first : place(to);
  if (!isPlace(last)) return refuse(Number.isNaN(last) ? offset : to);
  if (last < first) return refuse(offset);
  history.lines.splice(first, last - first + 1);
  return 0;
}

/** -a, -n, -r and -w: between the list and its file. */
function exchange(shell: Interpreter, letter: string, given: string | undefined): number {
  const { history } = shell.state;
  const file = given ?? readVariable(shell, "HISTFILE");
  if (!file) return 1;
  if (letter === "a") return appendNew(shell, file) ? 0 : 1;
  if (letter === "w") {
    history.unsaved = 0;
    return writeLines(shell, file, history.lines, false) ? 0 : 1;
  }
  const lines = readLines(shell, file);
  if (!lines) return 1;
  history.lines.push(...letter === "n" ? lines.slice(history.read) : lines);
  history.read = lines.length;
  trimHistory(shell);
  return 0;
}

export const historyBuiltins: Record<string, Builtin> = { history, fc };
