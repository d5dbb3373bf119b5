/** ~, ~user, ~+, ~-, ~1. */
import type { Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";

export function expandTilde(shell: Interpreter, user: string): string {
  if (user === "") return readVariable(shell, "HOME") ?? "/root";
  if (user === "+") return readVariable(shell, "PWD") ?? shell.state.cwd;
  if (user === "-") return readVariable(shell, "OLDPWD") ?? "~-";
  if (user === "root") return "/root";
  if (user === readVariable(shell, "USER")) return readVariable(shell, "HOME") ?? "/root";
  const [, sign, digits] = /^([+-]?)(\d+)$/.exec(user) ?? [];
  if (digits === undefined) return `~${user}`;
  const stack = [shell.state.cwd, ...shell.state.directories];
  const at = sign === "-" ? stack.length - 1 - Number(digits) : Number(digits);
  return stack[at] ?? `~${user}`;
}
