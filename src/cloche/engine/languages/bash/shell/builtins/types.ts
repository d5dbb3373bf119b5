/** type, hash, command -v. */
import type { Builtin, Interpreter } from "../interpreter.ts";
import { printFunction } from "../syntax/print.ts";
import type { Task } from "../task.ts";
import { BUILTINS, DECLARATIONS } from "./index.ts";
import { findProgram } from "../processes/find_program.ts";

const KEYWORDS = new Set(
  "if then else elif fi for while until do done case esac in function select time coproc { } ! [[ ]]".split(" "),
);

function kindOf(shell: Interpreter, name: string): string | undefined {
  const { state } = shell;
  if (state.shopt.has("expand_aliases") && state.aliases.has(name)) return "alias";
  if (KEYWORDS.has(name)) return "keyword";
  if (state.functions.has(name)) return "function";
  if (isBuiltin(shell, name)) return "builtin";
  return findProgram(shell, name) ? "file" : undefined;
}

export function isBuiltin(shell: Interpreter, name: string): boolean {
  return !shell.state.disabled.has(name) && (Object.hasOwn(BUILTINS, name) || Object.hasOwn(DECLARATIONS, name));
}

/** `command -v` and `-V`. */
export function* describeNames(shell: Interpreter, names: string[], verbose: boolean): Task<number> {
  let code = names.length === 0 ? 0 : 1;
  for (const name of names) {
    const text = verbose ? describe(shell, name) : terse(shell, name);
    if (text === undefined) {
      if (verbose) shell.complain(`command: ${name}: not found`);
      continue;
    }
    code = 0;
    yield* shell.print(`${text}\n`);
  }
  return code;
}

function terse(shell: Interpreter, name: string): string | undefined {
  const kind = kindOf(shell, name);
  if (kind === "alias") return `alias ${name}='${shell.state.aliases.get(name)?.replaceAll("'", "'\\''")}'`;
  if (kind === "file") return findProgram(shell, name)?.path;
  return kind && name;
}

function describe(shell: Interpreter, name: string): string | undefined {
  switch (kindOf(shell, name)) {
    case "alias":
      return `${name} is aliased to \`${shell.state.aliases.get(name)}'`;
    case "keyword":
      return `${name} is a shell keyword`;
    case "function": {
      const found = shell.state.functions.get(name);
      return `${name} is a function\n${found ? printFunction(found.node) : ""}`;
    }
    case "builtin":
      return `${name} is a shell builtin`;
    case "file":
      return `${name} is ${findProgram(shell, name)?.path}`;
  }
}

const type: Builtin = function* (shell, args) {
  const flags = new Set<string>();
  let at = 0;
  for (; /^-[afptP]+$/.test(args[at] ?? ""); at++) for (const letter of args[at].slice(1)) flags.add(letter);
  let code = 0;
  for (const name of args.slice(at)) {
    const kind = flags.has("P") ? (findProgram(shell, name) ? "file" : undefined) : kindOf(shell, name);
    if (kind === undefined) {
      if (!flags.has("t") && !flags.has("p") && !flags.has("P")) shell.complain(`type: ${name}: not found`);
      code = 1;
    } else if (flags.has("t")) yield* shell.print(`${kind}\n`);
    else if (flags.has("p") || flags.has("P")) {
      if (kind === "file") yield* shell.print(`${findProgram(shell, name)?.path}\n`);
    } else yield* shell.print(`${describe(shell, name)}\n`);
  }
  return code;
};

export const typeBuiltins: Record<string, Builtin> = { type };
