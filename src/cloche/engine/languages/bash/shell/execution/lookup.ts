/** What a command's name stands for in the shell itself. */
import { BUILTINS, DECLARATIONS } from "../builtins/index.ts";
import type { Builtin, DeclarationBuiltin, Interpreter } from "../interpreter.ts";
import type { ShellFunction } from "../state/shell_state.ts";

export type Found =
  | { type: "function"; function: ShellFunction }
  | { type: "builtin"; run: Builtin }
  | { type: "declaration"; run: DeclarationBuiltin };

export function findBuiltin(shell: Interpreter, name: string): Found | undefined {
  if (shell.state.disabled.size > 0 && shell.state.disabled.has(name)) return undefined;
  if (Object.hasOwn(BUILTINS, name)) return { type: "builtin", run: BUILTINS[name] };
  if (Object.hasOwn(DECLARATIONS, name)) return { type: "declaration", run: DECLARATIONS[name] };
  return undefined;
}
