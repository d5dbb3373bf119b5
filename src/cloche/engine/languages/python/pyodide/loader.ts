/** Starts Pyodide from a compiled module, without a package index, and from a snapshot if there is one. */

import { lockInfo } from "pyodide-asm";
import { watchMeter } from "../../../wasm/meter.ts";
import { wrapOpen } from "./native_libraries.ts";
import { HIDDEN_TABLE, type HiddenExports } from "./hidden_exports.ts";
import type { CreateModule, Pyodide, PyodideApi, PyodideModule } from "./types.ts";

const LOCK = { info: lockInfo, packages: {} };

/** Pyodide always believes that it runs in a browser's worker, so it uses no Node modules and no host file systems. */
const RUNTIME_ENV = {
  IN_BROWSER: true,
  IN_BROWSER_WEB_WORKER: true,
  IN_BROWSER_MAIN_THREAD: false,
  IN_BUN: false,
  IN_DENO: false,
  IN_NODE: false,
  IN_NODE_COMMONJS: false,
  IN_NODE_ESM: false,
  IN_SAFARI: false,
  IN_SHELL: false,
  IN_WORKERD: false,
};

/** A 60-byte module that gives Pyodide its two error helpers. */
const ERROR_HELPERS =
  "AGFzbQEAAAABDANfAGAAAW9gAW8BfwMDAgECBygCE0pzdl9HZXRFcnJvcl9pbXBvcnQAAA5Kc3ZFcnJvcl9DaGVjawABChMCBwD7AQD7GwsJACAA+xr7FAAL";

interface LoadOptions {
  create: CreateModule;
  module: Promise<WebAssembly.Module>;
  /** Where the guest finds the zip file of the standard library. */
  stdlib: string;
  home: string;
  globals: object;
  /** Called before Python starts, to mount file systems. */
  mount(module: PyodideModule): void;
  /** Fills the memory and returns the table of JavaScript references that belongs to it. */
  restore?(module: PyodideModule): unknown;
  makeSnapshot?: boolean;
  /** The exports that the module hides; side modules need them. */
  hidden(): HiddenExports;
  /** Says whether a program with a clock must end. */
  check?(): number;
  /** Fills in the initial data that was taken out of the module. */
  fill(memory: WebAssembly.Memory): void;
}

export async function loadPyodide(options: LoadOptions): Promise<Pyodide> {
  const api = {} as PyodideApi;
  const config = {
    indexURL: "/",
    packageBaseUrl: "/",
    packageCacheDir: "/",
    cdnUrl: "/",
    lockFileContents: LOCK,
    jsglobals: options.globals,
    args: [],
    env: { HOME: options.home, PYTHONINSPECT: "1" },
    packages: [],
    enableRunUntilComplete: true,
    BUILD_ID: "cloche",
    _makeSnapshot: options.makeSnapshot ?? false,
  };
  Object.assign(api, { config, runtimeEnv: RUNTIME_ENV, lockFilePromise: Promise.resolve(LOCK) });
  const settings = {
    API: api,
    noImageDecoding: true,
    noAudioDecoding: true,
    noWasmDecoding: false,
    noInitialRun: options.restore !== undefined,
    arguments: [],
    preRun: [(m: PyodideModule) => prepareFiles(m, options)],
    locateFile: (name: string) => "/" + name,
    allExports: (exports: WebAssembly.Exports) => allExports(exports, options.hidden),
    instantiateWasm: (imports: WebAssembly.Imports, done: Done) => {
      wrapOpen(imports.env, () => settings as unknown as PyodideModule);
      void instantiate(options, imports, done);
      return {};
    },
  };
  const module = await options.create(settings);
  module.locateFile = (name) => {
    throw new Error(`no such dynamic library: ${name}`);
  };
  const pyodide = api.finalizeBootstrap(options.restore?.(module), () => null);
  if (!options.restore) api.sys.path.insert(0, "");
  api._pyodide.set_excepthook();
  await api.packageIndexReady;
  api.initializeStreams(undefined, undefined, undefined);
  return pyodide;
}

type Done = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void;

async function instantiate(options: LoadOptions, imports: WebAssembly.Imports, done: Done) {
  const bytes = Uint8Array.from(atob(ERROR_HELPERS), (c) => c.charCodeAt(0));
  const helpers = (await WebAssembly.instantiate(bytes)).instance.exports;
  Object.assign(imports.env, helpers);
  const module = await options.module;
  const instance = await WebAssembly.instantiate(module, imports);
  if (options.check) watchMeter(instance, options.check);
  options.fill(instance.exports.memory as WebAssembly.Memory);
  done(instance, module);
}

function allExports(exports: WebAssembly.Exports, hidden: () => HiddenExports): WebAssembly.Exports {
  const table = exports[HIDDEN_TABLE];
  if (!(table instanceof WebAssembly.Table)) return exports;
  const { functions, values } = hidden();
  const all: Record<string, WebAssembly.ExportValue> = { ...exports };
  functions.forEach((name, index) => all[name] = table.get(index) as WebAssembly.ExportValue);
  for (const [name, value] of Object.entries(values)) all[name] = new WebAssembly.Global({ value: "i32" }, value);
  return all;
}

function prepareFiles(module: PyodideModule, options: LoadOptions): void {
  const { API, FS, ENV } = module;
  const version = module.HEAPU32[module._Py_Version >>> 2];
  API.pyVersionTuple = [version >>> 24 & 255, version >>> 16 & 255, version >>> 8 & 255];
  const [major, minor] = API.pyVersionTuple;
  API.sitePackages = `/lib/python${major}.${minor}/site-packages`;
  FS.mkdirTree(API.sitePackages);
  FS.mkdirTree(`/lib/python${major}.${minor}/lib-dynload`);
  FS.symlink(options.stdlib, `/lib/python${major}${minor}.zip`);
  options.mount(module);
  FS.mkdirTree(options.home);
  Object.assign(ENV, { HOME: options.home, PYTHONINSPECT: "1" });
}
