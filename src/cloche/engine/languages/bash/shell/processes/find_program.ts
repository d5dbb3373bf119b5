/** Programs by name: commands of the shell, and files in PATH. */
import type { Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import type { Command } from "./command.ts";

/** Folders whose files are the commands that the shell knows. */
const PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/;

/** `gone`: no longer where it was last. */
export type Program =
  | { type: "program"; command: Command; path: string }
  | { type: "file"; path: string }
  | { type: "gone"; path: string };

/** A program by its name, searched in PATH, or by its path. */
export function findProgram(shell: Interpreter, name: string, path?: string): Program | undefined {
  if (name.includes("/")) return findPath(shell, name);
  const { hashed, options, shopt } = shell.state;
  const hashes = path === undefined && options.has("hashall");
  const known = hashes ? hashed.get(name) : undefined;
  if (known) {
    const again = findPath(shell, known.path);
    if (again) known.hits++;
    if (again || !shopt.has("checkhash")) return again ?? { type: "gone", path: known.path };
  }
  for (const found of searchPath(shell, name, path)) {
    if (hashes) hashed.set(name, { path: found.path, hits: 1 });
    return found;
  }
  return undefined;
}

/** All that PATH has under a name. */
export function* searchPath(
  shell: Interpreter,
  name: string,
  path = readVariable(shell, "PATH"),
  executable = true,
): Generator<Program> {
  if (name === "") return;
  for (const folder of (path ?? "").split(":")) {
    const file = `${folder || "."}/${name}`;
    const found = findPath(shell, file);
    if (found?.type === "program" || found && (!executable || shell.files.isExecutable(shell.resolve(file)))) {
      yield found;
    }
  }
}

function findPath(shell: Interpreter, path: string): Program | undefined {
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
