/** What Play uses of the engine for browsers, which is built apart and loaded from where the page is. */

import type { Bundle } from "../../outputs/bundle.ts";

export interface RunError {
  type: string;
  message: string;
  line: number | null;
  column: number | null;
  traceback: string;
}

export interface ExecuteResult {
  success: boolean;
  returnValue: string | null;
  error: RunError | null;
  exitCode: number;
  /** Milliseconds. */
  executionTime: number;
  timedOut: boolean;
  state: "kept" | "lost";
}

export interface Display {
  kind: string;
  data: Bundle;
  metadata?: Record<string, unknown>;
}

export interface RunOptions {
  timeout: number;
  onDisplay(display: Display): void;
  onInput(prompt: string, password: boolean): Promise<string | null>;
}

export interface Manager {
  loadRuntime(name: string): Promise<unknown>;
  executeIn(name: string, code: string, options: RunOptions): Promise<ExecuteResult>;
  interrupt(name: string): void;
  isRuntimeLoaded(name: string): boolean;
  complete(name: string, code: string, cursor: number): Promise<string[]>;
  listRuntimes(): { name: string; memory: number; loaded: boolean }[];
  setOutputCallback(callback: (output: { message: string; type: string }) => void | Promise<void>): void;
}

export interface EngineFiles {
  sizes(path?: string): Record<string, number>;
  lstat(path: string): { size: number; mtime: number };
  exportFiles(path?: string): Record<string, Uint8Array<ArrayBuffer>>;
  importFiles(files: Record<string, Uint8Array | string>): void;
  removeFile(path: string): void;
}

export interface EngineModule {
  openPage(): { manager: Manager; files: EngineFiles };
  /** The same for a page that is not isolated: its languages are apart from each other, and only ended by force. */
  openAlone(): { manager: Manager; files: EngineFiles };
  CATALOG: Record<string, { title: string; version: string; extensions: string[] }>;
}
