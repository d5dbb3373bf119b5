/** Python: Pyodide restored from the snapshot, and calls to the kernel inside. */

import create from "pyodide-asm";
import type {
  Display,
  ExecRequest,
  ExecResult,
  Outcome,
  PortRequest,
  Query,
  RunError,
  RunRequest,
  StdinRequest,
  Stream,
} from "../../protocol.ts";
import { LIBRARY, openReserve, SITE, startPyodide } from "./pyodide/start.ts";
import { outsideOf } from "./pyodide/unsaved_state.ts";
import { packSnapshot, TooLittleMemory } from "./pyodide/snapshot.ts";
import type { PyCallable, Pyodide } from "./pyodide/types.ts";
import { AssetFiles } from "../../fs/asset_files.ts";
import { type Package, PackageFiles, PACKAGES } from "../../fs/packages.ts";
import { decodeLatin1, encodeLatin1 } from "../../text/bytes.ts";
import { ENVIRONMENT } from "../environment.ts";
import { checkData } from "../json_data.ts";
import { PythonChildren } from "./children.ts";
import { OutputPace } from "./output_pace.ts";
import { PythonRequests } from "./requests.ts";
import { systemServices } from "./system_services.ts";
import { INTERRUPT_KEY } from "../../worker/programs/input.ts";
import { MemoryBudget } from "../../worker/memory_budget.ts";
import { RequestError } from "../../worker/request_errors.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";
import { CANNOT_START, FatalError, LanguageRuntime, type LanguageWorker } from "../language.ts";

/** The kernel's functions and the modules they are in. */
const PLACES = {
  list_background: "waiting.event_loop",
  stop_background: "waiting.event_loop",
  resume: "boot",
  suspend: "suspension",
  run_program: "programs.python_command",
  cancel: "cells.kernel",
  complete: "cells.kernel",
  execute: "cells.kernel",
  update_packages: "packages.installed_packages",
  start_packages: "packages.installed_packages",
  inspect: "cells.kernel",
  is_complete: "cells.kernel",
  set_env: "cells.kernel",
} as const;

type Kernel = Record<keyof typeof PLACES, PyCallable>;

interface Answer {
  value: string | null;
  error: RunError | null;
  exit: number | null;
  profile?: unknown;
  data?: string | null;
}

/** A display as the kernel writes it. */
interface Shown {
  kind: Display["kind"];
  data: Display["data"];
  metadata: Display["metadata"];
  transient?: { display_id?: string };
}

/** Milliseconds that tasks have to end when they are cancelled. */
const CANCEL_TIME = 50;
const INTERRUPTED = 130;
const NOT_FOUND = 127;
/** A program's status is this and the signal that it has ended itself by. */
const SIGNALLED = 256;
/** Emscripten's numbers for an interrupted call and a broken pipe. */
const EINTR = 27;
const EPIPE = 64;

/** A command that Python sends to the shell, as the kernel writes it. */
interface ShellJob {
  id: string;
  argv?: string[];
  script?: string;
  stdin: string | null;
  cwd: string;
  env: Record<string, string>;
  live: boolean;
  merge: boolean;
}

export default class PythonRuntime extends LanguageRuntime {
  #kernel!: Kernel;
  #pyodide!: Pyodide;
  #children!: PythonChildren;
  /** Where the program says which signals it handles. */
  #handled: Int32Array | undefined;
  readonly #packages: PackageFiles;
  readonly #jobs = new Map<string, AbortController>();
  #run = 0;
  override readonly marksOrigin = true;
  #active = 0;
  readonly #pace: OutputPace;
  readonly #questions = new PythonRequests(
    (question, body) => this.worker.openRequest(this.#run, question, body),
    (...wait) => this.worker.waitForAny(...wait),
  );
  /** What is left to read from file descriptor 0. */
  #input: Uint8Array = new Uint8Array(0);
  /** Whether more of it has to be asked for. */
  #flows = false;
  /** The status of a program that ends at once; its stack is left as it is. */
  readonly #ended = Promise.withResolvers<number>();
  /** Where the output of a program goes; cells have none. */
  #output: ProgramOutput | undefined;

  constructor(worker: LanguageWorker) {
    super(worker);
    this.#pace = new OutputPace(worker.shared);
    this.#packages = new PackageFiles(worker.openAsset);
  }

  async load(): Promise<void> {
    const { worker } = this;
    this.#packages.set(worker.init.config.packages);
    const pyodide = await restore(worker, this.#packages);
    this.#pyodide = pyodide;
    pyodide.setInterruptBuffer(worker.shared.interruptByte);
    pyodide.setStdin({ read: (into) => this.#read(into), isatty: false });
    pyodide.setStdout({ write: (data) => this.#write("stdout", data) });
    pyodide.setStderr({ write: (data) => this.#write("stderr", data) });
    this.#children = new PythonChildren(worker, pyodide.FS, () => this.#run);
    this.#kernel = findKernel(pyodide);
    const { env, added, saved, autoInstall } = worker.init.config;
    this.#resume(saved.python ? added : { ...ENVIRONMENT, ...env }, hex(crypto.getRandomValues(new Uint8Array(32))));
    this.#kernel.start_packages(autoInstall, this.#packages.libraries.join("\n"));
    worker.onCancel((waited) => this.#cancel(waited));
  }

  memory(): number {
    return this.#pyodide._module.HEAPU8.length;
  }

  async run(id: number, request: RunRequest): Promise<Outcome> {
    this.#run = id;
    this.worker.outputBuffer.open(id);
    const stdin = request.interactive ? null : atob(request.stdin ?? "");
    this.#input = encodeLatin1(stdin ?? "");
    this.#pace.reset();
    if (request.cwd !== undefined) this.#goTo(request.cwd);
    this.#active++;
    try {
      // It came before this run started, and was meant for it.
      const interrupted = this.worker.shared.takeInterrupt();
      const options = JSON.stringify({ run: id, profile: request.profile, stdin, mode: request.mode, interrupted });
      const outcome = outcomeOf(JSON.parse(await this.#kernel.execute.callPromising(request.code, options) as string));
      if (outcome.error?.type === "MemoryError") openReserve();
      return { ...outcome, cwd: this.#pyodide._module.FS.cwd() };
    } finally {
      this.#active--;
      this.worker.outputBuffer.flush();
    }
  }

  /** The one program of this interpreter: its worker is ended with it. */
  async exec(id: number, request: ExecRequest): Promise<ExecResult> {
    this.#run = id;
    this.worker.outputBuffer.open(id);
    const { argv = [], stdin, cwd, env, live } = request;
    const output = this.#output = new ProgramOutput(this.worker, request, () => {}, true);
    this.#input = stdin ?? new Uint8Array(0);
    this.#flows = stdin === null && request.flows === "both";
    this.#active++;
    const program = {
      argv: argv.slice(1),
      cwd,
      env,
      live,
      piped: stdin !== null || this.#flows,
      run: request.origin ?? id,
      pid: request.pid ?? 0,
      umask: request.umask,
    };
    this.#handled = request.handled && new Int32Array(request.handled);
    try {
      const end = this.#kernel.run_program.callPromising(JSON.stringify(program)) as Promise<number>;
      const status = await Promise.race([end, this.#ended.promise]);
      const signal = status >= SIGNALLED ? status - SIGNALLED : undefined;
      const exitCode = signal === undefined ? status : 128 + signal;
      return { ...output.result(exitCode, exitCode), ended: this.#input.length === 0, signal };
    } catch (error) {
      throw new FatalError(error instanceof Error ? error.message : String(error));
    } finally {
      this.#active--;
      this.worker.outputBuffer.flush();
    }
  }

  /** A wait that was ended raises by itself; a task is cancelled; only code that computes needs the signal. */
  #cancel(waited: boolean): void {
    // A late cancel must not take the signal from a run that has not started.
    if (this.#active === 0) return;
    this.worker.shared.clearInterrupt();
    if (!waited && !this.#kernel.cancel()) this.worker.shared.interrupt();
  }

  override background(): string[] {
    try {
      return [...JSON.parse(this.#kernel.list_background() as string), ...this.#children.list()];
    } catch {
      // The guest's code may have broken what this needs.
      return [];
    }
  }

  override async stopBackground(): Promise<void> {
    this.#kernel.stop_background();
    this.#children.endAll();
    await new Promise((resolve) => setTimeout(resolve, CANCEL_TIME));
  }

  override async query(query: Query): Promise<unknown> {
    if (query.kind === "save") return await this.#save(query.code);
    if (query.kind === "outline") return await super.query(query);
    const args = query.kind === "is_complete" ? [query.code] : [query.code, query.cursor];
    this.#active++;
    try {
      return JSON.parse(await this.#kernel[query.kind].callPromising(...args) as string);
    } finally {
      this.#active--;
    }
  }

  setEnv(env: Record<string, string>): void {
    this.#kernel.set_env(JSON.stringify(env));
  }

  override setPackages(packages: Package[]): void {
    const removed = this.#packages.set(packages);
    this.#kernel.update_packages(JSON.stringify({ removed, libraries: this.#packages.libraries }));
  }

  /** Sends this memory to the host, or says why that is not possible. */
  async #save(key: string): Promise<unknown> {
    const module = this.#pyodide._module;
    const refused = outsideOf(module) ?? this.#kernel.suspend() as string;
    if (refused) return { refused };
    let parts: Uint8Array[];
    try {
      parts = packSnapshot(module, () => null);
    } finally {
      this.#resume({}, "");
    }
    await this.worker.openRequest(0, { kind: "save_memory", key }, parts).data;
    return {};
  }

  #resume(env: Record<string, string>, seed: string): void {
    this.#kernel.resume.callKwargs(JSON.stringify(env), seed, "/workspace", this.#services());
  }

  #goTo(folder: string): void {
    try {
      this.#pyodide._module.FS.chdir(folder);
    } catch {
      // It was removed meanwhile: Python stays in its folder.
    }
  }

  #write(stream: Stream, data: Uint8Array): number {
    if (this.#output) return this.#writeOutput(this.#output, stream, data);
    this.worker.outputBuffer.write(stream, data);
    if (stream === "stdout") this.#pace.count(data.length);
    return data.length;
  }

  #writeOutput(output: ProgramOutput, stream: Stream, data: Uint8Array): number {
    // What a program without a reader says about that is not of interest either.
    if (!output.over || stream === "stdout") output.write(stream, data);
    if (output.over && stream === "stdout") throw new this.#pyodide.FS.ErrnoError(EPIPE);
    if (output.live && stream === "stdout") this.#pace.count(data.length);
    return data.length;
  }

  #read(into: Uint8Array): number {
    if (this.#flows && this.#input.length === 0) this.#fill(into.length);
    const part = this.#input.subarray(0, into.length);
    into.set(part);
    this.#input = this.#input.subarray(part.length);
    return part.length;
  }

  /** Blocks until more of the input is there. */
  #fill(most: number): void {
    this.worker.outputBuffer.flush();
    try {
      const { data, body } = this.worker.blocking.request(this.#run, { kind: "stdin", most } satisfies StdinRequest);
      this.#input = body;
      this.#flows = data === false;
    } catch {
      throw new this.#pyodide.FS.ErrnoError(EINTR);
    }
  }

  /** The functions that Python may call; they take and return only text and numbers, no objects. */
  #services(): object {
    const { worker } = this;
    return Object.freeze({
      __proto__: null,
      display: (message: string) => {
        worker.outputBuffer.flush();
        worker.display(this.#run, displayOf(JSON.parse(message)));
      },
      clear: (wait: boolean) => {
        worker.outputBuffer.flush();
        worker.clear(this.#run, wait);
      },
      input: (prompt: string, password: boolean, session = false) => this.#ask(prompt, password, session),
      sleep: (seconds: number) => worker.sleep(seconds * 1000).then(() => true, () => false),
      shell: (job: string) => this.#shell(JSON.parse(job) as ShellJob),
      kill: (id: string) => this.#jobs.get(id)?.abort(),
      interrupt: () => worker.endWait(),
      fast: () => this.#pace.decide(),
      mark: (run: number) => worker.shared.origin = run,
      port: (kind: PortRequest["kind"], port: number) => this.#changePort({ kind, port }),
      ...this.#questions.services(),
      ...this.#children.services(),
      end: (status: number) => {
        this.#ended.resolve(status);
        return new Promise(() => {});
      },
      ...systemServices(worker, () => this.memory()),
      handle_signals: (low: number, high: number) => this.#handleSignals(low, high),
    });
  }

  /** Each bit is a signal that the program handles itself. */
  #handleSignals(low: number, high: number): void {
    if (!this.#handled) return;
    Atomics.store(this.#handled, 0, low);
    Atomics.store(this.#handled, 1, high);
  }

  #changePort(change: PortRequest): string {
    try {
      return JSON.stringify({ data: this.worker.blocking.changePort(change) });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return JSON.stringify({ error: { type: error.type, message: error.message } });
    }
  }

  async #ask(prompt: string, password: boolean, session: boolean): Promise<string> {
    this.worker.outputBuffer.flush();
    try {
      const text = await this.worker.input(this.#run, prompt, password, undefined, session);
      if (session && text === INTERRUPT_KEY) return JSON.stringify({ interrupted: true });
      return JSON.stringify(text === null ? { eof: true } : { text });
    } catch {
      return JSON.stringify({ interrupted: true });
    }
  }

  async #shell(job: ShellJob): Promise<string> {
    this.worker.outputBuffer.flush();
    const stop = new AbortController();
    this.#jobs.set(job.id, stop);
    const { argv, script, cwd, env, live, merge } = job;
    const stdin = job.stdin === null ? null : encodeLatin1(job.stdin);
    try {
      const result = await this.worker.exec(
        this.#run,
        "bash",
        { argv, script, stdin, cwd, env, live, merge, origin: this.worker.shared.origin || undefined },
        stop.signal,
      );
      const missing = argv !== undefined && result.exitCode === NOT_FOUND;
      const [stdout, stderr] = [decodeLatin1(result.stdout), decodeLatin1(result.stderr)];
      return JSON.stringify({ exit: result.exitCode, stdout, stderr, missing });
    } catch {
      return JSON.stringify({ interrupted: true });
    } finally {
      this.#jobs.delete(job.id);
    }
  }
}

async function restore(worker: LanguageWorker, packages: PackageFiles): Promise<Pyodide> {
  const { config, assets, modules, process } = worker.init;
  const files = new AssetFiles(worker.openAsset, { "python_stdlib.zip": `${assets}/python/python_stdlib.zip` });
  const library = worker.folder({ target: LIBRARY, host: "", readOnly: true }, files);
  const site = new PackageFiles(worker.openAsset, [{ name: "site", version: "", path: `${assets}/python/site.zip` }]);
  const { path, at } = config.saved.python ?? { path: config.snapshot, at: 0 };
  const file = worker.openAsset(path);
  const snapshot = {
    read: (into: Uint8Array, position: number) => file.read(into, at + position),
    foreign: config.saved.python !== undefined,
  };
  const folders = [library, ...worker.folders];
  const archives = { [PACKAGES]: packages, [SITE]: site };
  const openPart = (name: "data" | "hidden") => worker.openAsset(`${assets}/node_modules/pyodide/${name}.cloche`);
  const budget = new MemoryBudget(worker.init.memory);
  const memory = { limit: config.memory, budget, number: process };
  const check = process > 0 ? () => Number(worker.shared.killed) : undefined;
  const parts = { create, module: modules.python, folders, archives, memory, snapshot, openPart, check };
  try {
    const pyodide = await startPyodide(parts);
    budget.set(process, pyodide._module.HEAPU8.length);
    return pyodide;
  } catch (error) {
    if (process > 0 && error instanceof TooLittleMemory) {
      const left = Math.max(0, config.memory - budget.besides(process));
      throw new FatalError(
        `${CANNOT_START}the sandbox has ${left >> 20} MB of memory left, and it needs ${error.needed >> 20} MB`,
      );
    }
    const what = config.saved.python ? "saved memory" : "snapshot";
    throw new FatalError(`the ${what} could not be restored: ${error instanceof Error ? error.message : error}`);
  } finally {
    file.close();
  }
}

/** Call it before the kernel hides itself. */
function findKernel(pyodide: Pyodide): Kernel {
  const places = Object.entries(PLACES);
  return Object.fromEntries(
    places.map(([name, place]) => [name, pyodide.pyimport(`cloche_guest.${place}`)[name]]),
  ) as Kernel;
}

function outcomeOf(answer: Answer): Outcome {
  const { value, error, exit, profile, data } = answer;
  const failed = error?.type === "KeyboardInterrupt" ? INTERRUPTED : 1;
  return { value, error, exitCode: exit ?? (error ? failed : 0), profile, data: checkData(data) };
}

function displayOf({ kind, data, metadata, transient }: Shown): Display {
  return { kind, data, metadata, displayId: transient?.display_id ?? null };
}

function hex(data: Uint8Array): string {
  return Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
