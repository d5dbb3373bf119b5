/** A persistent bash: state stays between scripts, output streams, scripts can be stopped at any time. */
import { concatBytes } from "../../../text/bytes.ts";
import { tellEnded } from "./builtins/jobs.ts";
import { DeviceStream, SinkStream, TextStream } from "./descriptors/devices.ts";
import { DescriptorTable } from "./descriptors/table.ts";
import { type AskLine, TerminalInput } from "./descriptors/terminal.ts";
import { environmentOf } from "./execution/environment.ts";
import { prepareVariables, ShellInterpreter } from "./execution/execute.ts";
import { runProgram } from "./execution/run_program.ts";
import { runExitTrap } from "./execution/traps.ts";
import type { Command } from "./processes/command.ts";
import type { GuestFiles } from "./processes/guest_files.ts";
import { Kernel } from "./processes/kernel.ts";
import { SIGINT } from "./processes/signals.ts";
import { loadState, saveState, settleState } from "./state/save.ts";
import { ShellState } from "./state/shell_state.ts";
import { EXPORTED } from "./state/variables.ts";
import { type Outline, outlineScript } from "./syntax/outline.ts";
import type { Task } from "./task.ts";

type Stream = "stdout" | "stderr";
type OnOutput = (stream: Stream, data: Uint8Array) => void;

interface ShellOptions {
  files: GuestFiles;
  env: Record<string, string>;
  cwd: string;
  /** The programs that it can start; of two with one name, the later. */
  commands: Command[];
  /** Most bytes handed to `onOutput` in one run; the rest is dropped. */
  outputLimit?: number;
  /** What `save` returned in another process; the shell continues from there. */
  saved?: string;
  /** Read often while scripts run; true stops the running one. */
  isInterrupted(): boolean;
  /** Called with the run for which the thread computes; 0 when it waits. */
  mark?(run: number): void;
  /** The number of a new process, if others count too. */
  nextPid?(): number;
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
  /** A process of its own, with these descriptors, which it closes. */
  process?: { pid: number; umask: number; fds: DescriptorTable };
  /** Called with how to send it a signal. */
  onStart?(kill: (signal: number) => void): void;
}

/** `truncated` says that output went over the limit. */
interface RunResult {
  exitCode: number;
  truncated: boolean;
}

const BACKLOG = 262_144;
const TRAP_MS = 1000;
const POLL_MS = 10;
/** Others, such as `?` and `1`, are the shell's own. */
const NAME = /^[A-Za-z_]\w*$/;
const COLOURED = "ls --color=auto";

export class Shell {
  readonly #options: ShellOptions;
  readonly #kernel: Kernel;
  readonly #shell: ShellInterpreter;
  readonly #programs: string[] = [];
  #interrupted: () => boolean = () => false;
  #turn: Promise<unknown> = Promise.resolve();
  #deliver: OnOutput | undefined;
  #backlog: [Stream, Uint8Array][] = [];
  #backlogSize = 0;

  constructor(options: ShellOptions) {
    this.#options = options;
    const { files } = options;
    const { mark, nextPid } = options;
    this.#kernel = new Kernel({ files, isInterrupted: () => this.#interrupted(), mark, nextPid });
    files.showCommands(this.#kernel.commands);
    for (const command of options.commands) this.#kernel.commands.set(command.name, command);
    const state = new ShellState();
    state.cwd = options.cwd;
    state.interactive = true;
    state.shopt.add("expand_aliases");
    this.#shell = new ShellInterpreter(
      this.#kernel,
      this.#kernel.createProcess(undefined, "bash"),
      state,
      new DescriptorTable(),
    );
    this.setEnv(options.env);
    prepareVariables(state);
    // As the shells of most systems do for a terminal that shows colours.
    if (!["", "dumb"].includes(options.env.TERM ?? "")) state.aliases.set("ls", COLOURED);
    if (options.saved !== undefined) loadState(state, options.saved);
  }

  get #state(): ShellState {
    return this.#shell.state;
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
    const { commands } = this.#kernel;
    for (const name of this.#programs.splice(0)) commands.delete(name);
    for (const program of programs.filter(({ name }) => !commands.has(name))) {
      this.#programs.push(program.name);
      commands.set(program.name, program);
    }
    this.#state.hashed.clear();
  }

  /** The exported variables. */
  env(): Record<string, string> {
    return { ...environmentOf(this.#shell) };
  }

  /** The names that a script could use now. */
  names(): { variables: string[]; functions: string[] } {
    return { variables: [...this.#state.variables.names()], functions: [...this.#state.functions.keys()] };
  }

  /** How the shell would read a script now, with its aliases; nothing is run. */
  outline(script: string): Outline {
    const { aliases, shopt } = this.#state;
    // The one that the shell sets itself changes no command.
    const named = new Map([...aliases].filter(([name, value]) => name !== "ls" || value !== COLOURED));
    const known = () => shopt.has("expand_aliases") ? named : undefined;
    return outlineScript(script, { aliases: known, extglob: shopt.has("extglob") });
  }

  /** Sets and exports variables, those that bash can name. */
  setEnv(variables: Record<string, string>): void {
    for (const [name, value] of Object.entries(variables)) {
      if (NAME.test(name)) this.#state.variables.replace(name, { value, attributes: EXPORTED });
    }
    this.#state.hashed.clear();
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
    let left = this.#options.outputLimit ?? Infinity;
    this.#deliver = (stream, data) => {
      if (left > 0) options.onOutput(stream, data.length > left ? data.subarray(0, left) : data);
      left -= data.length;
    };
    const { process, fds } = this.#shell;
    process.run = this.#kernel.liveRun = options.run ?? 0;
    this.#options.mark?.(process.run);
    this.#deliverBacklog();
    fds.set(0, inputOf(options));
    this.#useTerminal();
    try {
      const code = await this.#untilInterrupted(this.#body(script), options.signal);
      return { exitCode: code, truncated: left < 0 };
    } finally {
      settleState(this.#shell.state);
      this.#shell.flow = undefined;
      this.#shell.depth = 0;
      this.#kernel.liveRun = 0;
      this.#options.mark?.(0);
      this.#deliver = undefined;
    }
  }

  *#body(script: string): Task<number> {
    const code = yield* this.#shell.guard(this.#shell.runText(script));
    const last = yield* runExitTrap(this.#shell, code);
    // The next script gets them anew; what `exec > >(tee log)` has made of them ends here.
    this.#useTerminal();
    yield* this.#shell.drainOutlets();
    tellEnded(this.#shell);
    return last;
  }

  #useTerminal(): void {
    this.#shell.fds.set(1, this.#terminal("stdout"));
    this.#shell.fds.set(2, this.#terminal("stderr"));
  }

  async #untilInterrupted(body: Task<number>, signal: RunOptions["signal"]): Promise<number> {
    const { process } = this.#shell;
    let hit = false;
    const look = () => {
      hit ||= (signal?.aborted ?? false) || this.#options.isInterrupted();
      return hit;
    };
    this.#interrupted = look;
    const timer = setInterval(() => look() && process.interrupt(), POLL_MS);
    try {
      const code = await process.start(body);
      if (!hit) return code;
    } finally {
      clearInterval(timer);
      this.#interrupted = () => false;
    }
    await this.#afterInterrupt();
    return this.#state.status = 128 + SIGINT;
  }

  /** Traps get a little time. */
  async #afterInterrupt(): Promise<void> {
    const { traps } = this.#shell.state;
    for (const name of ["INT", "EXIT"]) {
      const text = traps.get(name);
      if (name === "EXIT") traps.delete(name);
      if (!text) continue;
      settleState(this.#shell.state);
      const { process } = this.#shell;
      const timer = setTimeout(() => process.interrupt(), TRAP_MS);
      try {
        await process.start(this.#shell.guard(this.#shell.runText(text)));
      } finally {
        clearTimeout(timer);
      }
    }
  }

  /** Runs a program (an argument list) or a script in a child, which changes nothing of the shell but files. */
  async exec(
    command: string | string[],
    options: ExecOptions = {},
  ): Promise<{ exitCode: number; signal?: number; stdout: Uint8Array; stderr: Uint8Array }> {
    const kept: Record<Stream, Uint8Array[]> = { stdout: [], stderr: [] };
    const fds = options.process?.fds ?? outputsOf(options, kept);
    const title = typeof command === "string" ? "bash" : command.join(" ");
    const child = this.#kernel.createProcess(this.#shell.process, title, options.process?.pid);
    child.run = options.run ?? this.#kernel.liveRun;
    const env = options.env ?? this.env();
    const shell = this.#shell.forProgram(child, fds, env, options.cwd ?? this.cwd);
    if (options.process) shell.state.umask = options.process.umask;
    prepareVariables(shell.state);
    const body = typeof command === "string" ? shell.runText(command) : runProgram(shell, command, env);
    options.onStart?.((signal) => void child.kill(signal));
    let hit = false;
    const look = () => hit ||= (options.signal?.aborted ?? false) || this.#options.isInterrupted();
    const timer = setInterval(() => look() && child.interrupt(), POLL_MS);
    try {
      const code = await child.start(shell.main(body));
      const signal = hit ? SIGINT : child.endedBy ?? child.programEndedBy;
      const output = { stdout: concatBytes(kept.stdout), stderr: concatBytes(kept.stderr) };
      return { exitCode: hit ? 130 : code, signal: signal === code - 128 || hit ? signal : undefined, ...output };
    } finally {
      clearInterval(timer);
    }
  }

  /** The commands that runs which are over have left in the background. */
  background(): string[] {
    return this.#left().map((job) => job.text);
  }

  #left() {
    return this.#kernel.jobs.running().filter((job) =>
      job.process.run !== this.#kernel.liveRun || this.#kernel.liveRun === 0
    );
  }

  /** Ends them. */
  async stop(): Promise<void> {
    const running = this.#left();
    for (const job of running) job.process.kill(9);
    await Promise.all(running.map((job) => job.process.done));
  }

  #terminal(stream: Stream): SinkStream {
    return new SinkStream("terminal", (data) => {
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

function inputOf({ stdin, ask }: RunOptions) {
  if (stdin) return new TextStream(stdin);
  return ask ? new TerminalInput(ask) : new DeviceStream("null");
}

/** No input or that which was given; output goes to a function, or is kept. */
function outputsOf({ stdin, live, onOutput }: ExecOptions, kept: Record<Stream, Uint8Array[]>): DescriptorTable {
  const to = (stream: Stream) =>
    new SinkStream(live ? "terminal" : "pipe", (data) => {
      if (onOutput) onOutput(stream, data);
      else kept[stream].push(data);
    });
  const fds = new DescriptorTable();
  fds.set(0, stdin ? new TextStream(stdin) : new DeviceStream("null"));
  fds.set(1, to("stdout"));
  fds.set(2, to("stderr"));
  return fds;
}
