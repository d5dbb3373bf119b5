/** One PHP: an instance of the module with our folders, our streams, and a way to stop it. */

import { mountFolders } from "../../../fs/emscripten.ts";
import type { FolderFiles } from "../../../fs/folder.ts";
import type { EmscriptenModule } from "../../../fs/emscripten_types.ts";
import type { Image } from "../../../wasm/image.ts";
import { watchMeter } from "../../../wasm/meter.ts";
import { Chunks } from "./chunks.ts";
import { COMMAND_OUTPUT, importsOf, type Inside, type OwnState, type Services } from "./imports.ts";
import { PhpMemory } from "./memory.ts";
import { SETTINGS } from "./ini.ts";
import type { Exports, FileSystem, Imports, Loader, Node, PhpModule } from "./types.ts";

/** Offsets in PHP's executor_globals. */
export const EXECUTOR = { exitStatus: 288, functions: 292, classes: 296, interrupt: 366, late: 367 };
const READ_ONLY = 69;
/** Variables that the loader would invent. */
const UNSET = Object.fromEntries(
  ["USER", "LOGNAME", "PATH", "PWD", "HOME", "LANG", "_"].map((name) => [name, undefined]),
);
const [OUT, ERR] = [1, 2];
const MAJOR = 90;
/** Where php-wasm's modules look for what they print to. */
const OUTPUT = "/request";

/** Addresses in the memory of a PHP that has started. */
export interface Places {
  outputPath: number;
  /** Chunks of memory that PHP uses, and free ones. */
  lent: number[];
  free: number[];
  /** The structure of the running script. */
  handle: number;
  /** PHP's own error handler, which ours calls. */
  listener: number;
  /** Functions that PHP can call, ours among them. */
  functions: number;
  /** Its open files, apart from its streams. */
  files: { fd: number; path: string; flags: number }[];
}

export interface Parts {
  loader: Loader;
  module: WebAssembly.Module;
  /** The module's initial memory. */
  data: Image<null>;
  /** The state of a started PHP; null to start it. */
  started: Image<Places> | null;
  folders: FolderFiles[];
  /** Files that only PHP sees. */
  files: Record<string, string | Uint8Array>;
  env: Record<string, string>;
  services: Services;
  interrupted(): boolean;
  killed(): boolean;
}

export class Vm {
  readonly exports: Exports;
  readonly memory: PhpMemory;
  readonly fs: FileSystem;
  /** Whether PHP code was stopped by an interrupt. */
  stopped = false;
  readonly #parts: Parts;
  readonly #own: OwnState;
  readonly #chunks: Chunks;
  #stop = 0;
  #limit = Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#own = {
      allocate: (size) => this.exports.malloc(size),
      memory: () => this.memory.view,
      output: new Uint8Array(0),
      exitCode: 0,
      outputPath: 0,
    };
    const { module, exports } = this.#start();
    this.exports = exports;
    this.memory = new PhpMemory(exports);
    this.fs = module.FS;
    this.#own.outputPath = this.places?.outputPath ?? this.memory.keep(COMMAND_OUTPUT);
    this.#stop = this.memory.addFunction("vi", () => this.#interrupt());
    this.#chunks = new Chunks(exports, this.memory, this.places ?? { lent: [], free: [] });
    this.#arrange(module);
  }

  /** Null for a PHP that has not started yet. */
  get places(): Places | null {
    return this.#parts.started?.notes ?? null;
  }

  /** What an image holds about the VM. */
  get state(): Pick<Places, "outputPath" | "lent" | "free" | "files" | "functions"> {
    const files = this.fs.streams.flatMap((stream, fd) =>
      stream && fd > ERR ? [{ fd, path: stream.path ?? "", flags: stream.flags }] : []
    );
    return {
      ...this.#chunks.state,
      outputPath: this.#own.outputPath,
      functions: this.exports.__indirect_function_table.length,
      files,
    };
  }

  get size(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** The address of one of PHP's own variables. */
  global(offset: number): number {
    return this.exports.executor_globals.value + offset;
  }

  /** Makes PHP stop at its next step. */
  #raise(offset: number): void {
    this.memory.setWord(this.exports.zend_interrupt_function.value, this.#stop);
    this.memory.view.setUint8(this.global(offset), 1);
    this.memory.view.setUint8(this.global(EXECUTOR.interrupt), 1);
  }

  #interrupt(): void {
    if (!this.#parts.interrupted()) return;
    this.stopped = true;
    // As exit() does it: the guest's code cannot catch this.
    this.exports.zend_throw_unwind_exit();
  }

  /** The module calls it now and then; an answer other than 0 ends the module. */
  #check(): number {
    if (this.#parts.killed()) return 1;
    if (this.#parts.interrupted()) this.#raise(EXECUTOR.interrupt);
    else if (performance.now() > this.#limit) {
      this.#limit = Infinity;
      this.#raise(EXECUTOR.late);
    }
    return 0;
  }

  #start(): { module: PhpModule; exports: Exports } {
    let instance: WebAssembly.Instance | undefined;
    const services = this.#services();
    const module: Partial<PhpModule> & Record<string, unknown> = {
      ENV: { ...UNSET, ...this.#parts.env },
      noInitialRun: true,
      print: () => {},
      printErr: () => {},
      instantiateWasm: (
        given: { env: Imports },
        receive: (instance: Pick<WebAssembly.Instance, "exports">) => void,
      ) => {
        const imports = importsOf(given.env, module as PhpModule, services, this.#own) as WebAssembly.ModuleImports;
        instance = new WebAssembly.Instance(this.#parts.module, { env: imports, wasi_snapshot_preview1: imports });
        watchMeter(instance, () => this.#check());
        for (const image of [this.#parts.data, this.#parts.started]) {
          image?.fill(instance.exports.memory as WebAssembly.Memory);
        }
        receive(this.places ? begun(instance) : instance);
      },
    };
    this.#parts.loader.init("WEB", module);
    if (!instance) throw new Error("PHP did not start");
    return { module: module as PhpModule, exports: instance.exports as unknown as Exports };
  }

  /** Anything that waits may have been interrupted. */
  #services(): Inside {
    const { services } = this.#parts;
    const then = <T>(result: T): T => {
      if (this.#parts.interrupted()) this.#raise(EXECUTOR.interrupt);
      return result;
    };
    return {
      read: (into) => then(services.read(into)),
      write: (stream, data) => then(services.write(stream, data)),
      sleep: (ms) => then(services.sleep(ms)),
      command: (script, cwd) => then(services.command(script, cwd)),
      message: (text) => services.message(text),
      limit: (ms) => {
        this.#limit = ms > 0 ? performance.now() + ms : Infinity;
      },
    };
  }

  #arrange(module: PhpModule): void {
    const { folders, files } = this.#parts;
    const services = this.#services();
    Object.assign(module, { _emscripten_builtin_memalign: this.exports.emscripten_builtin_memalign });
    this.#input(services);
    this.fs.mkdirTree(OUTPUT);
    for (const [descriptor, stream] of [[OUT, "stdout"], [ERR, "stderr"]] as const) {
      this.#output(descriptor, `${OUTPUT}/${stream}`, (data) => services.write(stream, data));
    }
    for (const { fd, path, flags } of this.places?.files ?? []) {
      if (this.fs.open(path, flags).fd !== fd) throw new Error(`PHP could not open ${path} again`);
    }
    for (const [path, data] of Object.entries(files)) {
      this.fs.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      this.fs.writeFile(path, typeof data === "string" ? new TextEncoder().encode(data) : data);
    }
    mountFolders(module as unknown as EmscriptenModule, folders);
    this.#seal();
  }

  /** Input is a file to PHP, not a terminal: a seek to its start drops the rest. */
  #input(services: Services): void {
    this.#serve("/dev/input", {
      read: (_: unknown, heap: Uint8Array, at: number, length: number) =>
        services.read(new Uint8Array(heap.buffer, heap.byteOffset + at, length)),
      llseek: () => 0,
    });
    this.#serve(COMMAND_OUTPUT, {
      open: (stream: { left?: Uint8Array }) => {
        stream.left = this.#own.output;
      },
      read: (stream: { left: Uint8Array }, heap: Uint8Array, at: number, length: number) => {
        const part = stream.left.subarray(0, length);
        new Uint8Array(heap.buffer, heap.byteOffset + at, length).set(part);
        stream.left = stream.left.subarray(part.length);
        return part.length;
      },
      llseek: () => 0,
    });
    this.fs.closeStream(0);
    this.fs.open("/dev/input", 0);
  }

  #serve(path: string, operations: Record<string, unknown>): void {
    this.fs.writeFile(path, new Uint8Array(0));
    this.fs.lookupPath(path).node.stream_ops = operations;
  }

  #output(descriptor: number, path: string, write: (data: Uint8Array) => void): void {
    const device = this.fs.makedev(MAJOR, descriptor);
    this.fs.registerDevice(device, {
      open: () => {},
      close: () => {},
      read: () => 0,
      write: (_: unknown, heap: Uint8Array, at: number, length: number) => {
        write(new Uint8Array(heap.buffer, heap.byteOffset + at, length));
        return length;
      },
    });
    this.fs.mkdev(path, 0o222, device);
    this.fs.closeStream(descriptor);
    this.fs.open(path, 1);
  }

  /** Nothing can be written outside our folders: it would take memory that is not counted. */
  #seal(): void {
    const refuse = () => {
      throw new this.fs.ErrnoError(READ_ONLY);
    };
    const file = this.fs.lookupPath(SETTINGS).node;
    const both: [Node, string[]][] = [
      [this.fs.root, ["mknod", "symlink", "rename", "unlink", "rmdir", "setattr"]],
      [file, ["setattr"]],
    ];
    for (const [node, names] of both) for (const name of names) node.node_ops[name] = refuse;
    Object.assign(file.stream_ops, { write: refuse, allocate: refuse });
  }
}

/** The first steps of the loader have been done already. */
function begun(instance: WebAssembly.Instance): Pick<WebAssembly.Instance, "exports"> {
  return { exports: { ...instance.exports, __wasm_call_ctors: () => {} } };
}
