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
  /** Whether an import that finds nothing has the host install what brings it. */
  autoInstall: boolean;
  env: Record<string, string>;
  snapshot: string;
  /** Memory that was saved by a sandbox before, for the first of each language in this one: a file and where in it. */
  saved: Partial<Record<Language, SavedMemory>>;
  /** Variables that come on top of what was saved. */
  added: Record<string, string>;
  memory: number;
  limits: RunLimits;
  preload: Language[];
  /** State of a shell that lived in a process before this one. */
  shell: string | null;
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
  /** Where bash or Python stands afterwards. */
  cwd?: string;
  /** The value as JSON, where it is plain data. */
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
  /** Base64, or null when nothing is piped in. */
  stdin: string | null;
  interactive: boolean;
  profile: boolean;
  /** The arguments of the program; not for Python and bash, which set them in their own code. */
  args?: string[];
  /** The file that the code was read from, as the guest would name it; it stands in tracebacks in place of `<cell>`. */
  file?: string;
  /** A folder that Python goes to first, if it is there. */
  cwd?: string;
  /** A `setup` cell leaves its names and no history; a `rehearsal` leaves nothing at all. */
  mode?: "cell" | "setup" | "rehearsal";
}

/** One language asks another to run a program. */
export interface ExecRequest {
  argv?: string[];
  script?: string;
  stdin: Uint8Array | null;
  cwd: string;
  env: Record<string, string>;
  /** Output goes straight to the run instead of into the result. */
  live: boolean;
  /** Both streams come as one, in order, in `stdout`. */
  merge: boolean;
  /** How much of `stdout` is read at most; a program that prints more is ended. */
  wanted?: { lines: number; bytes: number };
  /** The run that has begun it, if that is not the one whose output it has. */
  origin?: number;
}

export interface ExecResult {
  exitCode: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** Whether standard input was read to its end, where it was given. */
  ended?: boolean;
}

export interface Query {
  kind: "complete" | "inspect" | "is_complete" | "keep";
  code: string;
  cursor: number;
}

/** What a worker wants done outside: `kind` says who answers. The kinds below are the engine's own, and need no bytes. */
export type HostRequest = { kind: string } & Record<string, unknown>;

/** Another language is to run a program. The router answers it, with an `ExecResult`. */
export type ProgramRequest = { kind: "program"; language: Language; program: ExecRequest };

/** A line from the user, or null; asked in the order of the run's output. */
export type InputRequest = { kind: "input"; prompt: string; password: boolean; seconds?: number };

/** A change of files that is refused to the sandbox itself, and that the host makes for it; answered with a `Code`. */
export type HostFileChange = { kind: "link"; target: string; path: string } | {
  kind: "chmod";
  path: string;
  mode: number;
};

/** The folder with the files of a language. Only the router asks for it. */
export type PackRequest = { kind: "pack"; language: Language };

/** Why a request got no answer, or not all of it. */
export interface RequestFailure {
  type: string;
  message: string;
}

/** A reply on its way to the worker that asked. */
export type ResponseMessage =
  /** The answer, where its bytes follow. */
  | { op: "response"; request: number; data: unknown }
  | { op: "chunk"; request: number; data: Uint8Array<ArrayBuffer> }
  | { op: "credit"; request: number; bytes: number }
  /** Nothing more comes; `data` is the answer, if there was none before. */
  | { op: "end"; request: number; error: RequestFailure | null; data?: unknown };

/** A request on its way to whoever answers, with the bytes that go with it. */
type RequestMessage =
  /**
   * `complete` says that no bytes follow. A worker that is `blocking` stands still until the whole answer is in the memory
   * that it shares with the router; it has one such request at a time.
   */
  | { op: "request"; request: number; run: number; content: HostRequest; complete: boolean; blocking?: true }
  | { op: "chunk"; request: number; data: Uint8Array }
  | { op: "end"; request: number }
  | { op: "credit"; request: number; bytes: number }
  /** Nobody waits for the answer any more; a program is to end, and is answered all the same. */
  | { op: "abort"; request: number };

export type FromHost =
  | ResponseMessage
  | { op: "start"; config: Config }
  | { op: "run"; id: number; language: Language; request: RunRequest }
  | { op: "query"; id: number; language: Language; query: Query }
  | { op: "interrupt"; grace: number }
  /** What calls have left running is to end. */
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
  /** `interrupted: false` says that the code had ended before any interrupt came. */
  | { op: "done"; id: number; outcome: Outcome; state: "kept" | "lost"; interrupted?: boolean }
  | { op: "reply"; id: number; data: unknown }
  | { op: "display"; id: number; display: Display }
  | { op: "clear"; id: number; wait: boolean }
  | { op: "failed"; message: string }
  /** All that calls have left running, by language. */
  | { op: "background"; work: Record<string, string[]> }
  /** A run cannot begin yet: something that was left running is in its way. */
  | { op: "waiting"; id: number }
  | { op: "begun"; id: number }
  /**
   * Seconds that what was left running has computed beside runs, and how many of them in threads that these needed; since
   * the process began.
   */
  | { op: "beside"; seconds: number; taken: number }
  /** A worker was ended, and another has taken its place. */
  | { op: "replaced"; language: Language }
  /** The process has a thread that nothing can stop: it is to be replaced, and this is its shell's state. */
  | { op: "stuck"; shell: string | null };

/** How a worker is started. */
export interface Init {
  language: Language;
  assets: string;
  config: Config;
  /** The folder of the language's own files; empty when it has none. */
  pack: string;
  /** Programs that are compiled already, by their names in the catalogue; Python's is `python`. */
  modules: Record<string, WebAssembly.Module>;
  shared: SharedArrayBuffer;
  quota: SharedArrayBuffer;
}

export type ToWorker =
  | ResponseMessage
  /** Several at once. */
  | { op: "batch"; messages: ResponseMessage[] }
  | { op: "init"; init: Init }
  | { op: "run"; id: number; request: RunRequest }
  /** Another worker wants a program run; `program` is its number, `id` the run whose output it has. */
  | { op: "run_program"; id: number; program: number; request: ExecRequest }
  | { op: "stop_program"; program: number }
  | { op: "query"; id: number; query: Query }
  | { op: "env"; env: Record<string, string> }
  | { op: "packages"; id: number; packages: Package[] }
  | { op: "stop_background" }
  | { op: "cancel"; cancel: number };

export type FromWorker =
  | RequestMessage
  | { op: "ready"; memory: number }
  | { op: "failed"; message: string }
  | { op: "output"; id: number; stream: Stream; block: number; data: Uint8Array }
  | { op: "display"; id: number; display: Display }
  | { op: "clear"; id: number; wait: boolean }
  | { op: "begun"; id: number }
  | { op: "done"; id: number; outcome: Outcome; fatal: boolean }
  /** What goes on when no run does. */
  | { op: "background"; work: string[] }
  | { op: "background_stopped" }
  | { op: "memory"; bytes: number }
  /** It has read one part of the answer to its blocking request. */
  | { op: "read_next" }
  | { op: "reply"; id: number; data: unknown }
  | { op: "program_done"; program: number; result: ExecResult }
  | { op: "packages_set"; id: number; error: string | null }
  | { op: "cancelled"; cancel: number };
