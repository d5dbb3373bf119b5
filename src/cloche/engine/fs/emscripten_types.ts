/** The internals of Emscripten that Cloche uses, whatever module it was linked with. */

export interface EmscriptenModule {
  HEAPU8: Uint8Array;
  HEAPU32: Uint32Array;
  FS: EmscriptenFS;
  /** Emscripten's list of libraries; one that is not loaded yet has a string for its exports. */
  LDSO: { loadedLibsByName: Record<string, { exports: unknown }> };
  ENV: Record<string, string>;
  _emscripten_stack_get_current(): number;
  _malloc(size: number): number;
  _free(at: number): void;
  addRunDependency(name: string): void;
  removeRunDependency(name: string): void;
  locateFile(name: string): string;
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
