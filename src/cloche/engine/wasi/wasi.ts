/**
 * WASI (snapshot preview 1) over the guest's namespace: all that a program built for it may ask for.
 *
 * It has one folder open, `/`, with the whole tree and /dev. A libc keeps the working directory itself, so a program
 * starts at `/` and must change folders itself; `cwd` is for programs that have no chdir().
 */

import type { Tree } from "../fs/tree.ts";
import { Devices } from "./devices.ts";
import { errnoOf } from "./errno.ts";
import { type FileCalls, fileCalls } from "./files.ts";
import { DeviceHandle, DirectoryHandle, type Handle, Handles, type Sink } from "./handles.ts";
import { Memory } from "./memory.ts";
import { pathCalls, rootEntries } from "./paths.ts";
import { Exit, systemCalls } from "./system.ts";

export { DeviceHandle, Exit };

export interface WasiOptions {
  args: string[];
  env: Record<string, string>;
  tree: Tree;
  cwd?: string;
  /** At most this many bytes; none at the end. May wait. */
  stdin(max: number): Uint8Array;
  /** Gets the program's own memory: copy what is kept. */
  stdout: Sink;
  stderr: Sink;
  /** False if interrupted. */
  sleep(ms: number): boolean;
  /** Called at every call; what it throws ends the program. */
  check?(): void;
  /** Further files in /dev, created when they are opened. */
  devices?: Record<string, () => Handle>;
  /** The lowest number for files that the program opens, for programs that use the numbers below themselves. */
  firstFile?: number;
}

/** The three streams and the root. */
const STANDARD = 4;

export class Wasi {
  /** For `{ wasi_snapshot_preview1: wasi.imports }`. */
  readonly imports: WebAssembly.ModuleImports;
  readonly #memory = new Memory();
  readonly #handles: Handles;
  #cwd: string | undefined;

  constructor(private readonly options: WasiOptions) {
    const { tree, args, env, sleep, check } = options;
    const memory = this.#memory;
    this.#cwd = options.cwd;
    const handles = this.#handles = new Handles(options.firstFile);
    const standard = [
      new DeviceHandle((max) => options.stdin(max), null),
      new DeviceHandle(null, (data) => options.stdout(data)),
      new DeviceHandle(null, (data) => options.stderr(data)),
    ];
    handles.begin([...standard, root(tree)]);
    const parts = { memory, handles, tree };
    this.imports = this.#guarded({
      ...fileCalls(parts),
      ...pathCalls({ ...parts, devices: new Devices(handles, options.devices), cwd: () => this.#cwd }),
      ...systemCalls({ ...parts, args, env, sleep, check }),
    });
  }

  /** The program has changed to its working directory: `cwd` is not needed any more. */
  settle(): void {
    this.#cwd = undefined;
  }

  /** Makes one number refer to the same file as another, like dup2(). */
  duplicate(from: number, to: number): void {
    this.#handles.duplicate(from, to);
  }

  /** How many files are open, besides the streams and the root. */
  get openFiles(): number {
    return this.#handles.size - STANDARD;
  }

  /** Sets the memory that calls work on; start() and initialize() do so themselves. */
  attach(memory: WebAssembly.Memory): void {
    this.#memory.attach(memory);
  }

  /** Runs a program to its end and returns its exit code. */
  start(instance: WebAssembly.Instance): number {
    this.attach(instance.exports.memory as WebAssembly.Memory);
    try {
      (instance.exports._start as () => void)();
      return 0;
    } catch (error) {
      if (error instanceof Exit) return error.code;
      throw error;
    } finally {
      this.close();
    }
  }

  /** Initialises a library so that it can be called. */
  initialize(instance: WebAssembly.Instance): void {
    this.attach(instance.exports.memory as WebAssembly.Memory);
    (instance.exports._initialize as (() => void) | undefined)?.();
  }

  /** Closes every file that the program has left open. */
  close(): void {
    this.#handles.closeAll();
  }

  #guarded(calls: FileCalls): WebAssembly.ModuleImports {
    const guard = (act: (...args: never[]) => void) => (...args: never[]): number => {
      this.options.check?.();
      try {
        act(...args);
        return 0;
      } catch (error) {
        return errnoOf(error);
      }
    };
    return Object.fromEntries(Object.entries(calls).map(([name, act]) => [name, guard(act)]));
  }
}

function root(tree: Tree): DirectoryHandle {
  const handle = new DirectoryHandle("/", () => tree.stat("/"), "/");
  handle.list = () => rootEntries(tree);
  return handle;
}
