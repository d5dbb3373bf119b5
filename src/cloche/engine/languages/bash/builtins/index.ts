/** The builtins: commands that need the interpreter itself. */
import { emptyResult } from "../interpreter/just_bash_types.ts";
import { jobBuiltins } from "./jobs.ts";
import { printBuiltins } from "./print.ts";
import type { Builtin } from "../interpreter/process.ts";
import { trapBuiltin } from "./trap.ts";

/** A program in place of the shell: the shell ends with it. */
const exec: Builtin = async (shell, args) => {
  const words = args[0] === "-a" ? args.slice(2) : args[0] === "--" ? args.slice(1) : args;
  if (words.length === 0) return emptyResult(0);
  const { exitCode } = await shell.runLeaf(words);
  return await shell.leave(exitCode);
};

export const builtins: Record<string, Builtin> = { exec, trap: trapBuiltin, ...jobBuiltins, ...printBuiltins };
