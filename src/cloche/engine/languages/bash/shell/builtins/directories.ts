/** cd and pwd. */
import { reasonOf } from "../../interpreter/file_errors.ts";
import { FileError } from "../../../../fs/files.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { assignVariable, readVariable } from "../state/assign.ts";
import type { Task } from "../task.ts";

const cd: Builtin = function* (shell, args): Task<number> {
  let physical = shell.state.options.has("physical");
  let at = 0;
  for (; /^-[LPe@]+$/.test(args[at] ?? ""); at++) physical = args[at].includes("P");
  if (args[at] === "--") at++;
  if (args.length > at + 1) {
    shell.complain("cd: too many arguments");
    return 1;
  }
  let target = args[at];
  if (target === undefined || target === "-") {
    const name = target === "-" ? "OLDPWD" : "HOME";
    const value = readVariable(shell, name);
    if (value === undefined) {
      shell.complain(`cd: ${name} not set`);
      return 1;
    }
    if (target === "-") yield* shell.print(`${value}\n`);
    target = value;
  }
  return change(shell, target, physical);
};

export function change(shell: Interpreter, target: string, physical: boolean): number {
  const path = shell.resolve(target);
  try {
    if (shell.files.stat(path).kind !== "directory") throw new FileError("ENOTDIR");
    const real = physical ? shell.files.realPath(path) : path;
    assignVariable(shell, "OLDPWD", shell.state.cwd);
    shell.state.cwd = real;
    assignVariable(shell, "PWD", real);
    return 0;
  } catch (error) {
    shell.complain(`cd: ${target}: ${reasonOf(error)}`);
    return 1;
  }
}

const pwd: Builtin = function* (shell, args) {
  yield* shell.print(`${args.includes("-P") ? shell.files.realPath(shell.state.cwd) : shell.state.cwd}\n`);
  return 0;
};

export const directoryBuiltins: Record<string, Builtin> = { cd, pwd };
