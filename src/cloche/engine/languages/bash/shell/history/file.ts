/** The file that keeps commands between sessions. */
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import type { Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import { trimHistory } from "./record.ts";

const MODE = 0o600;

export function readLines(shell: Interpreter, file: string): string[] | undefined {
  try {
    const text = decodeText(fromArray(shell.files.readFile(shell.resolve(file))));
    return text.split("\n").filter((line) => line !== "");
  } catch {
    return undefined;
  }
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
}

/** Appends what the file has not yet. */
export function appendNew(shell: Interpreter, file: string): boolean {
  const { history } = shell.state;
  const lines = history.unsaved === 0 ? [] : history.lines.slice(-history.unsaved);
  history.read += lines.length;
  history.unsaved = 0;
  return writeLines(shell, file, lines, true);
}
