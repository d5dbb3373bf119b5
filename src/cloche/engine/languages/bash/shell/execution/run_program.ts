/** Runs programs: commands of the shell, scripts, files with `#!`. */
import { decodeText, fromArray } from "../../text/byte_strings.ts";
import { FileError } from "../../../../fs/files.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { BrokenPipe, type OpenStream } from "../descriptors/stream.ts";
import type { DescriptorTable } from "../descriptors/table.ts";
import type { Interpreter, RunOptions } from "../interpreter.ts";
import {
  type ChildProcess,
  type Command,
  type CommandContext,
  Killed,
  type SpawnOptions,
} from "../processes/command.ts";
import type { Process } from "../processes/process.ts";
import { nameOf, SIGINT, SIGPIPE } from "../processes/signals.ts";
import { SharedStream } from "../descriptors/shared.ts";
import type { OpenFlags, SystemFiles } from "../processes/system_files.ts";
import { descriptorPath } from "../descriptors/paths.ts";
import { readVariable } from "../state/assign.ts";
import type { Later, Task } from "../task.ts";
import { explainAbsence } from "../processes/absent_programs.ts";
import { findProgram } from "../processes/find_program.ts";
import { environmentOf } from "./environment.ts";
import type { ShellInterpreter } from "./execute.ts";

/** The code of a program that died because nobody reads what it writes. */
const BROKEN_PIPE = 141;
/** How many scripts may be each other's interpreter. */
const MOST_INTERPRETERS = 4;

/** A program with all that it runs in. */
export class ProgramContext implements CommandContext {
  /** What a signal waits for. */
  ending: Promise<unknown> | undefined;

  constructor(
    private readonly shell: ShellInterpreter,
    private readonly process: Process,
    readonly argv: readonly string[],
    readonly env: Readonly<Record<string, string>>,
    readonly fds: DescriptorTable,
    readonly cwd = shell.state.cwd,
  ) {}

  get umask(): number {
    return this.shell.state.umask;
  }

  get files(): SystemFiles {
    return this.shell.files;
  }

  get signal(): AbortSignal {
    return this.process.signal;
  }

  get pid(): number {
    return this.process.pid;
  }

  get run(): number {
    return this.process.run;
  }

  /** Whether the run is to stop; to be looked at by whoever computes for long. */
  readonly isInterrupted = (): boolean => {
    const { kernel } = this.shell;
    return this.process.run === kernel.liveRun && kernel.options.isInterrupted();
  };

  /** The shell that has started it; for adapters. */
  get interpreter(): ShellInterpreter {
    return this.shell;
  }

  endAfter(work: Promise<unknown>): void {
    this.ending = work;
  }

  handleSignals(take: (signal: number) => boolean): () => void {
    const { process } = this;
    process.takeSignal = take;
    return () => {
      if (process.takeSignal === take) process.takeSignal = () => false;
    };
  }

  /** Runs a shell that is this program: it gets the signals that it traps, and how it ends is how the program does. */
  runShell(shell: ShellInterpreter, body: Task<number>): Later<number> {
    const inner = shell.process;
    const leave = this.handleSignals((signal) => !!inner.trapOf(nameOf(signal) ?? "") && inner.kill(signal));
    const end = (code: number) => {
      leave();
      this.process.programEndedBy = inner.endedBy;
      return code;
    };
    const code = inner.start(shell.main(body));
    return code instanceof Promise ? code.then(end) : end(code);
  }

  has(name: string): boolean {
    return findProgram(this.shell, name) !== undefined;
  }

  open(path: string, flags: OpenFlags): OpenStream {
    const whole = this.files.resolve(this.cwd, path);
    const fd = descriptorPath(whole);
    if (fd === undefined) return this.files.open(whole, flags, 0o666 & ~this.umask);
    const copy = this.fds.free();
    this.fds.duplicate(fd, copy);
    return new SharedStream(this.fds.get(copy), () => this.fds.close(copy));
  }

  spawn(argv: string[], options: SpawnOptions = {}): ChildProcess {
    const fds = options.fds ?? this.fds.fork();
    return this.#start(argv.join(" "), { ...options, fds }, (shell) => runWords(shell, argv));
  }

  /** Runs text in a shell of its own; for commands that build command lines. */
  async runScript(text: string, options: ScriptOptions): Promise<number> {
    return await this.#start(text, options, (shell) => shell.runText(text)).done;
  }

  #start(title: string, options: ScriptOptions, body: (shell: ShellInterpreter) => Task<number>): ChildProcess {
    const child = this.process.fork(title);
    const { fds } = options;
    const shell = this.shell.forProgram(child, fds, options.env ?? this.env, options.cwd ?? this.cwd);
    const stop = () => child.kill(15);
    options.signal?.addEventListener("abort", stop, { once: true });
    this.process.foreground.add(child);
    const done = child.start(shell.main(body(shell)));
    const finish = () => {
      this.process.foreground.delete(child);
      options.signal?.removeEventListener("abort", stop);
    };
    if (done instanceof Promise) done.then(finish);
    else finish();
    return { pid: child.pid, done, kill: (signal) => void child.kill(signal) };
  }
}

/** What a script that a program runs has of its own. */
interface ScriptOptions {
  fds: DescriptorTable;
  env?: Record<string, string>;
  cwd?: string;
  signal?: AbortSignal;
}

function* runWords(shell: ShellInterpreter, argv: string[]): Task<number> {
  return yield* runProgram(shell, argv, environmentOf(shell));
}

/** Runs a program by its words; says so if there is none. */
export function* runProgram(
  shell: ShellInterpreter,
  argv: string[],
  env: Readonly<Record<string, string>>,
  { path, as = argv[0] }: Pick<RunOptions, "path" | "as"> = {},
): Task<number> {
  const found = findProgram(shell, argv[0], path);
  if (found === undefined || found.type === "gone") return refuse(shell, found?.path ?? argv[0]);
  const words = as === argv[0] ? argv : [as, ...argv.slice(1)];
  const { process } = shell;
  process.programEndedBy = undefined;
  const code = found.type === "program"
    ? yield* runCommand(shell, found.command, words, env)
    : yield* runFile(shell, found.path, words, env);
  const signal = process.programEndedBy as number | undefined;
  if (signal !== undefined && code === 128 + signal) shell.killed = { signal, pid: process.pid };
  return code;
}

function refuse(shell: Interpreter, name: string): number {
  if (!name.includes("/")) {
    if (!readVariable(shell, "PATH")) {
      shell.complain(`${name}: No such file or directory`);
      return 127;
    }
    const why = explainAbsence(name);
    shell.complain(why === undefined ? `${name}: command not found` : `${name}: command not found; ${why}`);
    return 127;
  }
  try {
    if (shell.files.stat(shell.resolve(name)).kind === "directory") {
      shell.complain(`${name}: Is a directory`);
      return 126;
    }
    throw new FileError("EACCES");
  } catch (error) {
    shell.complain(`${name}: ${reasonOf(error)}`);
    return error instanceof FileError && error.code === "EACCES" ? 126 : 127;
  }
}

export function* runCommand(
  shell: ShellInterpreter,
  command: Command,
  argv: string[],
  env: Readonly<Record<string, string>>,
): Task<number> {
  const fds = shell.fds.fork();
  const context = new ProgramContext(shell, shell.process, argv, env, fds);
  try {
    const code: Later<number> = command.run(context);
    if (!(code instanceof Promise)) return code;
    const ended = (yield code) as number;
    // It may have seen the interrupt before the shell did, and nothing runs after one.
    if (context.isInterrupted()) throw new Killed(SIGINT);
    return ended;
  } catch (error) {
    if (error instanceof Killed && context.ending) yield* waitForEnd(shell.process, context.ending);
    if (error instanceof BrokenPipe) {
      shell.process.programEndedBy = SIGPIPE;
      return BROKEN_PIPE;
    }
    if (error instanceof Killed && shell.process.endedBy === undefined && error.signal !== SIGINT) {
      shell.process.programEndedBy = error.signal;
      return 128 + error.signal;
    }
    if (!(error instanceof Error) || error instanceof Killed) throw error;
    shell.complainAs(
      error.name === "EndlessInput" ? error.message : `${argv[0]}: ${messageOf(error, shell.state.cwd)}`,
      fds,
    );
    return 1;
  } finally {
    fds.closeAll();
  }
}

function* waitForEnd(process: Process, work: Promise<unknown>): Task<void> {
  process.isEnding = true;
  try {
    yield work.catch(() => {});
  } finally {
    process.isEnding = false;
  }
}

/** What went wrong, with the file as seen from the folder. */
function messageOf(error: Error, cwd: string): string {
  if (!(error instanceof FileError)) return error.message;
  const name = error.path.startsWith(`${cwd}/`) ? error.path.slice(cwd.length + 1) : error.path;
  return name === "" ? reasonOf(error) : `${name}: ${reasonOf(error)}`;
}

/** Runs a file: by what `#!` names, else as a script of this shell. */
function* runFile(
  shell: ShellInterpreter,
  path: string,
  argv: string[],
  env: Readonly<Record<string, string>>,
  depth = 0,
): Task<number> {
  const whole = shell.resolve(path);
  if (!shell.files.isExecutable(whole)) {
    shell.complain(`${argv[0]}: Permission denied`);
    return 126;
  }
  const bytes = shell.files.readFile(whole);
  const line = decodeText(fromArray(bytes.subarray(0, Math.max(0, bytes.indexOf(10)) || 256)));
  const [, program, word] = /^#!\s*(\S+)(?:[ \t]+(.*\S))?\s*$/.exec(line) ?? [];
  if (program !== undefined) {
    const viaEnv = program.endsWith("/env");
    const words = viaEnv
      ? (word ?? "").replace(/^-S\s*/, "").split(/[ \t]+/)
      : [program, ...word === undefined ? [] : [word]];
    const interpreter = findProgram(shell, words[0]) ?? findProgram(shell, words[0].split("/").at(-1) ?? "");
    if (!interpreter || interpreter.type === "gone" || depth > MOST_INTERPRETERS) {
      const reason = interpreter ? "Too many levels of symbolic links" : "No such file or directory";
      shell.complain(`${argv[0]}: ${words[0]}: bad interpreter: ${reason}`);
      return viaEnv ? 127 : 126;
    }
    const rest = [...words.slice(1), path, ...argv.slice(1)];
    // As the `python` of a virtual environment, it may be a script itself.
    if (interpreter.type === "file") {
      return yield* runFile(shell, interpreter.path, [words[0], ...rest], env, depth + 1);
    }
    const name = words[0].split("/").at(-1) ?? "";
    return yield* runCommand(shell, interpreter.command, [name, ...rest], env);
  }
  if (bytes.subarray(0, 256).includes(0)) {
    shell.complain(`${argv[0]}: cannot execute binary file: Exec format error`);
    return 126;
  }
  const bash = shell.kernel.commands.get("bash");
  if (!bash) return refuse(shell, "bash");
  return yield* runCommand(shell, bash, ["bash", path, ...argv.slice(1)], env);
}
