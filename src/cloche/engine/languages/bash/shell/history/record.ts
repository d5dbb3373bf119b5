/** Which commands the history keeps: HISTSIZE, HISTCONTROL, HISTIGNORE. */
import { compilePattern } from "../expansion/patterns.ts";
import type { Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";

/** Drops the oldest lines beyond HISTSIZE. */
export function trimHistory(shell: Interpreter): void {
  const size = readVariable(shell, "HISTSIZE");
  if (size !== undefined && /^\d+$/.test(size)) shell.state.history.trim(Number(size));
}

/** Adds a command unless it is to be left out; whether it was added. */
export function addCommand(shell: Interpreter, line: string): boolean {
  const { history } = shell.state;
  const control = (readVariable(shell, "HISTCONTROL") ?? "").split(":");
  const both = control.includes("ignoreboth");
  if ((both || control.includes("ignorespace")) && /^[ \t]/.test(line)) return false;
  if ((both || control.includes("ignoredups")) && history.lines.at(-1) === line) return false;
  if (isIgnored(shell, line)) return false;
  if (control.includes("erasedups")) history.lines = history.lines.filter((each) => each !== line);
  history.add(line);
  trimHistory(shell);
  return true;
}

function isIgnored(shell: Interpreter, line: string): boolean {
  const patterns = readVariable(shell, "HISTIGNORE");
  if (!patterns) return false;
  const last = shell.state.history.lines.at(-1) ?? "";
  return (patterns.match(/(?:\\[^]|[^:\\])+/g) ?? []).some((pattern) => {
    const whole = pattern.replace(/\\&|&/g, (found) => found === "&" ? last.replace(/[*?[\\]/g, "\\$&") : "&");
    return compilePattern(whole).match(line);
  });
}
