/** A program and what belongs to it: files, modules, services, and the work that it has started. */

import { Interrupted } from "../../worker/request_errors.ts";
import { FileError } from "../../fs/files.ts";
import { Tree } from "../../fs/tree.ts";
import { CATALOG } from "../catalog.ts";
import { FIXED_LIMITS } from "../../limits.ts";
import { checkData } from "../json_data.ts";
import type { LanguageWorker } from "../language.ts";
import type { Outcome } from "../../protocol.ts";
import { rewriteCell } from "./source/cell.ts";
import { codec } from "./native/codec.ts";
import { computeDigest } from "./native/digest.ts";
import { COMPILE_ONLY, GLOBAL, MODULE } from "./quickjs/exports.ts";
import type { Source } from "../../wasm/image.ts";
import { checkBytes, checkText, ProgramFiles } from "./file_calls.ts";
import type { Library } from "./guest_library.ts";
import { type Edited, prefixSource } from "./source/positions.ts";
import { type Ending, Program } from "./program.ts";
import { type Described, interruptedError, runError } from "./errors.ts";
import { rewriteReturns } from "./source/returns.ts";
import { Sources } from "./modules/module_sources.ts";
import { ProgramServices, type ProgramServicesOptions } from "./services.ts";
import { GuestError, type Handle, type HostFunction, Thrown, type Value } from "./quickjs/vm.ts";
import { web } from "./native/web.ts";
import { PendingWork } from "./pending_work.ts";
import { LocalSockets } from "./local_sockets.ts";
import { execRequest, makeJobs } from "./outside_work.ts";

const MAIN = "<main>";
const INTERRUPTED = 130;
/** Node's exit code for a program whose top level waits forever. */
const STALLED = 13;
const MOST_TEXT = 16 << 20;

export interface ContextOptions extends ProgramServicesOptions {
  module: WebAssembly.Module;
  library: Library;
  strip?: (code: string, file: string) => Edited;
  /** Whether it must end, apart from interrupts. */
  stopped?: () => boolean;
  /** The memory of another context to start from. */
  saved?: Source;
}

export class Context {
  readonly program: Program;
  readonly surroundings: ProgramServices;
  readonly sources: Sources;
  readonly #files: ProgramFiles;
  readonly #sockets: LocalSockets;
  readonly #work: PendingWork;

  constructor(private readonly worker: LanguageWorker, private readonly options: ContextOptions) {
    const tree = new Tree(worker.folders);
    const limit = CATALOG[worker.init.language].memory << 20;
    this.#files = new ProgramFiles(tree);
    this.surroundings = new ProgramServices(worker, tree, options, () => {
      const { vm } = this.program;
      return [vm.memory, vm.heap, limit];
    });
    this.sources = new Sources({
      tree,
      builtins: options.library.names,
      cwd: () => this.surroundings.cwd,
      strip: options.strip,
      provide: (name) => this.#provide(name),
    });
    this.#sockets = new LocalSockets(worker, () => this.surroundings.run);
    const jobs = { ...makeJobs(worker, () => this.surroundings.run), ...this.#sockets.jobs() };
    this.#work = new PendingWork(jobs, () => this.program.wake());
    this.program = new Program({
      module: options.module,
      library: options.library,
      memory: limit,
      functions: this.#functions(),
      work: this.#work,
      saved: options.saved,
      isInterrupted: () => worker.shared.interrupted || options.stopped?.() === true,
      isKilled: () => worker.shared.killed,
      computes: (really) => worker.shared.origin = really ? this.surroundings.run : 0,
      normalize: (base, name) => this.sources.normalize(base, name),
      load: (name) =>
        this.sources.load(name, (path) => this.program.callGuest("keysOf", path) as string, (f) => this.#mark(f)),
    });
  }

  /** The whole memory of the idle context, with notes; a string says why it cannot be saved. */
  save(notes: Record<string, unknown>): Uint8Array[] | string {
    const open = this.#files.count;
    if (open > 0) return `JavaScript has ${open} open files`;
    return this.program.save({ ...notes, cwd: this.surroundings.cwd });
  }

  /** Puts arguments and the name of the main module where programs look for them. */
  introduce(argv: string[], main: string): void {
    Object.assign(this.surroundings.options, { argv, main });
    this.program.callGuest("introduce", JSON.stringify([argv, main]));
  }

  /** Runs a piece of code at the top level; what it declares stays. */
  async cell(file: string, code: string): Promise<Ending> {
    let source: Edited;
    this.sources.cell = { name: file, code };
    try {
      // A program that bash starts may not return from its top level, as in Node.
      const whole = file.startsWith("[") ? { code } : rewriteReturns(code);
      const typeless = this.options.strip ? chained(whole, this.options.strip(whole.code, file)) : whole;
      source = chained(typeless, this.#asObject(typeless.code) ?? rewriteCell(typeless.code));
    } catch (error) {
      return this.#unread(error);
    }
    return await this.program.script(file, this.sources.keep(file, source));
  }

  /** Runs a file as the main module. */
  async file(path: string): Promise<Ending> {
    this.sources.main = path;
    try {
      const isModule = this.sources.kind(path) === "module";
      const name = JSON.stringify(path);
      if (isModule) return await this.program.module(MAIN, { code: `import ${name}` });
      return await this.program.script(MAIN, { code: `globalThis[Symbol.for("cloche")].main(${name})` });
    } catch (error) {
      return this.#unread(error);
    }
  }

  /** Says only whether a file could be run. */
  check(path: string): Ending {
    try {
      const source = this.sources.typeless(path);
      const flags = this.sources.kind(path) === "module" ? MODULE : GLOBAL;
      this.program.vm.free(this.program.vm.eval(source.code, path, flags | COMPILE_ONLY));
      return { how: "done", value: null };
    } catch (error) {
      if (error instanceof Thrown) return { how: "failed", reason: error.handle };
      return this.#unread(error);
    }
  }

  outcome(ending: Ending): Outcome {
    switch (ending.how) {
      case "done":
        return { ...this.#shown(ending), error: null, exitCode: 0 };
      case "exit":
        return { value: null, error: null, exitCode: ending.code };
      case "interrupted":
        return { value: null, error: interruptedError(), exitCode: INTERRUPTED };
      case "stalled": {
        const message = "the top level awaits something that will never happen";
        const error = { type: "Error", message, line: null, column: null, traceback: `Error: ${message}` };
        return { value: null, error, exitCode: STALLED };
      }
      case "failed":
        return { value: null, error: runError(this.#described(ending), this.sources.cell.code), exitCode: 1 };
    }
  }

  /** Ends its pending work; its variables stay. */
  rest(): void {
    this.program.stop();
    this.#sockets.closeAll();
  }

  dispose(): void {
    this.#work.stopAll();
    this.#sockets.closeAll();
    this.#files.close();
  }

  /** How a program ends if its source could not be loaded. */
  #unread(error: unknown): Ending {
    if (error instanceof Interrupted) return { how: "interrupted" };
    if (error instanceof FileError) return { how: "failed", reason: this.program.error(absent(error)) };
    if (error instanceof GuestError) return { how: "failed", reason: this.program.error(error) };
    throw error;
  }

  /** Braces that can be an object are taken for one, as at every prompt. */
  #asObject(code: string): Edited | undefined {
    if (!/^\s*\{[^]*\}\s*$/.test(code)) return undefined;
    const source = prefixSource("(", { code }, "\n)");
    return this.program.complaint(source.code, "<cell>") === null ? source : undefined;
  }

  #shown({ value }: Ending & { how: "done" }): Pick<Outcome, "value" | "data"> {
    if (value === null) return { value };
    try {
      // Done first, because showing a value may change it.
      const data = checkData(this.#asked("data", value));
      const shown = this.#asked("show", value);
      return { value: shown === undefined ? "[it cannot be shown]" : typeof shown === "string" ? shown : null, data };
    } finally {
      this.program.vm.free(value);
    }
  }

  /** What a function of the guest returns; undefined if it throws. */
  #asked(name: "data" | "show", value: Handle): Value {
    try {
      return this.program.callGuest(name, value);
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
      this.program.vm.free(error.handle);
      return undefined;
    }
  }

  #described(ending: Ending & { how: "failed" }): Described {
    try {
      return describedBy(JSON.parse(this.program.callGuest("describe", ending.reason) as string));
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      return describedBy({});
    } finally {
      this.program.vm.free(ending.reason);
    }
  }

  #mark(file: string): void {
    this.program.callGuest("mark", file);
  }

  #provide(name: string): boolean {
    if (!this.worker.init.config.autoInstall) return false;
    this.worker.blocking.request(this.surroundings.run, { kind: "provide", language: "javascript", name });
    return true;
  }

  #functions(): Record<string, HostFunction> {
    return {
      ...codec,
      ...web,
      ...this.#files.functions(),
      ...this.#sockets.functions(),
      ...this.surroundings.functions(),
      ...this.sources.functions(() => this.program.vm, (file) => this.#mark(file)),
      start: (what, question, body) =>
        this.#work.begin(
          checkText(what),
          objectOf(checkText(question)),
          body === null || body === undefined ? null : checkBytes(body),
          () => new GuestError("Error", `${what} cannot be begun: too much is open`, "EAGAIN"),
        ),
      dataLimits: () => [FIXED_LIMITS.dataLimit, FIXED_LIMITS.dataDepth, FIXED_LIMITS.dataValues],
      stop: (id) => this.#work.stop(Number(id)),
      idle: (id, idle) => this.#work.setIdle(Number(id), idle === true),
      digest: (algorithm, data) => computeDigest(checkText(algorithm), checkBytes(data)),
      execNow: (question, stdin) =>
        this.#execNow(objectOf(checkText(question)), stdin === null ? null : checkBytes(stdin)),
    };
  }

  #execNow(question: Record<string, unknown>, stdin: Uint8Array | null): [number, Uint8Array, Uint8Array] {
    this.worker.outputBuffer.flush();
    const request = execRequest(question, stdin);
    const { exitCode, stdout, stderr } = this.worker.blocking.exec(this.surroundings.run, "bash", request);
    return [exitCode, stdout, stderr];
  }
}

/** The guest may have changed the functions that describe errors. */
function describedBy(found: Record<string, unknown>): Described {
  const field = (name: string) => typeof found[name] === "string" ? found[name] : undefined;
  const [type, message] = [field("type") ?? "Error", field("message") ?? "an error that cannot be described"];
  return { type, message, stack: field("stack") ?? "", shown: field("shown"), code: field("code") };
}

function absent({ code, path, message }: FileError): GuestError {
  return code === "ENOENT"
    ? new GuestError("Error", `Cannot find module '${path}'`, "MODULE_NOT_FOUND")
    : new GuestError("Error", message, code);
}

function chained(first: Edited, second: Edited): Edited {
  const [outer, inner] = [second.locate, first.locate];
  if (!outer || !inner) return { code: second.code, locate: outer ?? inner };
  return { code: second.code, locate: (line, column) => inner(...outer(line, column)) };
}

/** Parses JSON that the guest has written; it may say anything. */
function objectOf(json: string): Record<string, unknown> {
  if (json.length > MOST_TEXT) throw new GuestError("RangeError", "too much is asked at once");
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
