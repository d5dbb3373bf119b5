/** The loop of every worker: takes messages and passes them to its language. */

import type {
  Display,
  ExecRequest,
  ExecResult,
  FromWorker,
  Init,
  InputRequest,
  Language,
  ProgramRequest,
  RunRequest,
  Stream,
  ToWorker,
} from "../protocol.ts";
import { CommandFiles, commandFolders, type CommandNames } from "../fs/command_files.ts";
import type { Files, Folder } from "../fs/files.ts";
import { FolderFiles } from "../fs/folder.ts";
import type { Package } from "../fs/packages.ts";
import { Quota } from "../fs/quota.ts";
import { COMMAND_NAMES } from "../languages/bash/command_names.ts";
import { CATALOG } from "../languages/catalog.ts";
import { FatalError, type LanguageRuntime, type LanguageWorker } from "../languages/language.ts";
import { loadLanguage } from "../platform/deno/load_language.ts";
import { openAsset, openPack } from "../platform/deno/assets.ts";
import { PlatformFiles } from "../platform/deno/files.ts";
import { collectGarbage } from "../platform/deno/idle_collector.ts";
import { heapBytes, sealGlobals } from "../platform/deno/worker_scope.ts";
import { BlockingRequests } from "./blocking_requests.ts";
import { OutputBuffer, type OutputPort } from "./output_buffer.ts";
import { PackageFolders } from "./package_folders.ts";
import type { ProgramEnd, ProgramStreams } from "./programs/streams.ts";
import { RequestError } from "./request_errors.ts";
import { OpenRequests } from "./requests.ts";
import { addHint, fatalOutcome, makeProfile } from "./run_outcome.ts";
import { SharedMemory } from "./shared_memory.ts";
import { PendingWaits } from "./waits.ts";

/** The connection to the main thread. */
export interface WorkerPort {
  /** How many messages were posted. */
  readonly sent: number;
  post(message: FromWorker, transfer?: Transferable[]): void;
}

type MakeRuntime = Awaited<ReturnType<typeof loadLanguage>>;

/** Milliseconds between two checks for background work. */
const BACKGROUND_LOOK = 500;

/** Holds one language and handles its messages. */
export class WorkerLoop {
  readonly #waits = new PendingWaits();
  /** How to stop each program that this worker runs for another one. */
  readonly #programs = new Map<number, AbortController>();
  #requests: OpenRequests | undefined;
  #runtime: Promise<LanguageRuntime> | undefined;
  #shared: SharedMemory | undefined;
  #packages: PackageFolders | undefined;
  #made: LanguageRuntime | undefined;
  #memory = 0;
  /** Runs, programs and queries that are not over. */
  #busy = 0;
  #background: string[] = [];
  #look: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly port: WorkerPort,
    /** The language, if it is being loaded already. */
    private readonly language: Promise<MakeRuntime> | null,
  ) {}

  receive(message: ToWorker): void {
    switch (message.op) {
      case "init":
        this.#runtime = this.#load(message.init);
        this.#runtime.catch((error) => this.port.post({ op: "failed", message: String(error?.message ?? error) }));
        break;
      case "run":
        void this.#run(message.id, message.request);
        break;
      case "run_program":
        void this.#runProgram(message.id, message.program, message.request);
        break;
      case "query":
        void this.#query(message);
        break;
      case "env":
        void this.#runtime?.then((runtime) => runtime.setEnv(message.env));
        break;
      case "packages":
        void this.#setPackages(message.id, message.packages);
        break;
      case "stop_background":
        void this.#stopBackground();
        break;
      case "stop_program":
        this.#programs.get(message.program)?.abort();
        break;
      case "signal_program":
        this.#made?.signal(message.program, message.signal);
        break;
      case "cancel":
        this.#waits.cancel(this.#shared?.interrupted === false);
        this.port.post({ op: "cancelled", cancel: message.cancel });
        break;
      case "batch":
        for (const each of message.messages) this.#requests?.receive(each);
        break;
      default:
        this.#requests?.receive(message);
    }
  }

  async #load(init: Init): Promise<LanguageRuntime> {
    const make = await (this.language ?? loadLanguage(init.language));
    const runtime = this.#made = make(this.#makeWorker(init));
    await runtime.load();
    sealGlobals();
    this.#memory = runtime.memory();
    this.port.post({ op: "ready", memory: this.#memory });
    return runtime;
  }

  /** Reports the interpreter's memory, if it has changed. */
  #tellMemory(runtime: LanguageRuntime): void {
    const bytes = runtime.memory();
    if (bytes !== this.#memory) this.port.post({ op: "memory", bytes });
    this.#memory = bytes;
  }

  /** Reports background work, if it has changed. */
  #tellBackground(runtime: LanguageRuntime): void {
    const work = runtime.background();
    if (work.join("\n") !== this.#background.join("\n")) this.port.post({ op: "background", work });
    this.#background = work;
    if (work.length === 0) {
      clearInterval(this.#look);
      this.#look = undefined;
    } else this.#look ??= setInterval(() => this.#busy === 0 && this.#tellBackground(runtime), BACKGROUND_LOOK);
  }

  async #stopBackground(): Promise<void> {
    this.#shared?.clearBackgroundStop();
    const runtime = await this.#loaded();
    await runtime.stopBackground();
    this.#tellBackground(runtime);
    this.port.post({ op: "background_stopped" });
  }

  async #run(id: number, request: RunRequest): Promise<void> {
    this.port.post({ op: "begun", id });
    this.#busy++;
    try {
      const runtime = await this.#loaded();
      const began = performance.now();
      const outcome = addHint(await runtime.run(id, request));
      this.#tellMemory(runtime);
      if (request.profile) outcome.profile ??= makeProfile(began, runtime.memory());
      this.#tellBackground(runtime);
      this.port.post({ op: "done", id, outcome, fatal: false });
    } catch (error) {
      this.port.post({ op: "done", id, outcome: fatalOutcome(error), fatal: true });
    } finally {
      this.#busy--;
    }
  }

  #loaded(): Promise<LanguageRuntime> {
    if (!this.#runtime) throw new FatalError("the worker was not initialised");
    return this.#runtime;
  }

  async #runProgram(id: number, program: number, request: ExecRequest): Promise<void> {
    const empty = new Uint8Array(0);
    const stop = new AbortController();
    this.#programs.set(program, stop);
    this.#busy++;
    try {
      const runtime = await this.#loaded();
      const result = await this.#markedExec(runtime, id, { ...request, program }, stop.signal);
      this.#tellMemory(runtime);
      this.#tellBackground(runtime);
      this.port.post({ op: "program_done", program, result });
    } catch (error) {
      if (error instanceof FatalError) return this.port.post({ op: "failed", message: error.message });
      const stderr = new TextEncoder().encode(`${error instanceof Error ? error.message : error}\n`);
      this.port.post({ op: "program_done", program, result: { exitCode: 1, stdout: empty, stderr } });
    } finally {
      this.#busy--;
      this.#programs.delete(program);
    }
  }

  async #markedExec(runtime: LanguageRuntime, id: number, request: ExecRequest, stop: AbortSignal) {
    if (runtime.marksOrigin || !this.#shared) return await runtime.exec(id, request, stop);
    this.#shared.origin = request.origin ?? id;
    try {
      return await runtime.exec(id, request, stop);
    } finally {
      this.#shared.origin = 0;
    }
  }

  async #setPackages(id: number, packages: Package[]): Promise<void> {
    try {
      await this.#loaded();
      this.#applyPackages(packages);
      this.port.post({ op: "packages_set", id, error: null });
    } catch (error) {
      this.port.post({ op: "packages_set", id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #applyPackages(packages: Package[]): void {
    const own = this.#packages?.set(packages);
    if (own) this.#made?.setPackages(own);
  }

  async #query(message: ToWorker & { op: "query" }): Promise<void> {
    try {
      const runtime = await this.#runtime;
      this.port.post({ op: "reply", id: message.id, data: await runtime?.query(message.query) });
    } catch (error) {
      this.port.post({ op: "reply", id: message.id, data: { error: String(error) } });
    }
  }

  #makeWorker(init: Init): LanguageWorker {
    const shared = new SharedMemory(init.shared);
    this.#shared = shared;
    const { limits } = init.config;
    const quota = new Quota(init.quota, limits.filesLimit, limits.fileNames);
    const requests = this.#requests = new OpenRequests(
      (message, transfer) => this.port.post(message, transfer),
      (start, forProgram) => this.#waits.add(start, forProgram),
      limits,
    );
    const blocking = new BlockingRequests(
      shared,
      (request, run, content) =>
        this.port.post({ op: "request", request, run, content, complete: true, blocking: true }),
      () => this.port.post({ op: "read_next" }),
      (packages) => this.#applyPackages(packages),
    );
    const files = new PlatformFiles((change) => blocking.changeFile(change));
    const libraries = new PackageFolders(init.language, openAsset, init.config.packages);
    this.#packages = libraries;
    const folder = (folder: Folder, other: Files = files) => new FolderFiles(folder, other, quota);
    return {
      init: { ...init, config: { ...init.config, packages: libraries.own } },
      shared,
      openAsset,
      folder,
      folders: [
        ...init.config.folders.map((each) => folder(each)),
        ...libraries.folders(folder),
        // The shell has its commands itself.
        ...(init.language === "bash" ? [] : commandFolders(new CommandFiles(allNames(libraries)), folder)),
      ],
      outputBuffer: new OutputBuffer(outputPort(this.port), shared),
      pack: openPack(init.pack, init.modules),
      blocking,
      display: (id: number, display: Display) => this.port.post({ op: "display", id, display }),
      clear: (id: number, wait: boolean) => this.port.post({ op: "clear", id, wait }),
      input: (...question) => askForLine(requests, ...question),
      openRequest: (run, content, body) => requests.open(run, content, body),
      waitForAny: (...wait) => requests.waitForAny(...wait),
      exec: (...program) => startProgram(requests, ...program),
      launch: (run, language, program, stop) => requests.launch(run, { kind: "program", language, program }, stop),
      spawn: (...program) => spawnProgram(requests, ...program),
      sendSignal: (stop, signal) => requests.signal(stop, signal),
      setAlarm: (ms, every) => this.port.post({ op: "alarm", ms, every }),
      sendOutput: (program, stream, data) => this.#sendOutput(shared, program, stream, data),
      sleep: (ms: number) => this.#sleep(ms),
      untilRung: (bell, rings, ms) =>
        this.#waits.add((resolve) => {
          void bell.next(rings, Math.min(ms, 2 ** 31 - 1)).then(resolve);
          return () => {};
        }),
      onCancel: (act) => this.#waits.onCancel(act),
      endWait: () => this.#waits.endLatest(),
      heapBytes,
      collectGarbage,
    };
  }

  /** Passes on what a program has printed; false if nobody reads it. */
  #sendOutput(shared: SharedMemory, program: number, stream: Stream, data: Uint8Array): boolean {
    if (!shared.reservePipe(program, stream, data.length)) return false;
    const copy = data.slice() as Uint8Array<ArrayBuffer>;
    this.port.post({ op: "program_output", program, stream, data: copy }, [copy.buffer]);
    return true;
  }

  #sleep(ms: number): Promise<void> {
    return this.#waits.add((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    });
  }
}

/** The commands of the shell and of packages. */
function allNames(libraries: PackageFolders): CommandNames {
  return {
    has: (name) => COMMAND_NAMES.has(name) || libraries.commands.names.has(name),
    keys: () => new Set([...COMMAND_NAMES, ...libraries.commands.names]),
  };
}

async function askForLine(
  requests: OpenRequests,
  run: number,
  prompt: string,
  password: boolean,
  seconds?: number,
  session?: boolean,
): Promise<string | null> {
  const content: InputRequest = { kind: "input", prompt, password, seconds, ...session ? { session } : {} };
  try {
    return await requests.call(run, content) as string | null;
  } catch (error) {
    if (error instanceof RequestError) return null;
    throw error;
  }
}

async function startProgram(
  requests: OpenRequests,
  run: number,
  language: Language,
  program: ExecRequest,
  stop?: AbortSignal,
): Promise<ExecResult> {
  const content: ProgramRequest = { kind: "program", language, program };
  return await requests.call(run, content, stop) as ExecResult;
}

async function spawnProgram(
  requests: OpenRequests,
  run: number,
  language: Language,
  program: ExecRequest,
  streams: ProgramStreams,
  stop?: AbortSignal,
): Promise<ProgramEnd> {
  const flows = CATALOG[language].process && streams.read ? "both" : "output";
  const content: ProgramRequest = { kind: "program", language, program: { ...program, flows } };
  const { exitCode, ended, signal, stdout, stderr } = await requests.call(run, content, stop, streams) as ExecResult;
  // What does not flow comes at the end.
  if (stdout.length > 0) await streams.write("stdout", stdout);
  if (stderr.length > 0) await streams.write("stderr", stderr);
  return { exitCode, ended, signal };
}

function outputPort(port: WorkerPort): OutputPort {
  return {
    get sent() {
      return port.sent;
    },
    output(id, stream, block, data) {
      port.post({ op: "output", id, stream, block, data }, [data.buffer]);
    },
  };
}
