/** What a language is to the worker that holds it, and what the worker offers to it. */

import type { AskBody, Asked } from "../asks.ts";
import type { Files, Folder } from "../fs/files.ts";
import type { FolderFiles } from "../fs/folder.ts";
import type { OpenBlob, Package } from "../fs/packages.ts";
import type { Outlet } from "../outlet.ts";
import type {
  Display,
  ExecRequest,
  ExecResult,
  Init,
  Language,
  Outcome,
  Query,
  Question,
  RunRequest,
} from "../protocol.ts";
import type { Shared } from "../shared.ts";

/** Everything a language may ask of the world outside. */
export interface Host {
  readonly init: Init;
  readonly shared: Shared;
  readonly folders: FolderFiles[];
  /** Another folder of the host, for files that come with Cloche. */
  folder(folder: Folder, files?: Files): FolderFiles;
  readonly outlet: Outlet;
  /** Reads part of a file of the assets or the cache. */
  openAsset(path: string): OpenBlob;
  display(run: number, display: Display): void;
  clear(run: number, wait: boolean): void;
  /** Null at the end of input. */
  input(run: number, prompt: string, password: boolean): Promise<string | null>;
  /** Has another language run a program; `stop` ends it early. Rejects when cancelled. */
  exec(run: number, language: Language, request: ExecRequest, stop?: AbortSignal): Promise<ExecResult>;
  /** Asks the host for what only it can do. */
  ask(run: number, question: Question, body?: AskBody): Asked;
  /** Settles when the time is over; rejects when cancelled. */
  sleep(ms: number): Promise<void>;
  /** Called when the current work is to stop; `waited` tells whether that ended a wait, which has been rejected. */
  onCancel(act: (waited: boolean) => void): void;
  /** Ends the latest wait as a cancel would; false when there is none. */
  endWait(): boolean;
}

/** A failure after which the worker is of no more use. */
export class FatalError extends Error {
  override readonly name = "FatalError";
}

export interface Runtime {
  readonly info: Record<string, unknown>;
  run(id: number, request: RunRequest): Promise<Outcome>;
  exec(id: number, request: ExecRequest, stop: AbortSignal): Promise<ExecResult>;
  query(query: Query): Promise<unknown>;
  setEnv(env: Record<string, string>): void;
  /** Throws, and changes nothing, when a package is damaged. */
  setPackages(packages: Package[]): void;
  /** State that can go on in another process; null when there is none. */
  save(): string | null;
}
