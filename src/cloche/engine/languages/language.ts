/** What a language is to the worker that holds it, and what the worker offers to it. */

import type { OpenRequest, RequestBody } from "../worker/requests.ts";
import type { BlockingRequests } from "../worker/blocking_requests.ts";
import type { Files, Folder } from "../fs/files.ts";
import type { FolderFiles } from "../fs/folder.ts";
import type { OpenBlob, Package } from "../fs/packages.ts";
import type { OutputBuffer } from "../worker/output_buffer.ts";
import type {
  Display,
  ExecRequest,
  ExecResult,
  HostRequest,
  Init,
  Outcome,
  Query,
  RunRequest,
  Stream,
} from "../protocol.ts";
import type { Bell } from "../worker/pipes/bell.ts";
import type { ProgramEnd, ProgramStreams } from "../worker/programs/streams.ts";
import type { SharedMemory } from "../worker/shared_memory.ts";
import type { Source } from "../wasm/image.ts";
import type { Language } from "./catalog.ts";

/** Everything that a language may ask of its worker. */
export interface LanguageWorker {
  readonly init: Init;
  readonly shared: SharedMemory;
  readonly folders: FolderFiles[];
  /** Another folder of the host, for files that come with Cloche. */
  folder(folder: Folder, files?: Files): FolderFiles;
  readonly outputBuffer: OutputBuffer;
  /** The files that were fetched for this language. */
  readonly pack: Pack;
  /** Reads part of a file of the assets or the cache. */
  openAsset(path: string): OpenBlob;
  display(run: number, display: Display): void;
  clear(run: number, wait: boolean): void;
  /** Null at the end of input, and if there is no answer within `seconds`; at a session's prompt, an interrupt is a line too. */
  input(
    run: number,
    prompt: string,
    password: boolean,
    seconds?: number,
    session?: boolean,
  ): Promise<string | null>;
  /** Lets another language run a program; `stop` ends it early. Rejects when cancelled. */
  exec(run: number, language: Language, request: ExecRequest, stop?: AbortSignal): Promise<ExecResult>;
  /**
   * The same for a program whose output flows while it runs; its input does if its language has processes, otherwise it is
   * in the request.
   */
  spawn(
    run: number,
    language: Language,
    request: ExecRequest,
    streams: ProgramStreams,
    stop?: AbortSignal,
  ): Promise<ProgramEnd>;
  /** Starts a program as a process of the shell, which tells its end by itself; settles when it is over. */
  launch(run: number, language: Language, request: ExecRequest, stop: AbortSignal): Promise<unknown>;
  /** Sends a signal to a program that `exec` or `spawn` has started with this abort signal. */
  sendSignal(stop: AbortSignal, signal: number): void;
  /** Asks for SIGALRM in so many milliseconds, and then again and again; 0 for never. */
  setAlarm(ms: number, every: number): void;
  /** Passes on what a program that flows has printed; false if nobody reads it. */
  sendOutput(program: number, stream: Stream, data: Uint8Array): boolean;
  /** Sends the host a request for what only it can do. */
  openRequest(run: number, content: HostRequest, body?: RequestBody): OpenRequest;
  /** Waits until `ready`, which changes of these requests may bring about; false on a timeout. Rejects when cancelled. */
  waitForAny(asked: OpenRequest[], ready: () => boolean, ms?: number): Promise<boolean>;
  /** Requests, input and programs, for languages that cannot wait for a promise. */
  readonly blocking: BlockingRequests;
  /** Settles when the time is over; rejects when cancelled. */
  sleep(ms: number): Promise<void>;
  /** Settles when the bell is rung, or the time is over; rejects when cancelled. */
  untilRung(bell: Bell, rings: number, ms: number): Promise<void>;
  /** Called when the current work is to stop; `waited` says whether that ended a wait, which has been rejected. */
  onCancel(act: (waited: boolean) => void): void;
  /** Ends the latest wait as a cancel would; false if there is none. */
  endWait(): boolean;
  /** Bytes of JavaScript's heap in this thread; zero if unknown. */
  heapBytes(): number;
  /** Frees unreferenced memory now. */
  collectGarbage(): void;
}

/** The downloaded folder of a language; names are those of its files. */
export interface Pack {
  open(name: string): OpenBlob;
  read(name: string): Uint8Array<ArrayBuffer>;
  /** For `import()`. */
  url(name: string): string;
  /** A module that was compiled when the worker started. */
  module(name: string): WebAssembly.Module;
}

/** How the reason begins for which a program could not be started, where that is no fault of its own. */
export const CANNOT_START = "cannot start: ";

/** A failure after which the worker cannot be used any more. */
export class FatalError extends Error {
  override readonly name = "FatalError";

  constructor(message: string, readonly type = "InternalError") {
    super(message);
  }
}

/** A language inside its worker. */
export abstract class LanguageRuntime {
  /** Of the catalogue: nothing else is loaded into a worker. */
  readonly name: Language;
  /** Whether the arguments of an earlier cell are still set. */
  #stale = true;

  constructor(protected readonly worker: LanguageWorker) {
    this.name = worker.init.language;
  }

  /** Prepares everything that code needs. */
  abstract load(): Promise<void>;

  /** Runs a cell. Throws FatalError if the interpreter cannot be used any more. */
  abstract run(id: number, request: RunRequest): Promise<Outcome>;

  /** Runs a program, as bash does. */
  abstract exec(id: number, request: ExecRequest, stop: AbortSignal): Promise<ExecResult>;

  /** Sends a signal to a program that it runs. */
  signal(_program: number, _signal: number): void {}

  abstract setEnv(env: Record<string, string>): void;

  /** Bytes that the interpreter uses. */
  abstract memory(): number;

  query(query: Query): Promise<unknown> {
    if (query.kind === "is_complete") return Promise.resolve({ status: "unknown" });
    if (query.kind === "complete") {
      return Promise.resolve({ matches: [], start: query.cursor, end: query.cursor });
    }
    if (query.kind === "save") return this.#save(query.code);
    return Promise.resolve({ found: false });
  }

  /** Sends the memory to the host, or says why that is not possible. */
  async #save(key: string): Promise<unknown> {
    const image = this.image();
    if (typeof image === "string") return { refused: image };
    await this.worker.openRequest(0, { kind: "save_memory", key }, image).data;
    return {};
  }

  /** The memory of the idle interpreter, for another one to start from; or why it cannot be saved. */
  protected image(): Uint8Array[] | string {
    return `the state of ${this.name} cannot be saved`;
  }

  /** Lets `act` read the memory to start from; undefined if it starts fresh. */
  protected fromSaved<T>(act: (source: Source) => T): T | undefined {
    const file = this.openSaved();
    try {
      return file && act(file);
    } finally {
      file?.close();
    }
  }

  /** The memory to start from; the caller closes it. */
  protected openSaved(): Source & { close(): void } | undefined {
    const saved = this.worker.init.config.saved[this.name];
    if (!saved) return undefined;
    const file = this.worker.openAsset(saved.path);
    return { read: (into, position) => file.read(into, saved.at + position), close: () => file.close() };
  }

  /** If a package is damaged, throws and changes nothing. */
  setPackages(_packages: Package[]): void {}

  /** A cell's own name and arguments; null if they stay as they are, whatever code has done to them. */
  protected words({ args = [], file }: RunRequest, name: string): string[] | null {
    const given = args.length > 0 || file !== undefined;
    const changed = given || this.#stale;
    this.#stale = given;
    return changed ? [file ?? name, ...args] : null;
  }

  /** Whether the language itself marks which run it computes for, because its runs and programs take turns. */
  readonly marksOrigin: boolean = false;

  /** The background work of earlier runs, each in a few words. */
  background(): string[] {
    return [];
  }

  /** Ends as much of it as possible; settles when that is done. */
  stopBackground(): Promise<void> {
    return Promise.resolve();
  }
}
