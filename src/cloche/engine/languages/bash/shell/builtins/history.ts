/** history and fc, and the file that keeps commands between sessions. */
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import type { Task } from "../task.ts";
import { readFlags } from "./options.ts";

const USAGE = "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]";
const FC_USAGE = "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]";
/** As many commands as `fc -l` shows. */
const LISTED = 16;
const MODE = 0o600;

/** Notes a line that was read at the prompt. */
export function recordLine(shell: Interpreter, text: string): void {
  const line = text.replace(/\n+$/, "").replace(/^\n+/, "");
  if (line.trim() === "") return;
  const { state } = shell;
  const control = (readVariable(shell, "HISTCONTROL") ?? "").split(":");
  const both = control.includes("ignoreboth");
  if ((both || control.includes("ignorespace")) && line.startsWith(" ")) return;
  if ((both || control.includes("ignoredups")) && state.history.at(-1) === line) return;
  state.history.push(line);
  state.unsavedHistory++;
  trimHistory(shell);
}

/** Drops the oldest lines beyond HISTSIZE. */
function trimHistory(shell: Interpreter): void {
  const { history } = shell.state;
  const size = readVariable(shell, "HISTSIZE");
  if (size === undefined || !/^\d+$/.test(size) || history.length <= Number(size)) return;
  history.splice(0, history.length - Number(size));
}

function readLines(shell: Interpreter, file: string): string[] | undefined {
  try {
    const text = decodeText(fromArray(shell.files.readFile(shell.resolve(file))));
    return text.split("\n").filter((line) => line !== "");
  } catch {
    return undefined;
  }
}

function writeLines(shell: Interpreter, file: string, lines: string[], append: boolean): boolean {
  try {
    const flags = { read: false, write: true, create: true, append, truncate: !append };
    const stream = shell.files.open(shell.resolve(file), flags, MODE);
    stream.write(toArray(encodeText(lines.map((line) => `${line}\n`).join(""))));
    stream.close();
    return true;
  } catch {
    return false;
  }
}

/** Reads what earlier sessions have left. */
export function loadHistory(shell: Interpreter): void {
  const file = readVariable(shell, "HISTFILE");
  const lines = file ? readLines(shell, file) : undefined;
  if (!lines) return;
  shell.state.history.push(...lines);
  shell.state.readHistory = lines.length;
  trimHistory(shell);
}

/** Writes the commands of this session at its end. */
export function saveHistory(shell: Interpreter): void {
  const { state } = shell;
  const file = readVariable(shell, "HISTFILE");
  if (!file || state.unsavedHistory === 0) return;
  trimHistory(shell);
  const fits = state.unsavedHistory <= state.history.length;
  if (state.shopt.has("histappend") || fits) appendNew(shell, file);
  else writeLines(shell, file, state.history, false);
}

function appendNew(shell: Interpreter, file: string): boolean {
  const { state } = shell;
  const lines = state.unsavedHistory === 0 ? [] : state.history.slice(-state.unsavedHistory);
  state.unsavedHistory = 0;
  return writeLines(shell, file, lines, true);
}

const history: Builtin = function* (shell, args): Task<number> {
  const { state } = shell;
  // `-d -2` and `-d 2-4` have numbers, not options.
  const given = readFlags(shell, "history", args, "cd:anrwps", USAGE);
  if (!given) return 2;
  trimHistory(shell);
  if (given.has("c")) {
    state.history = [];
    state.unsavedHistory = 0;
  }
  const offset = given.get("d");
  if (offset !== undefined) return deleteLines(shell, offset);
  if (given.has("s")) {
    // The command itself is not kept.
    if (state.options.has("history") && state.history.length > 0) state.history.pop();
    if (given.rest.length > 0) state.history.push(given.rest.join(" "));
    return 0;
  }
  if (given.has("p")) {
    yield* shell.print(given.rest.map((word) => `${word}\n`).join(""));
    return 0;
  }
  for (const letter of "anrw") if (given.has(letter)) return exchange(shell, letter, given.rest[0]);
  if (given.has("c")) return 0;
  return yield* list(shell, given.rest);
};

function* list(shell: Interpreter, [most, more]: string[]): Task<number> {
  const { history } = shell.state;
  if (more !== undefined) {
    shell.complain("history: too many arguments");
    return 1;
  }
  if (most !== undefined && !/^[-+]?\d+$/.test(most)) {
    shell.complain(`history: ${most}: numeric argument required`);
    return 1;
  }
  const count = most === undefined ? history.length : Math.min(Math.abs(Number(most)), history.length);
  const first = history.length - count;
  yield* shell.print(history.slice(first).map((line, i) => `${String(first + i + 1).padStart(5)}  ${line}\n`).join(""));
  return 0;
}

function deleteLines(shell: Interpreter, offset: string): number {
  const { state } = shell;
  const [, from, to] = /^(-?\d+)(?:-(-?\d+))?$/.exec(offset) ?? [];
  const place = (text: string) => Number(text) < 0 ? state.history.length + Number(text) : Number(text) - 1;
  const first = from === undefined ? -1 : place(from);
  const last = to === undefined ? first : place(to);
  if (!(first >= 0 && last >= first && last < state.history.length)) {
    shell.complain(`history: ${offset}: history position out of range`);
    return 1;
  }
  state.history.splice(first, last - first + 1);
  return 0;
}

/** -a, -n, -r and -w: between the list and its file. */
function exchange(shell: Interpreter, letter: string, given: string | undefined): number {
  const { state } = shell;
  const file = given ?? readVariable(shell, "HISTFILE");
  if (!file) return 1;
  if (letter === "a") return appendNew(shell, file) ? 0 : 1;
  if (letter === "w") {
    state.unsavedHistory = 0;
    return writeLines(shell, file, state.history, false) ? 0 : 1;
  }
  const lines = readLines(shell, file);
  if (!lines) return 1;
  state.history.push(...letter === "n" ? lines.slice(state.readHistory) : lines);
  state.readHistory = lines.length;
  trimHistory(shell);
  return 0;
}

const fc: Builtin = function* (shell, args): Task<number> {
  const { state } = shell;
  const first = args.findIndex((word) => /^-?\d+$/.test(word));
  const options = first < 0 ? args : args.slice(0, first);
  const given = readFlags(shell, "fc", options, "e:lnrs", FC_USAGE);
  if (!given) return 2;
  const words = first < 0 ? given.rest : [...given.rest, ...args.slice(first)];
  // The command itself does not count.
  const lines = state.options.has("history") ? state.history.slice(0, -1) : state.history;
  if (given.has("s") || given.get("e") === "-") return yield* repeat(shell, lines, words);
  if (!given.has("l")) {
    shell.complain("fc: there is no editor here; use fc -l or fc -s");
    return 1;
  }
  if (lines.length === 0) return 0;
  const start = words[0] === undefined ? Math.max(0, lines.length - LISTED) : placeOf(lines, words[0]);
  const end = words[1] === undefined ? lines.length - 1 : placeOf(lines, words[1]);
  if (start < 0 || end < 0) {
    shell.complain("fc: history specification out of range");
    return 1;
  }
  const [low, high] = start <= end ? [start, end] : [end, start];
  const shown = lines.slice(low, high + 1).map((line, i) => `${given.has("n") ? "" : low + i + 1}\t ${line}\n`);
  yield* shell.print((given.has("r") || start > end ? shown.reverse() : shown).join(""));
  return 0;
};

/** A number, an offset from the end, or how a command begins; -1 if there is none. */
function placeOf(lines: string[], word: string): number {
  if (!/^-?\d+$/.test(word)) return lines.findLastIndex((line) => line.startsWith(word));
  const number = Number(word);
  return Math.min(Math.max(number <= 0 ? lines.length + number : number - 1, 0), lines.length - 1);
}

/** `fc -s old=new command`. */
function* repeat(shell: Interpreter, lines: string[], words: string[]): Task<number> {
  const [, from, to] = /^([^=]+)=([^]*)$/.exec(words[0] ?? "") ?? [];
  const which = from === undefined ? words[0] : words[1];
  const at = which === undefined ? lines.length - 1 : placeOf(lines, which);
  if (at < 0) {
    shell.complain("fc: no command found");
    return 1;
  }
  const text = from === undefined ? lines[at] : lines[at].replaceAll(from, to);
  shell.say(text);
  if (shell.state.options.has("history")) shell.state.history[shell.state.history.length - 1] = text;
  return yield* shell.runText(text);
}

export const historyBuiltins: Record<string, Builtin> = { history, fc };
