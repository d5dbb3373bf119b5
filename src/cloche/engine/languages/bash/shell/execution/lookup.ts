/** What a command's name stands for: a function, a builtin, a program, a script. */
import { BUILTINS, DECLARATIONS } from "../builtins/index.ts";
import type { Builtin, DeclarationBuiltin, Interpreter } from "../interpreter.ts";
import type { Command } from "../processes/command.ts";
import { readVariable } from "../state/assign.ts";
import type { ShellFunction } from "../state/shell_state.ts";

/** Folders whose files are the commands that the shell knows. */
const PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/;

export type Found =
  | { type: "function"; function: ShellFunction }
  | { type: "builtin"; run: Builtin }
  | { type: "declaration"; run: DeclarationBuiltin }
  | { type: "program"; command: Command; path: string }
  | { type: "file"; path: string };

export function findBuiltin(shell: Interpreter, name: string): Found | undefined {
  if (shell.state.disabled.has(name)) return undefined;
  if (Object.hasOwn(BUILTINS, name)) return { type: "builtin", run: BUILTINS[name] };
  if (Object.hasOwn(DECLARATIONS, name)) return { type: "declaration", run: DECLARATIONS[name] };
  return undefined;
}

/** A program by its name, searched in PATH, or by its path. */
export function findProgram(shell: Interpreter, name: string, path?: string): Found | undefined {
  if (name.includes("/")) return findPath(shell, name);
  const known = path === undefined ? shell.state.hashed.get(name) : undefined;
  if (known) {
    const found = findPath(shell, known.path);
    if (found) {
      known.hits++;
      return found;
    }
  }
  for (const found of searchPath(shell, name, path)) {
    const at = found.type === "program" || found.type === "file" ? found.path : name;
    if (path === undefined) shell.state.hashed.set(name, { path: at, hits: 1 });
    return found;
  }
  return undefined;
}

/** All that PATH has under a name. */
export function* searchPath(shell: Interpreter, name: string, path = readVariable(shell, "PATH")): Generator<Found> {
  for (const folder of (path ?? "").split(":")) {
    const found = findPath(shell, `${folder || "."}/${name}`);
    if (found?.type === "program" || found && shell.files.isExecutable(shell.resolve(`${folder || "."}/${name}`))) {
      yield found;
    }
  }
}

function findPath(shell: Interpreter, path: string): Found | undefined {
  const whole = shell.resolve(path);
  const name = PROGRAM.exec(whole)?.[1];
  const command = name === undefined ? undefined : shell.kernel.commands.get(name);
  if (command) return { type: "program", command, path };
  try {
    return shell.files.stat(whole).kind === "file" ? { type: "file", path } : undefined;
  } catch {
    return undefined;
  }
}
