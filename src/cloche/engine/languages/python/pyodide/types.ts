/** The internals of Pyodide that Cloche uses. */

import type { EmscriptenFS, EmscriptenModule } from "../../../fs/emscripten_types.ts";

export interface PyodideModule extends EmscriptenModule {
  API: PyodideApi;
  _Py_Version: number;
  ___stack_low: number;
  fillTable?: () => void;
  growMemory(size: number): number | undefined;
}

export interface PyodideApi {
  pyVersionTuple: number[];
  sitePackages: string;
  lockFilePromise: Promise<unknown>;
  packageIndexReady: Promise<void>;
  sys: { path: { insert(at: number, entry: string): void } };
  _pyodide: { set_excepthook(): void };
  finalizeBootstrap(state: unknown, deserializer?: (value: unknown) => unknown): Pyodide;
  serializeHiwireState(serializer?: (value: unknown) => unknown): unknown;
  initializeStreams(stdin: unknown, stdout: unknown, stderr: unknown): void;
}

export interface Pyodide {
  FS: EmscriptenFS;
  _module: PyodideModule;
  _api: PyodideApi;
  runPython(code: string): unknown;
  setStdout(options: { write(bytes: Uint8Array): number }): void;
  setStderr(options: { write(bytes: Uint8Array): number }): void;
  setStdin(options: { read(into: Uint8Array): number; isatty: boolean }): void;
  pyimport(name: string): Record<string, PyCallable>;
  setInterruptBuffer(buffer: Uint8Array): void;
}

/** A Python function: called plainly, or on a stack that may be suspended (`run_sync` works below it). */
export interface PyCallable {
  (...args: unknown[]): unknown;
  /** The last argument holds those given by name. */
  callKwargs(...args: unknown[]): unknown;
  callPromising(...args: unknown[]): Promise<unknown>;
  destroy(): void;
}

/** A Python object with a buffer of bytes; the view is into the heap and must be released. */
export interface PyBuffer {
  getBuffer(type: "u8"): { data: Uint8Array; release(): void };
}

/** The versions of Pyodide, Python and Emscripten. */
export type LockInfo = Record<string, string>;

export type CreateModule = (settings: object) => Promise<PyodideModule>;
