/** R's module, started or restored from a snapshot; the pack is made with the same code that the worker runs. */

import { watchMeter } from "../../../wasm/meter.ts";
import type { EmscriptenModule } from "../../../fs/emscripten_types.ts";
import { wrapFunctions } from "../../../wasm/table_functions.ts";

/** The address of a value of R. */
export type Value = number;

/** A function of webR's script, with its signature. */
type Signed = ((...args: never[]) => unknown) & { sig: string };

interface Flags {
  global: boolean;
  nodelete: boolean;
}

/** A library that R loaded before the snapshot was made, or a function of one that it got a pointer to. */
type Step = { name: string; flags: Flags; handle: number } | {
  symbol: string;
  handle: number;
};

/** State outside R's memory that must be restored with it. */
export interface Memo {
  steps: Step[];
  /** The address of each library's data, in the order of loading. */
  places: number[];
  /** Pointers to functions. */
  table: number;
  /** The environment with our functions in R. */
  prelude: Value;
}

export interface RModule extends EmscriptenModule {
  restoring: boolean;
  sealed: boolean;
  HEAP32: Int32Array;
  memory(): WebAssembly.Memory;
  /** After the memory has grown. */
  updateViews(): void;
  loadLibrary(
    name: string,
    flags: object,
    scope: object | null,
    handle: number,
  ): boolean;
  findFunction(handle: number, symbol: string): number;
  table(): WebAssembly.Table;
  addFunction(act: (...args: number[]) => number, signature: string): number;
  UTF8ToString(at: number): string;
  allocateUTF8(text: string): number;
  setValue(at: number, value: number, type: string): void;
  getValue(at: number, type: string): number;
  _Rf_initialize_R(count: number, argv: number): number;
  _setup_Rmainloop(): void;
  _R_ReplDLLinit(): void;
  _R_ReplDLLdo1(): number;
  _R_set_command_line_arguments(count: number, argv: number): void;
  _setenv(name: number, value: number, overwrite: number): number;
  _unsetenv(name: number): number;
  _R_ParseVector(
    text: Value,
    most: number,
    status: number,
    source: Value,
  ): Value;
  _R_tryEval(call: Value, environment: Value, failed: number): Value;
  _R_tryEvalSilent(call: Value, environment: Value, failed: number): Value;
  _R_PreserveObject(value: Value): void;
  _R_MakeExternalPtrFn(pointer: number, tag: Value, kept: Value): Value;
  _Rf_install(name: number): Value;
  _Rf_protect(value: Value): Value;
  _Rf_unprotect(count: number): void;
  _Rf_allocVector(type: number, length: number): Value;
  _Rf_mkCharLenCE(at: number, length: number, encoding: number): Value;
  _Rf_translateCharUTF8(value: Value): number;
  _Rf_lcons(head: Value, tail: Value): Value;
  _Rf_cons(head: Value, tail: Value): Value;
  _Rf_length(value: Value): number;
  _Rf_getAttrib(value: Value, name: Value): Value;
  _Rf_setAttrib(value: Value, name: Value, to: Value): Value;
  _Rf_findVarInFrame(environment: Value, name: Value): Value;
  _Rf_ScalarLogical(value: number): Value;
  _Rf_ScalarInteger(value: number): Value;
  _Rf_gsetVar(name: Value, value: Value, environment: Value): void;
  _SET_STRING_ELT(vector: Value, at: number, value: Value): void;
  _SET_VECTOR_ELT(vector: Value, at: number, value: Value): Value;
  _STRING_ELT(vector: Value, at: number): Value;
  _VECTOR_ELT(vector: Value, at: number): Value;
  _TYPEOF(value: Value): number;
  _RAW(vector: Value): number;
  _INTEGER(vector: Value): number;
  _REAL(vector: Value): number;
  _R_gc(): void;
  _R_NilValue: number;
  _R_NaString: number;
  _R_GlobalEnv: number;
  _R_BaseEnv: number;
  _R_Interactive: number;
  _R_TempDir: number;
  _R_CStackStart: number;
  _R_CStackDir: number;
  _R_CStackLimit: number;
  _R_interrupts_pending: number;
  _R_CheckUserInterrupt(): void;
}

/** What R may call; R waits for each call. */
export interface RVmServices {
  /** The data is in R's memory: copy it. */
  write(stream: "stdout" | "stderr", data: Uint8Array): void;
  /** Fills what it can of standard input; 0 at its end. */
  read(into: Uint8Array): number;
  /** A line for the console with its line break; null at the end. */
  readLine(prompt: string): string | null;
  /** Called often while R computes. */
  poll(): void;
  /** R's own functions ask for something. */
  call(module: RModule, what: Value, argument: Value): Value;
  /** Not 0 if R must end at once. */
  check(): number;
}

export interface Parts {
  /** The default export of R.mjs. */
  create(settings: object): void;
  module: WebAssembly.Module;
  world: RVmServices;
  /** Libraries that belong to the module itself. */
  readBinary(name: string): Uint8Array;
  /** Mounts files, before R starts. */
  mount(module: RModule): void;
  /** The bytes of a library that R loads later; throws if that is not allowed. */
  readLibrary(module: RModule, path: string): Uint8Array;
  env: Record<string, string>;
  /** Bytes that R may use; beyond that, its allocations fail. */
  limit: number;
  /** Called with each file that the module itself contains. */
  embedded?(module: RModule, name: string, at: number, length: number): void;
  memo?: Memo;
}

/** Starts the module with its files, before R itself starts; the memo lists what it loads from now on. */
export async function startVm(
  parts: Parts,
): Promise<{ module: RModule; memo: Memo; pointer: number }> {
  const { memo: known, world } = parts;
  const memo: Memo = {
    steps: [],
    places: [],
    table: 0,
    prelude: known?.prelude ?? 0,
  };
  const places = [...known?.places ?? []];
  let prompt = "";
  const console = {
    setPrompt: (text: string) => void (prompt = text),
    readConsole: () => module.allocateUTF8(world.readLine(prompt) ?? ""),
    handleEvents: () => world.poll(),
    dataViewer: () => {},
  };
  const ready = Promise.withResolvers<void>();
  const module = {
    restoring: known !== undefined,
    sealed: false,
    limit: parts.limit,
    noExitRuntime: true,
    noInitialRun: true,
    noWasmDecoding: true,
    noImageDecoding: true,
    noAudioDecoding: true,
    print: (line: string) => world.write("stdout", encoder.encode(`${line}\n`)),
    printErr: (line: string) => world.write("stderr", encoder.encode(`${line}\n`)),
    webr: console,
    wrap: (functions: Signed[]) => wrapFunctions(functions.map((run) => ({ signature: run.sig, run }))),
    watch: (instance: WebAssembly.Instance) => watchIfMetered(instance, world),
    place: (find: () => number) => memo.places[memo.places.push(places.shift() ?? find()) - 1],
    loadedLibrary: (name: string, flags: Flags, handle: number) => void memo.steps.push({ name, flags, handle }),
    foundFunction: (handle: number, symbol: string) => void memo.steps.push({ handle, symbol }),
    embedded: (name: string, at: number, length: number) => parts.embedded?.(module, name, at, length),
    locateFile: (name: string) => name,
    readBinary: parts.readBinary,
    readLibrary: (path: string) => parts.readLibrary(module, path),
    instantiateWasm: (
      imports: WebAssembly.Imports,
      done: (i: WebAssembly.Instance, m: WebAssembly.Module) => void,
    ) => {
      WebAssembly.instantiate(parts.module, imports).then((instance) => {
        watchIfMetered(instance, world);
        done(instance, parts.module);
      }, ready.reject);
    },
    preRun: [() => {
      try {
        prepare(module, parts);
      } catch (error) {
        ready.reject(error);
      }
    }],
    onRuntimeInitialized: ready.resolve,
  } as unknown as RModule;
  parts.create(module);
  await ready.promise;
  const pointer = module.addFunction(
    (what, argument) => world.call(module, what, argument),
    "ppp",
  );
  return { module, memo, pointer };
}

const encoder = new TextEncoder();

function watchIfMetered(instance: WebAssembly.Instance, world: RVmServices): void {
  if ("cloche_check" in instance.exports) watchMeter(instance, () => world.check());
}

interface Devices {
  makedev(major: number, minor: number): number;
  registerDevice(device: number, operations: object): void;
}

/** Files, standard streams and variables, before the first line of C runs. */
function prepare(module: RModule, parts: Parts): void {
  const { world } = parts;
  const devices = module.FS as unknown as Devices;
  for (const [major, stream] of [[5, "stdout"], [6, "stderr"]] as const) {
    devices.registerDevice(devices.makedev(major, 0), {
      open: (opened: { seekable: boolean }) => void (opened.seekable = false),
      close: () => {},
      fsync: () => 0,
      read: (_: unknown, buffer: Uint8Array, at: number, length: number) =>
        world.read(
          new Uint8Array(buffer.buffer, buffer.byteOffset + at, length),
        ),
      write: (_: unknown, buffer: Uint8Array, at: number, length: number) => {
        world.write(
          stream,
          new Uint8Array(buffer.buffer, buffer.byteOffset + at, length).slice(),
        );
        return length;
      },
    });
  }
  parts.mount(module);
  Object.assign(module.ENV, parts.env);
}
