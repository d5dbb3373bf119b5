/** The part of Pyodide's and Emscripten's inside that Cloche touches. */

export interface EmscriptenModule {
  HEAPU8: Uint8Array;
  HEAPU32: Uint32Array;
  API: PyodideApi;
  FS: EmscriptenFS;
  /** Emscripten's list of libraries; one that is not there yet has a text for its exports. */
  LDSO: { loadedLibsByName: Record<string, { exports: unknown }> };
  ENV: Record<string, string>;
  _Py_Version: number;
  ___stack_low: number;
  _emscripten_stack_get_current(): number;
  _malloc(size: number): number;
  _free(at: number): void;
  fillTable?: () => void;
  growMemory(size: number): number | undefined;
  addRunDependency(name: string): void;
  removeRunDependency(name: string): void;
  locateFile(name: string): string;
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
  _module: EmscriptenModule;
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

export interface EmscriptenFS {
  readdir(path: string): string[];
  /** Open files by their descriptors. */
  streams: (FSStream | null | undefined)[];
  filesystems: Record<string, unknown>;
  ErrnoError: new (errno: number) => Error;
  mkdirTree(path: string): void;
  mount(type: unknown, options: object, at: string): unknown;
  symlink(target: string, path: string): void;
  writeFile(path: string, data: Uint8Array): void;
  readFile(path: string): Uint8Array;
  chdir(path: string): void;
  cwd(): string;
  unlink(path: string): void;
  createNode(parent: FSNode | null, name: string, mode: number, device: number): FSNode;
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  isLink(mode: number): boolean;
}

export interface FSMount {
  opts: { root: number };
  mountpoint: string;
}

export interface FSNode {
  name: string;
  parent: FSNode;
  mount: FSMount;
  mode: number;
  node_ops: object;
  stream_ops: object;
}

export interface FSStream {
  node: FSNode;
  flags: number;
  position: number;
  path?: string;
  nfd?: number;
  shared: { refcount: number };
}

export type CreateModule = (settings: object) => Promise<EmscriptenModule>;
