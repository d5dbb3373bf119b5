/** A persistent bash: state stays between scripts, output streams, scripts can be stopped at any time. */
import { Bash, type Command, type ExecResult, type IFileSystem } from "just-bash";
import { builtins } from "../builtins/index.ts";
import { encodeMessage, encodeText, fromArray, toArray } from "../streams/byte_strings.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { childState } from "./child_processes.ts";
import { bashCommands } from "../commands/index.ts";
import type { Interpreter, InterpreterOptions, ShellState } from "./just_bash_types.ts";
import { createInterpreter } from "./interpreter.ts";
import { Interrupt } from "./interrupt_signal.ts";
import { LIMITS, MAX_BYTES } from "./limits.ts";
import { INTERPRETER } from "./just_bash_patch.ts";
import { Process, ProcessTable } from "./process.ts";
import { quoteWord } from "../programs/quote.ts";
import { sayPlainly } from "./file_errors.ts";
import { Callback, type Sink } from "../streams/sinks.ts";
import { forkState, load, saveState, settleState } from "./state.ts";
import { SystemFs } from "./system_fs.ts";
import type { AskLine } from "../streams/terminal.ts";

type Stream = "stdout" | "stderr";
type OnOutput = (stream: Stream, data: Uint8Array) => void;

interface ShellOptions {
  fs: IFileSystem;
  env: Record<string, string>;
  cwd: string;
  /** Commands in addition to, or instead of, the shell's own. */
  commands?: Command[];
  /** Most bytes handed to `onOutput` in one run; the rest is dropped. */
  outputLimit?: number;
  /** What `save` returned in another process; the shell continues from there. */
  saved?: string;
  /** Read often while scripts run; true stops the running one. */
  isInterrupted(): boolean;
  /** Called with the run for which the thread computes; 0 when it waits. */
  mark?(run: number): void;
}

interface RunOptions {
  /** Its number, for what it leaves running. */
  run?: number;
  stdin?: Uint8Array;
  /** Asks the user at the terminal; without it, or with `stdin`, there is none. */
  ask?: AskLine;
  onOutput: OnOutput;
  /** Its `aborted` is read, like `isInterrupted`; it need not fire events. */
  signal?: Pick<AbortSignal, "aborted">;
}

interface ExecOptions {
  /** The number of the run that has begun it. */
  run?: number;
  stdin?: Uint8Array;
  cwd?: string;
  env?: Record<string, string>;
  signal?: Pick<AbortSignal, "aborted">;
  onOutput?: OnOutput;
  /** Whether output is shown immediately, so that programs may bypass the shell. */
  live?: boolean;
}

/** `truncated` says that output went over the limit. */
interface RunResult {
  exitCode: number;
  truncated: boolean;
}

const FIRST_PID = 100;
const SHELL_PID = 42;
const BACKLOG = 262_144;
const TRAP_MS = 1000;
/** Others, such as `?` and `1`, are the shell's own. */
const NAME = /^[A-Za-z_]\w*$/;

export class Shell {
  readonly #options: ShellOptions;
  readonly #bash: Bash;
  readonly #processes: ProcessTable;
  readonly #process: Process;
  readonly #state: ShellState;
  readonly #terminal: Sink;
  readonly #programs: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #deliver: OnOutput | undefined;
  #backlog: [Stream, Uint8Array][] = [];
  #backlogSize = 0;

  constructor(options: ShellOptions) {
    this.#options = options;
    const customCommands = [...bashCommands, ...options.commands ?? []];
    const fs = new SystemFs(options.fs);
    const { cwd } = options;
    const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => NAME.test(name)));
    const processInfo = { pid: SHELL_PID, ppid: 1 };
    this.#bash = new Bash({
      fs,
      cwd,
      env,
      customCommands,
      executionLimits: LIMITS,
      defenseInDepth: false,
      processInfo,
    });
    const { state: base, commands: registry } = this.#bash as unknown as Internals;
    fs.programs = registry;
    const execute: ProcessTable["execute"] = (script, spawn) => this.#bash.exec(script, spawn);
    this.#processes = new ProcessTable(FIRST_PID, MAX_BYTES, fs, execute, (run) => options.mark?.(run));
    for (const [name, builtin] of Object.entries(builtins)) this.#processes.builtins.set(name, builtin);
    this.#process = new Process(this.#processes, SHELL_PID);
    this.#state = forkState(base);
    this.#state.shoptOptions.expand_aliases = true;
    // As the shells of most systems do for a terminal that shows colours.
    if (!["", "dumb"].includes(env.TERM ?? "")) this.#state.env.set("BASH_ALIAS_ls", "ls --color=auto");
    if (options.saved !== undefined) load(this.#state, options.saved);
    this.#terminal = { out: this.#stream("stdout"), err: this.#stream("stderr") };
  }

  get cwd(): string {
    return this.#state.cwd;
  }

  /** Folder, variables, functions, aliases and options as text; jobs cannot be moved. */
  save(): string {
    return saveState(this.#state);
  }

  /** Makes these the commands that packages bring; none takes the place of one that the shell has. */
  setPrograms(programs: Command[]): void {
    const { commands: known } = this.#bash as unknown as Internals;
    for (const name of this.#programs.splice(0)) known.delete(name);
    for (const program of programs.filter(({ name }) => !known.has(name))) {
      this.#programs.push(program.name);
      this.#bash.registerCommand(program);
    }
  }

  /** The exported variables. */
  env(): Record<string, string> {
    const { env, exportedVars } = this.#state;
    return Object.fromEntries([...env].filter(([name]) => exportedVars?.has(name)));
  }

  /** The names that a script could use now. */
  names(): { variables: string[]; functions: string[] } {
    return { variables: [...this.#state.env.keys()], functions: [...this.#state.functions.keys()] };
  }

  /** Sets and exports variables, those that bash can name. */
  setEnv(variables: Record<string, string>): void {
    for (const [name, value] of Object.entries(variables)) {
      if (!NAME.test(name)) continue;
      this.#state.env.set(name, value);
      this.#state.exportedVars?.add(name);
    }
  }

  /**
   * Runs a script in the shell itself; a second call waits for the first.
   *
   * `exit`, a failure under `set -e`, a syntax error or an interrupt end the script, not the shell. An EXIT trap runs
   * when the script ends.
   */
  run(script: string, options: RunOptions): Promise<RunResult> {
    const run = this.#turn.then(() => this.#run(script, options));
    this.#turn = run.catch(() => {});
    return run;
  }

  async #run(script: string, options: RunOptions): Promise<RunResult> {
    const interrupt = this.#interrupt(options.signal);
    let left = this.#options.outputLimit ?? Infinity;
    this.#deliver = (stream, data) => {
      if (left > 0) options.onOutput(stream, data.length > left ? data.subarray(0, left) : data);
      left -= data.length;
    };
    this.#processes.live = this.#process.run = options.run ?? 0;
    try {
      this.#deliverBacklog();
      this.#process.terminal = options.stdin ? undefined : options.ask;
      const result = await this.#execute(script, interrupt.signal, options.stdin);
      this.#process.terminal = undefined;
      if (interrupt.hit) await this.#afterInterrupt();
      const exitCode = interrupt.hit ? 130 : result.exitCode;
      this.#state.lastExitCode = exitCode;
      this.#state.env.set("?", String(exitCode));
      return { exitCode, truncated: left < 0 };
    } finally {
      interrupt.close();
      this.#processes.live = 0;
      this.#deliver = this.#process.terminal = undefined;
    }
  }

  async #execute(script: string, signal: AbortSignal, stdin?: Uint8Array): Promise<ExecResult> {
    settleState(this.#state);
    let patched = false;
    const make = (base: typeof Interpreter, context: InterpreterOptions, given: ShellState) => {
      patched = true;
      Object.assign(this.#state, { signal, groupStdin: given.groupStdin });
      return createInterpreter(base, context, this.#state, this.#process, { ...this.#terminal });
    };
    const result = await this.#bash.exec(script, {
      rawScript: true,
      signal,
      stdin: stdin && fromArray(stdin),
      stdinKind: "bytes",
      [INTERPRETER]: make,
    } as object);
    if (!patched && script.trim() !== "" && result.exitCode === 0) {
      throw new Error("just-bash is not the patched copy (index.cloche.js): map the import to it");
    }
    if (!signal.aborted) this.#rest(result, this.#terminal);
    return result;
  }

  // The interrupt has used up the script's own interpreter: traps get a new one, and little time.
  async #afterInterrupt(): Promise<void> {
    for (const name of ["INT", "EXIT"]) {
      const text = this.#process.traps.get(name);
      if (name === "EXIT") this.#process.traps.clear(name);
      if (!text) continue;
      const deadline = Date.now() + TRAP_MS;
      const limited = new Interrupt(() => Date.now() > deadline);
      try {
        await this.#execute(text, limited.signal);
      } finally {
        limited.close();
      }
    }
  }

  /** Runs a program (an argument list) or a script in a child, which changes nothing of the shell but files. */
  async exec(
    command: string | string[],
    options: ExecOptions = {},
  ): Promise<{ exitCode: number; stdout: Uint8Array; stderr: Uint8Array }> {
    const interrupt = this.#interrupt(options.signal);
    const kept: Record<Stream, Uint8Array[]> = { stdout: [], stderr: [] };
    const to = (stream: Stream) =>
      new Callback((bytes) => {
        const data = toArray(bytes);
        if (options.onOutput) options.onOutput(stream, data);
        else kept[stream].push(data);
      }, options.live ?? false);
    const sink = { out: to("stdout"), err: to("stderr") };
    try {
      const result = await this.#child(command, options, interrupt.signal, sink);
      this.#rest(result, sink);
      const exitCode = interrupt.hit ? 130 : result.exitCode;
      return { exitCode, stdout: concatBytes(kept.stdout), stderr: concatBytes(kept.stderr) };
    } finally {
      interrupt.close();
    }
  }

  #child(command: string | string[], options: ExecOptions, signal: AbortSignal, sink: Sink): Promise<ExecResult> {
    const { stdin } = options;
    const env = options.env ?? this.env();
    const make = (base: typeof Interpreter, context: InterpreterOptions, given: ShellState) => {
      const state = childState(given, this.#state, env);
      return createInterpreter(base, context, state, this.#process.child(options.run), sink);
    };
    return this.#bash.exec(typeof command === "string" ? command : command.map(quoteWord).join(" "), {
      rawScript: true,
      signal,
      env,
      replaceEnv: true,
      cwd: options.cwd ?? this.cwd,
      stdin: stdin && fromArray(stdin),
      stdinKind: "bytes",
      [INTERPRETER]: make,
    } as object);
  }

  /** The commands that runs which are over have left in the background. */
  background(): string[] {
    return this.#processes.jobs.left().map((job) => job.text);
  }

  /** Ends them. */
  async stop(): Promise<void> {
    await this.#processes.jobs.stop();
  }

  #interrupt(signal?: Pick<AbortSignal, "aborted">): Interrupt {
    return new Interrupt(() => (signal?.aborted ?? false) || this.#options.isInterrupted());
  }

  // What just-bash reports itself: syntax errors and the like.
  #rest({ stdout, stderr }: ExecResult, sink: Sink): void {
    if (stderr !== "") sink.err.write(encodeMessage(sayPlainly(stderr, this.cwd)));
    if (stdout !== "") sink.out.write(encodeText(stdout));
  }

  #stream(stream: Stream): Callback {
    return new Callback((bytes) => {
      const data = toArray(bytes);
      if (this.#deliver) this.#deliver(stream, data);
      else this.#keep(stream, data);
    });
  }

  // Output of background jobs while no script runs: the latest is kept for the next one.
  #keep(stream: Stream, data: Uint8Array): void {
    this.#backlog.push([stream, data]);
    this.#backlogSize += data.length;
    while (this.#backlogSize > BACKLOG) this.#backlogSize -= this.#backlog.shift()?.[1].length ?? this.#backlogSize;
  }

  #deliverBacklog(): void {
    const backlog = this.#backlog;
    this.#backlog = [];
    this.#backlogSize = 0;
    for (const [stream, data] of backlog) this.#deliver?.(stream, data);
  }
}

/** Private parts of `Bash` that cannot be reached in another way. */
interface Internals {
  state: ShellState;
  commands: Map<string, unknown>;
}
