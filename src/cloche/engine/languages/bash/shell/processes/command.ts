/** The one interface of all programs: ours, just-bash's behind an adapter, and those of other languages. */
import type { DescriptorTable } from "../descriptors/table.ts";
import type { Later } from "../task.ts";
import type { OpenStream } from "../descriptors/stream.ts";
import type { OpenFlags, SystemFiles } from "./system_files.ts";

/** What a program is started with. */
export interface CommandContext {
  /** The name first. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly umask: number;
  /** Its own copy; closed when it ends. */
  readonly fds: DescriptorTable;
  readonly files: SystemFiles;
  /** Aborted when it is to end: an interrupt, a signal, a timeout. Its reason is a `Killed`. */
  readonly signal: AbortSignal;
  readonly pid: number;
  /** The run of the sandbox that has begun it. */
  readonly run: number;
  /** Opens a file by a path from `cwd`; /dev/stdin and /dev/fd/3 are its own descriptors. */
  open(path: string, flags: OpenFlags): OpenStream;
  /** Lets the program take signals itself: `take` returns true for those it handles. Returns how to end that. */
  handleSignals(take: (signal: number) => boolean): () => void;
  /** Whether a program of this name could be started. */
  has(name: string): boolean;
  /** A signal that ends it also waits for this, which has to settle soon after the signal is aborted. */
  endAfter(work: Promise<unknown>): void;
  /** Starts another program as a child. */
  spawn(argv: string[], options?: SpawnOptions): ChildProcess;
}

export interface SpawnOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** Its descriptors, which it closes; without them a copy of the caller's. */
  fds?: DescriptorTable;
  signal?: AbortSignal;
}

export interface ChildProcess {
  readonly pid: number;
  /** Its exit code, 128 + the signal if one has ended it; never rejects. */
  readonly done: Later<number>;
  kill(signal: number): void;
}

/** A program. What it throws becomes `name: message` on its standard error and code 1; BrokenPipe ends it with 141. */
export interface Command {
  readonly name: string;
  run(context: CommandContext): Later<number>;
}

/** Why a process ends before its time. */
export class Killed extends Error {
  override readonly name = "Killed";

  constructor(readonly signal: number) {
    super(`killed by signal ${signal}`);
  }
}
