/** What expansion, arithmetic and builtins may ask of the shell that runs them. Only types and errors. */
import type { DescriptorTable } from "./descriptors/table.ts";
import type { Kernel } from "./processes/kernel.ts";
import type { Process } from "./processes/process.ts";
import type { SystemFiles } from "./processes/system_files.ts";
import type { ShellState } from "./state/shell_state.ts";
import type { CommandNode, ProcessSubstitutionPart, ScriptNode } from "./syntax/nodes.ts";
import type { Task } from "./task.ts";

/** How lists, loops and calls are being left: checked after every command. `exit` is an ExitShell instead. */
export type Flow =
  | { kind: "break" | "continue"; levels: number }
  | { kind: "return"; code: number };

/** What words may stand for when they are run, and what the program gets. */
export interface RunOptions {
  /** False for `command`. */
  functions?: boolean;
  /** Only a builtin. */
  builtin?: boolean;
  /** Only a program. */
  program?: boolean;
  /** Where it is looked for, in the place of PATH. */
  path?: string;
  /** The name that it sees. */
  as?: string;
  env?: Readonly<Record<string, string>>;
}

/** One shell process: the shell itself, a subshell, a child shell. */
export interface Interpreter {
  readonly kernel: Kernel;
  readonly process: Process;
  readonly state: ShellState;
  readonly fds: DescriptorTable;
  readonly files: SystemFiles;
  flow: Flow | undefined;
  /** Whether nothing else will run in this process than the program that is started now, which thus gets its number. */
  replaced: boolean;

  /** Runs text in this shell, as `eval`, traps and `source` do; a syntax error is said and gives 2. */
  runText(text: string, line?: number, label?: string): Task<number>;
  /** Runs a file's text in this shell with a frame of its own. */
  runSource(path: string, text: string, args: string[] | undefined): Task<number>;
  /** Runs words as a command. */
  runWords(
    words: string[],
    options?: RunOptions,
  ): Task<number>;
  runCommand(node: CommandNode): Task<number>;
  /** The output of `$(…)` without its last newlines and NULs; sets `state.status`. */
  substitute(script: ScriptNode): Task<string>;
  /** Starts `<(…)` or `>(…)`; returns the path of its descriptor. */
  substituteProcess(part: ProcessSubstitutionPart): string;
  /** Writes text to standard output, error or another descriptor. */
  print(text: string, fd?: number): Task<void>;
  /** `bash: line 3: text` on standard error. */
  complain(text: string): void;
  /** A line on standard error as it is. */
  say(text: string): void;
  /** A copy of this shell that runs as a process of its own. */
  fork(): Interpreter;
  /** Lets others run if it is time to, runs pending traps, throws if interrupted. Call in long loops. */
  attend(): Task<void>;
  /** The directory that a command starts in is `state.cwd`; this is a path from there. */
  resolve(path: string): string;
}

/** Ends the shell process: `exit`, `set -e`, an expansion that fails in a script. */
export class ExitShell extends Error {
  override readonly name = "ExitShell";

  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/**
 * An expansion or assignment has failed: the message is said, the command is not run, and `$?` is `code`. A script ends
 * (`fatal`); an interactive shell only gives up the line.
 */
export class ExpansionError extends Error {
  override readonly name = "ExpansionError";
  /** Whether the message has been written. */
  said = false;

  constructor(message: string, readonly fatal = true, readonly code = 1) {
    super(message);
  }
}

/** An error that ends the shell; `bash -c` itself ends with 127 then. */
export function fatal({ state }: Interpreter, message: string): ExpansionError {
  const plain = state.subshell === 0 && state.startLetters.includes("c") && !state.options.has("errexit");
  return new ExpansionError(message, true, plain ? 127 : 1);
}

/** A builtin: `args` without its name. It writes through `shell.print`; the code is its exit code. */
export type Builtin = (shell: Interpreter, args: string[]) => number | Task<number>;

/** A builtin that declares (declare, local, export, readonly...): assignments in its words come as such. */
export type DeclarationBuiltin = (shell: Interpreter, args: DeclarationWord[]) => number | Task<number>;

/** An option or name, or `name=value`. */
export type DeclarationWord = string | ExpandedAssignment;

/** An assignment whose words are expanded. */
export interface ExpandedAssignment {
  name: string;
  /** Expanded text: a key, or arithmetic. */
  subscript?: string;
  append: boolean;
  value: string | ArrayElement[];
}

export interface ArrayElement {
  subscript?: string;
  append: boolean;
  value: string;
}
