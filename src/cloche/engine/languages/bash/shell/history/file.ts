/** The file that keeps commands between sessions. */
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import type { Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import { trimHistory } from "./record.ts";

const MODE = 0o600;

/** Times that are kept before commands. */
const TIME = /^#\d/;

/** The commands of a file; where it has times and these are wanted, they go on up to the next one. */
export function readLines(shell: Interpreter, file: string): string[] | undefined {
  const text = readText(shell, file);
  if (text === undefined) return undefined;
  const lines = text.split("\n").filter((line) => line !== "");
  if (readVariable(shell, "HISTTIMEFORMAT") === undefined || !TIME.test(text)) {
    return lines.filter((line) => !TIME.test(line));
  }
  const commands: string[][] = [];
  for (const line of lines) {
    if (TIME.test(line)) commands.push([]);
    else commands.at(-1)?.push(line);
  }
  return commands.filter((command) => command.length > 0).map((command) => command.join("\n"));
}

function readText(shell: Interpreter, file: string): string | undefined {
  try {
    return decodeText(fromArray(shell.files.readFile(shell.resolve(file))));
  } catch {
    return undefined;
  }
}

/** Keeps only the latest lines of the file, as many as HISTFILESIZE says. */
function truncateFile(shell: Interpreter, file: string): void {
  const most = readVariable(shell, "HISTFILESIZE");
  if (most === undefined || !/^\d+$/.test(most)) return;
  const lines = readText(shell, file)?.replace(/\n$/, "").split("\n") ?? [];
  if (lines.length > Number(most)) writeLines(shell, file, lines.slice(lines.length - Number(most)), false);
}

export function writeLines(shell: Interpreter, file: string, lines: string[], append: boolean): boolean {
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
  const { history } = shell.state;
  const file = readVariable(shell, "HISTFILE");
  if (file) truncateFile(shell, file);
  const lines = file ? readLines(shell, file) : undefined;
  if (!lines) return;
  history.lines.push(...lines);
  history.read = lines.length;
  trimHistory(shell);
}

/** Writes the commands of this session at its end. */
export function saveHistory(shell: Interpreter): void {
  const { history, shopt } = shell.state;
  const file = readVariable(shell, "HISTFILE");
  if (!file || history.unsaved === 0) return;
  trimHistory(shell);
  if (shopt.has("histappend") || history.unsaved <= history.lines.length) appendNew(shell, file);
  else writeLines(shell, file, history.lines, false);
  truncateFile(shell, file);
}

/** Appends what the file has not yet. */
export function appendNew(shell: Interpreter, file: string): boolean {
  const { history } = shell.state;
  const lines = history.unsaved === 0 ? [] : history.lines.slice(-history.unsaved);
  history.read += lines.length;
  history.unsaved = 0;
  return writeLines(shell, file, lines, true);
}
