/** One perl: a fresh instance of the module, which runs what its arguments say, and cells after that. */

import type { Tree } from "../../../fs/tree.ts";
import { DeviceHandle, Exit, Wasi } from "../../../wasi/wasi.ts";
import type { Source } from "../../../wasm/image.ts";
import { watchMeter } from "../../../wasm/meter.ts";
import { packMemory, refillMemory } from "../../../wasm/saved_memory.ts";
import { type Image, restoreImage } from "./image.ts";
import { LIBRARY } from "./places.ts";
import { decodeStringList, encodeStringList } from "../string_lists.ts";

/** The numbers below are for files that perl would hold within the module. */
const FIRST_FILE = 64;
const SCALAR = 1;

interface Exports {
  memory: WebAssembly.Memory;
  __stack_pointer: WebAssembly.Global;
  _initialize(): void;
  malloc(size: number): number;
  free(at: number): void;
  zeroperl_init_with_args(count: number, list: number): number;
  zeroperl_eval(
    code: number,
    context: number,
    count: number,
    list: number,
  ): number;
  zeroperl_flush(): number;
  zeroperl_reset(): number;
  zeroperl_free_interpreter(): void;
}

export interface VmOptions {
  module: WebAssembly.Module;
  /** A perl that has started already; this one continues from it. */
  image?: Image;
  /** The memory of one that has run cells. */
  saved?: Source;
  tree: Tree;
  env: Record<string, string>;
  cwd: string;
  stdin(max: number): Uint8Array;
  stdout(data: Uint8Array): void;
  stderr(data: Uint8Array): void;
  sleep(ms: number): boolean;
  /** Whether the module must end at once. */
  stop(): boolean;
  /** Answers what the modules in LIBRARY ask. */
  answer(vm: Vm, request: Uint8Array[]): (string | Uint8Array)[];
}

export class Vm {
  readonly wasi: Wasi;
  readonly #exports: Exports;

  constructor(options: VmOptions) {
    const { module, tree, env, cwd, stdin, stdout, stderr, sleep, stop } = options;
    let waiting: Uint8Array = new Uint8Array(0);
    const host = () =>
      new DeviceHandle((max) => {
        const part = waiting.subarray(0, max);
        waiting = waiting.subarray(part.length);
        return part;
      }, (data) => {
        waiting = encodeStringList(
          options.answer(this, decodeStringList(data)),
        );
      });
    this.wasi = new Wasi({
      ...{ args: [], env, tree, cwd, stdin, stdout, stderr, sleep },
      firstFile: FIRST_FILE,
      devices: {
        host,
        input: () => new DeviceHandle(stdin, null),
        output: () => new DeviceHandle(null, stdout),
        errors: () => new DeviceHandle(null, stderr),
      },
    });
    const instance = new WebAssembly.Instance(module, {
      wasi_snapshot_preview1: this.wasi.imports,
      // Perl may call no functions of the host.
      env: { call_host_function: () => 0 },
    });
    watchMeter(instance, () => stop() ? 1 : 0);
    this.#exports = instance.exports as unknown as Exports;
    this.wasi.attach(this.#exports.memory);
    if (options.saved) refillMemory(this.#exports.memory, options.saved);
    else if (options.image) restoreImage(options.image, this.#exports.memory);
    else this.#exports._initialize();
  }

  /** Runs perl with these arguments, and returns its exit code. */
  start(args: string[]): number {
    const { malloc, memory, zeroperl_init_with_args } = this.#exports;
    const texts = [
      "perl",
      `-I/opt/languages/perl`,
      `-I${LIBRARY}`,
      "-MCloche",
      ...args,
    ].map((arg) => this.#text(arg));
    const list = malloc((texts.length + 1) * 4);
    new Uint32Array(memory.buffer, list, texts.length + 1).set([...texts, 0]);
    return this.#call(() => zeroperl_init_with_args(texts.length, list));
  }

  /** Runs a line of Perl; returns the exit code if the line ends perl, which can be used nevertheless. */
  run(code: string): number | null {
    const at = this.#text(code);
    let ended = true;
    const result = this.#call(() => {
      this.#exports.zeroperl_eval(at, SCALAR, 0, 0);
      ended = false;
      return 0;
    });
    this.#exports.free(at);
    this.#exports.zeroperl_flush();
    return ended ? result : null;
  }

  /** Makes the running code die at its next step; without `now`, cancels that. */
  interrupt(pending: number, now = true): void {
    new DataView(this.#exports.memory.buffer).setInt32(
      pending,
      now ? 1 : 0,
      true,
    );
  }

  get memory(): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer);
  }

  /** The whole memory, to start from. */
  save(): Uint8Array[] {
    return packMemory(this.#exports.memory, null);
  }

  /** Where the stack of C ends. */
  get stack(): number {
    return this.#exports.__stack_pointer.value;
  }

  /** Flushes buffers, runs destructors of a program that ran, and closes all files. */
  close(ran: boolean): void {
    try {
      // Only within a call that perl prepares for it may its clean-up raise and catch errors.
      if (ran) this.#exports.zeroperl_reset();
      else this.#exports.zeroperl_free_interpreter();
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
    } finally {
      this.wasi.close();
    }
  }

  /** Perl unwinds its own stack before it exits, but not that of C. */
  #call(act: () => number): number {
    const stack = this.#exports.__stack_pointer;
    const before = stack.value;
    try {
      return act() & 0xff;
    } catch (error) {
      stack.value = before;
      if (error instanceof Exit) return error.code;
      throw error;
    }
  }

  #text(text: string): number {
    const bytes = new TextEncoder().encode(text.replaceAll("\0", "") + "\0");
    const at = this.#exports.malloc(bytes.length);
    new Uint8Array(this.#exports.memory.buffer).set(bytes, at);
    return at;
  }
}
