/** The parts of just-bash's interpreter that the shell builds on; its package does not export these types. */
import type {
  CommandNode,
  ExecResult,
  IFileSystem,
  PipelineNode,
  ScriptNode,
  StatementNode,
  WordNode,
} from "just-bash";
import type { INTERPRETER } from "./just_bash_patch.ts";

/** One redirection of a command, as parsed. */
export interface Redirection {
  type: "Redirection";
  fd: number | null;
  fdVariable?: string;
  operator: string;
  target: WordNode | { type: "HereDoc" };
}

/** What `ctx.exec` takes, with the interpreter factory that the patch looks for. */
export interface SpawnOptions {
  env?: Record<string, string>;
  replaceEnv?: boolean;
  cwd?: string;
  rawScript?: boolean;
  stdin?: string;
  stdinKind?: "text" | "bytes";
  signal?: AbortSignal;
  args?: string[];
  [INTERPRETER]?: InterpreterFactory;
}

export type Spawn = (script: string, options?: SpawnOptions, accounted?: boolean) => Promise<ExecResult>;
type InterpreterFactory = (
  base: typeof Interpreter,
  options: InterpreterOptions,
  state: ShellState,
) => Interpreter;

/** Set of options such as `errexit` (`set`) or `nullglob` (`shopt`). */
type Switches = Record<string, boolean>;

/** The state of one shell: variables, functions, options, position. Only what is used here is listed. */
export interface ShellState {
  env: Map<string, string>;
  arrays?: Map<string, { kind: string; elements: Map<string, string> }>;
  functions: Map<string, unknown>;
  exportedVars?: Set<string>;
  tempExportedVars?: Set<string>;
  cwd: string;
  previousDir: string;
  lastExitCode: number;
  lastArg: string;
  options: Switches;
  shoptOptions: Switches;
  inCondition: boolean;
  errexitSafe?: boolean;
  loopDepth: number;
  callDepth: number;
  sourceDepth: number;
  currentLine: number;
  localScopes: Map<string, string | undefined>[];
  groupStdin?: string;
  fileDescriptors?: Map<number, string>;
  inputFds?: Set<number>;
  closedStandardFds?: Set<number>;
  fdAliases?: Map<number, Set<number>>;
  suppressVerbose?: boolean;
  lastBackgroundPid: number;
  bashPid: number;
  nextVirtualPid: number;
  virtualPid: number;
  signal?: AbortSignal;
  extraArgs?: string[];
}

/** What the interpreter and the commands it runs share. */
interface InterpreterContext {
  state: ShellState;
  fs: IFileSystem;
  commands: Map<string, unknown>;
  execFn: Spawn;
  substitutionDepth?: number;
}

export interface InterpreterOptions {
  fs: IFileSystem;
  exec: Spawn;
}

/** just-bash's interpreter class, given at run time by the patch. */
export declare class Interpreter {
  ctx: InterpreterContext;
  constructor(options: InterpreterOptions, state: ShellState);
  buildExportedEnv(): Record<string, string>;
  executeScript(node: ScriptNode): Promise<ExecResult>;
  executeStatement(node: StatementNode): Promise<ExecResult>;
  executePipeline(node: PipelineNode): Promise<ExecResult>;
  executeCommand(node: CommandNode, stdin: string, owned?: boolean): Promise<ExecResult>;
  executeCommandInner(node: CommandNode, stdin: string, owned: boolean): Promise<ExecResult>;
  executeSimpleCommand(node: CommandNode, stdin: string): Promise<ExecResult>;
  executeSubshell(node: CommandNode, stdin?: string, owned?: boolean): Promise<ExecResult>;
  executeUserScript(path: string, args: string[], stdin?: string): Promise<ExecResult>;
  runCommand(
    name: string,
    args: string[],
    quoted: boolean[],
    stdin: string,
    skipFunctions?: boolean,
    defaultPath?: boolean,
    stdinFd?: number,
    stdinOwned?: boolean,
  ): Promise<ExecResult>;
}

/** The errors by which the interpreter leaves loops, functions and scripts; they may carry output. */
interface ControlError extends Error {
  stdout: string;
  stderr: string;
  exitCode?: number;
  internalOutputAccounting: { stdout: number; stderr: number };
}

/** Whether an error is one of the interpreter's own. */
export function isControl(error: unknown): error is ControlError {
  return error instanceof Error && "internalOutputAccounting" in error;
}

/** The result of a command that wrote nothing. */
export function emptyResult(exitCode: number): ExecResult {
  return { stdout: "", stderr: "", exitCode };
}

/** The result of a command that only failed with a message. */
export function failure(message: string, exitCode = 1): ExecResult {
  return { stdout: "", stderr: message + "\n", exitCode };
}
