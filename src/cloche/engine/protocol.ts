/** Every message between host, main thread and workers. Only types. */

import type { Folder } from "./fs/files.ts";
import type { Package } from "./fs/packages.ts";
import type { Language } from "./languages/catalog.ts";
import type { RunLimits } from "./limits.ts";

export type { Language };
export type Stream = "stdout" | "stderr";

/** What a sandbox is made of; the host sends it first. */
export interface Config {
  folders: Folder[];
  packages: Package[];
  /** Whether a failed import makes the host install the package that provides the module. */
  autoInstall: boolean;
  env: Record<string, string>;
  snapshot: string;
  /** Memory that an earlier sandbox saved, for the first worker of each language: a file and the position in it. */
  saved: Partial<Record<Language, SavedMemory>>;
  /** Variables on top of the saved ones. */
  added: Record<string, string>;
  memory: number;
  limits: RunLimits;
  preload: Language[];
  /** State of the shell of an earlier process. */
  shell: string | null;
  /** Whether this start only fills the caches: what is loaded at its first use is then loaded at once. */
  building?: boolean;
}

export interface SavedMemory {
  path: string;
  at: number;
}

export interface RunError {
  type: string;
  message: string;
  line: number | null;
  column: number | null;
  traceback: string;
}

export interface Outcome {
  value: string | null;
  error: RunError | null;
  exitCode: number;
  profile?: unknown;
  /** The folder of bash or Python afterwards. */
  cwd?: string;
  /** The value as JSON, if it is plain data. */
  data?: string | null;
}

export interface Display {
  kind: "display" | "update" | "result";
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
  displayId: string | null;
}

export interface RunRequest {
  code: string;
  /** Base64, or null if nothing is piped in. */
  stdin: string | null;
  interactive: boolean;
  profile: boolean;
  /** The arguments of the program; not for Python and bash, which set them in their own code. */
  args?: string[];
  /** The file that the code was read from, as the guest would name it; tracebacks name it instead of `<cell>`. */
  file?: string;
  /** A folder that Python changes to first, if it exists. */
  cwd?: string;
  /** A `setup` cell leaves its names and no history; a `rehearsal` leaves nothing. */
  mode?: "cell" | "setup" | "rehearsal";
}

/** One language asks another to run a program. */
export interface ExecRequest {
  argv?: string[];
  script?: string;
  stdin: Uint8Array | null;
  cwd: string;
  env: Record<string, string>;
  /** Output goes directly to the run instead of into the result. */
  live: boolean;
  /** Both streams are one, in order, in `stdout`. */
  merge: boolean;
  /** The run that started it, if that is not the one that gets its output. */
  origin?: number;
  /**
   * What flows while it runs: output that is not `live` goes to the caller in chunks; if its language has processes, input
   * that is not in `stdin` is asked for.
   */
  flows?: "output" | "both";
  /** Its number in the worker that runs it, which sets it. */
  program?: number;
  /** For the shell: what the process has, whose bytes then flow without messages. */
  child?: ChildRequest;
  /** The process that it is in the shell, for `getpid`; and the program of the shell that has started it. */
  pid?: number;
  parent?: number;
  umask?: number;
  /** A bit for each signal that the program handles itself, which it sets. */
  handled?: SharedArrayBuffer;
}

/** A process that a program starts, as `fork` and `exec` would make it. */
export interface ChildRequest {
  pid: number;
  descriptors: Record<number, ChildDescriptor>;
  umask: number;
  /** Where its end is noted: 1, the exit code, the signal that has ended it. */
  exit: SharedArrayBuffer;
}

/** Inherited from the one who starts it, by number; the same as another of the process; an end of a pipe; a file; bytes to read; or nothing. */
export type ChildDescriptor =
  | { type: "inherited"; from: number }
  | { type: "same"; as: number }
  | { type: "pipe"; pipe: SharedArrayBuffer; end: "read" | "write" }
  | { type: "file"; path: string; append: boolean; position: number }
  | { type: "bytes"; data: Uint8Array }
  | { type: "null" };

export interface ExecResult {
  exitCode: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** Whether standard input was read to its end, if there was any. */
  ended?: boolean;
  /** The signal that has ended it. */
  signal?: number;
}

export interface Query {
  kind: "complete" | "inspect" | "is_complete" | "outline" | "save";
  code: string;
  cursor: number;
}

/** A worker's request; `kind` says who answers it. The kinds below are the engine's own, and have no bytes. */
export type HostRequest = { kind: string } & Record<string, unknown>;

/** Another language should run a program. The router answers with an `ExecResult`. */
export type ProgramRequest = { kind: "program"; language: Language; program: ExecRequest };

/** A line from the user, or null; asked in the order of the run's output. */
export type InputRequest = {
  kind: "input";
  prompt: string;
  password: boolean;
  seconds?: number;
  /** Whether an interrupt is an answer too, `INTERRUPT_KEY`: the prompt of a session. */
  session?: boolean;
};

/** A program that flows wants at most so many bytes of its input; `data` is true at the end. Always blocking. */
export type StdinRequest = { kind: "stdin"; most: number };

/** A port of the sandbox is taken, any with 0, or given back; the router answers with its number. Always blocking. */
export type PortRequest = { kind: "bind" | "unbind"; port: number };

/** A change of files that the sandbox itself may not make; the host makes it, and answers with a `Code`. */
export type HostFileChange = { kind: "link"; target: string; path: string } | {
  kind: "chmod";
  path: string;
  mode: number;
};

/** The folder with the files of a language. Only the router asks for it. */
export type PackRequest = { kind: "pack"; language: Language };

/** What each language has loaded, for a command that reports it. The router answers with `LanguageStates`. */
export type LanguagesRequest = { kind: "languages" };

/** Whether a language's worker is ready, the bytes it holds, and whether its next worker starts from saved memory. */
export type LanguageStates = Record<Language, { loaded: boolean; memory: number; saved: boolean }>;

/** Why a request got no answer, or only part of it. */
export interface RequestFailure {
  type: string;
  message: string;
}

/** A reply on its way to the worker that asked. */
export type ResponseMessage =
  /** The answer, if its bytes follow. */
  | { op: "response"; request: number; data: unknown }
  /** Bytes; `last` says that no more come, though the other side still takes some. */
  | { op: "chunk"; request: number; data: Uint8Array<ArrayBuffer>; stream?: Stream; last?: true }
  /** The receiver has taken so many bytes; a program that flows wants so many. */
  | { op: "credit"; request: number; bytes: number }
  /** The end; `data` is the answer, if there was none before. */
  | { op: "end"; request: number; error: RequestFailure | null; data?: unknown };

/** A request on its way to the host or the router, with its bytes. */
type RequestMessage =
  /**
   * `complete` says that no bytes follow. A worker that is `blocking` waits until the whole answer is in the memory that
   * it shares with the router; it has one such request at a time.
   */
  | { op: "request"; request: number; run: number; content: HostRequest; complete: boolean; blocking?: true }
  | { op: "chunk"; request: number; data: Uint8Array }
  | { op: "end"; request: number }
  | { op: "credit"; request: number; bytes: number }
  /** The answer is not needed any more; a program should end, and is answered all the same. */
  | { op: "abort"; request: number };

/** A signal for a program that the worker has started. */
type SignalMessage = { op: "signal"; request: number; signal: number };

export type FromHost =
  | ResponseMessage
  | { op: "start"; config: Config }
  | { op: "run"; id: number; language: Language; request: RunRequest }
  | { op: "query"; id: number; language: Language; query: Query }
  | { op: "interrupt"; grace: number }
  /** Stops what calls have left running. */
  | { op: "stop_background"; grace: number }
  | { op: "env"; env: Record<string, string> }
  | { op: "reset"; id: number; language: Language }
  /** All packages, from now on. */
  | { op: "packages"; id: number; packages: Package[] }
  | { op: "unload"; id: number; language: Language }
  | { op: "languages"; id: number };

export type ToHost =
  | RequestMessage
  | { op: "ready"; languages: Language[] }
  /** `interrupted: false` says that the code had ended before any interrupt. */
  | { op: "done"; id: number; outcome: Outcome; state: "kept" | "lost"; interrupted?: boolean }
  | { op: "reply"; id: number; data: unknown }
  | { op: "display"; id: number; display: Display }
  | { op: "clear"; id: number; wait: boolean }
  | { op: "failed"; message: string }
  /** All that calls have left running, by language. */
  | { op: "background"; work: Record<string, string[]> }
  /** A run cannot start yet: background work is in its way. */
  | { op: "waiting"; id: number }
  | { op: "begun"; id: number }
  /**
   * Processor seconds that background work has used while runs were active, and how many of them on a thread that a run
   * was waiting for; since the process started.
   */
  | { op: "beside"; seconds: number; taken: number }
  /** A worker was ended and replaced. */
  | { op: "replaced"; language: Language; told: boolean }
  /** The process has a thread that cannot be stopped: it must be replaced, and this is its shell's state. */
  | { op: "stuck"; shell: string | null };

/** How a worker is started. */
export interface Init {
  language: Language;
  assets: string;
  config: Config;
  /** The folder of the language's own files; empty if it has none. */
  pack: string;
  /** Programs that are compiled already, by their names in the catalogue; Python's is `python`. */
  modules: Record<string, WebAssembly.Module>;
  shared: SharedArrayBuffer;
  quota: SharedArrayBuffer;
  /** Which interpreter of its language it is: 0 runs the cells, each of the others one program. */
  process: number;
  /** How much memory each of them has. */
  memory: SharedArrayBuffer;
}

export type ToWorker =
  | ResponseMessage
  /** Several at once. */
  | { op: "batch"; messages: ResponseMessage[] }
  | { op: "init"; init: Init }
  | { op: "run"; id: number; request: RunRequest }
  /** Another worker wants a program to run; `program` is its number, `id` the run that gets its output. */
  | { op: "run_program"; id: number; program: number; request: ExecRequest }
  | { op: "stop_program"; program: number }
  | { op: "signal_program"; program: number; signal: number }
  | { op: "query"; id: number; query: Query }
  | { op: "env"; env: Record<string, string> }
  | { op: "packages"; id: number; packages: Package[] }
  | { op: "stop_background" }
  | { op: "cancel"; cancel: number };

export type FromWorker =
  | RequestMessage
  | SignalMessage
  | { op: "ready"; memory: number }
  | { op: "failed"; message: string }
  | { op: "output"; id: number; stream: Stream; block: number; data: Uint8Array }
  | { op: "display"; id: number; display: Display }
  | { op: "clear"; id: number; wait: boolean }
  | { op: "begun"; id: number }
  | { op: "done"; id: number; outcome: Outcome; fatal: boolean }
  /** What is still running without a run. */
  | { op: "background"; work: string[] }
  | { op: "background_stopped" }
  | { op: "memory"; bytes: number }
  /** It wants SIGALRM in so many milliseconds, and then again and again; 0 for never. */
  | { op: "alarm"; ms: number; every: number }
  /** It has read one part of the reply to its blocking request. */
  | { op: "read_next" }
  | { op: "reply"; id: number; data: unknown }
  /** Nobody reads this stream of a program that it has started any more. */
  | { op: "broken"; request: number; stream: Stream }
  /** Output of a program that flows. */
  | { op: "program_output"; program: number; stream: Stream; data: Uint8Array<ArrayBuffer> }
  | { op: "program_done"; program: number; result: ExecResult }
  | { op: "packages_set"; id: number; error: string | null }
  | { op: "cancelled"; cancel: number };
