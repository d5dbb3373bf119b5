/** Perl: one perl for the cells, whose variables stay, and a fresh one for each program. */

import { type Package, PackageFiles } from "../../fs/packages.ts";
import type { FolderFiles } from "../../fs/folder.ts";
import { Tree } from "../../fs/tree.ts";
import { type Cell, isComplete, prepareCell } from "./cell.ts";
import { nameIndirect } from "./indirect.ts";
import { completeUse, findCall, findCompletions, methodsCode, wordsFor } from "./completion.ts";
import { CELL, errorOf, type Failure, nameOf } from "./errors.ts";
import { ProgramInput } from "../../worker/programs/input.ts";
import { textOf } from "./string_lists.ts";
import { type Image, readImage } from "./vm/image.ts";
import { Vm, type VmOptions } from "./vm/vm.ts";
import { LIBRARY, OWN } from "./vm/places.ts";
import { type Act, PerlServices, type ProgramContext } from "./services.ts";
import { Program, runChild } from "./program.ts";
import { tokenizePerl } from "./tokens.ts";
import type { ExecRequest, ExecResult, Outcome, Query, RunError, RunRequest, Stream } from "../../protocol.ts";
import { encodeLatin1 } from "../../text/bytes.ts";
import { CATALOG } from "../catalog.ts";
import { checkData } from "../json_data.ts";
import { ENVIRONMENT } from "../environment.ts";
import { FatalError, LanguageRuntime, type LanguageWorker } from "../language.ts";
import { type Completion, completionOf } from "../module_completion.ts";

const CWD = "/workspace";
const INTERRUPTED = 130;
const TAIL = 200;
const OUT_OF_MEMORY = `perl is out of memory: it has ${CATALOG.perl.memory} MB`;
const MOST_FRAMES = 100;
const SALT = 256;
const INTERRUPT: RunError = {
  type: "KeyboardInterrupt",
  message: "interrupted",
  line: null,
  column: null,
  traceback: "KeyboardInterrupt",
};

/** What the cell that runs has reported so far. */
interface CellReport {
  value: string | null;
  data: string | null;
  failure: Failure | null;
  /** The end of what was printed to stderr. */
  tail: string;
}

export default class PerlRuntime extends LanguageRuntime {
  readonly #tree: Tree;
  readonly #module: WebAssembly.Module;
  readonly #refusals = new Map<string, string>();
  readonly #outside: PerlServices;
  readonly #image: Image;
  #vm!: Vm;
  #run = 0;
  #input = new ProgramInput();
  #cell: Cell = { source: "", kind: "none", names: [], data: "" };
  #name = CELL;
  #words: string[] | null = null;
  #report: CellReport = { value: null, data: null, failure: null, tail: "" };
  #env: Record<string, string> = {};
  #word: string[] = [];
  #found: string[] = [];

  constructor(worker: LanguageWorker) {
    super(worker);
    this.#tree = new Tree([
      ...worker.folders,
      folder(worker, OWN, "library.zip"),
      folder(worker, LIBRARY, "modules.zip"),
    ]);
    this.#module = worker.pack.module("perl.wasm");
    this.#image = readImage(worker.pack.read("perl.image"));
    const streams = {
      input: () => this.#input,
      stdout: (data: Uint8Array) => this.#write("stdout", data),
      stderr: (data: Uint8Array) => this.#write("stderr", data),
      live: true,
    };
    this.#outside = new PerlServices(
      () => this.#context(this.#run, CWD),
      streams,
      this.#acts,
    );
  }

  load(): Promise<void> {
    const again = this.fromSaved((saved) => {
      this.#vm = this.#make({ saved });
      this.#env = { ...this.worker.init.config.added };
      return this.#vm.run("Cloche::begin(); srand; $^T = time; $| = 1; $! = 0");
    });
    // Perl reads these only when it starts.
    const starts = Object.keys(this.#firstEnv()).some((name) => name.startsWith("PERL"));
    if (again === undefined) {
      this.#vm = this.#make({ image: starts ? undefined : this.#image });
    }
    const begin = () => starts ? this.#vm.start(["-MCloche::Cell", "-e", "0"]) : this.#vm.run("Cloche::Cell::wake()");
    if (again === undefined ? begin() : again) {
      throw new FatalError(`perl did not start: ${this.#report.tail}`);
    }
    return Promise.resolve();
  }

  #make(from: Pick<VmOptions, "image" | "saved">): Vm {
    const outside = this.#outside;
    return new Vm({
      ...from,
      module: this.#module,
      tree: this.#tree,
      env: this.#firstEnv(),
      cwd: CWD,
      stdin: (max) => outside.read(max),
      stdout: (data) => this.#write("stdout", data),
      stderr: (data) => this.#write("stderr", data),
      sleep: (ms) => this.worker.shared.sleep(ms),
      stop: () => this.#stop(),
      answer: (vm, request) => outside.answer(vm, request),
    });
  }

  protected override image(): Uint8Array[] | string {
    const vm = this.#vm;
    // The next cell opens its input itself.
    vm.run("CORE::close(STDIN); Cloche::leave()");
    try {
      const open = vm.wasi.openFiles;
      return open > 0 ? `Perl has ${open} open files` : vm.save();
    } finally {
      vm.run("Cloche::begin()");
    }
  }

  memory(): number {
    return this.#vm.memory.length - this.#image.idle;
  }

  run(id: number, request: RunRequest): Promise<Outcome> {
    const { blocking, outputBuffer } = this.worker;
    this.#run = id;
    outputBuffer.open(id);
    this.#outside.knowsInterrupt = false;
    this.#vm.interrupt(this.#image.pending, false);
    this.#report = { value: null, data: null, failure: null, tail: "" };
    this.#cell = prepareCell(nameIndirect(request.code));
    this.#name = nameOf(request.file);
    this.#words = this.words(request, "-e");
    const ask = request.interactive ? () => (outputBuffer.flush(), blocking.input(id, "", false)) : null;
    this.#input = new ProgramInput(
      request.stdin === null ? null : encodeLatin1(atob(request.stdin)),
      ask,
    );
    try {
      return Promise.resolve(
        this.#outcome(this.#call("Cloche::Cell::run()"), request.code),
      );
    } finally {
      outputBuffer.flush();
    }
  }

  exec(id: number, request: ExecRequest): Promise<ExecResult> {
    this.worker.outputBuffer.open(id);
    const args = request.argv?.slice(1) ?? ["-e", request.script ?? ""];
    const result = new Program(
      this.#module,
      this.#context(id, request.cwd),
      request,
    ).run(args);
    this.worker.outputBuffer.flush();
    return Promise.resolve(result);
  }

  override query(query: Query): Promise<unknown> {
    if (query.kind === "is_complete") {
      return Promise.resolve({ status: isComplete(tokenizePerl(query.code)) });
    }
    if (query.kind !== "complete") return super.query(query);
    const { code, cursor } = query;
    return Promise.resolve(this.#complete(code.slice(0, cursor)));
  }

  #complete(ahead: string): Completion {
    const module = completeUse(this.#tree, ahead);
    if (module) return module;
    this.#found = [];
    const call = findCall(ahead);
    if (call) {
      this.#call(methodsCode(call.object, call.className));
      return completionOf(this.#found, call.start, ahead.length);
    }
    const sought = findCompletions(ahead);
    if (sought === null) return completionOf([], "", ahead.length);
    this.#word = [sought.sigil, sought.place, sought.start];
    this.#call("Cloche::Cell::complete()");
    return completionOf(
      [...this.#found, ...wordsFor(sought)],
      sought.start,
      ahead.length,
    );
  }

  setEnv(env: Record<string, string>): void {
    this.#env = { ...this.#env, ...env };
  }

  override setPackages(_packages: Package[]): void {
    this.#refusals.clear();
  }

  /** Requests that only the perl of the cells makes. */
  readonly #acts: Record<string, Act> = {
    cell: () => {
      const { kind, source, names, data } = this.#cell;
      const env = Object.entries(this.#env).flat();
      this.#env = {};
      const words = this.#words ?? [];
      return [
        kind,
        this.#name,
        source,
        data,
        ...counted(names),
        ...counted(words),
        ...env,
      ];
    },
    wake: () => [
      crypto.getRandomValues(new Uint8Array(SALT)),
      ...Object.entries(this.#firstEnv()).flat(),
    ],
    value: ([value, data]) => {
      this.#report.value = value ? textOf(value) : null;
      this.#report.data = checkData(textOf(data));
      return [];
    },
    error: (fields) => {
      const [className, message, place, ...frames] = fields.slice(
        0,
        MOST_FRAMES,
      ).map(textOf);
      this.#report.failure = { className, message, place, frames, refusal: "" };
      return [];
    },
    word: () => this.#word,
    found: (names) => {
      this.#found = names.map(textOf);
      return [];
    },
  };

  #firstEnv(): Record<string, string> {
    const { env, added } = this.worker.init.config;
    return { ...ENVIRONMENT, ...env, ...added };
  }

  #context(run: number, cwd: string): ProgramContext {
    const { worker } = this;
    const context: ProgramContext = {
      ...{
        worker,
        run,
        cwd,
        depth: 0,
        tree: this.#tree,
        refusals: this.#refusals,
      },
      spawn: (child) => runChild(this.#module, context, child),
    };
    return context;
  }

  /** Whether the perl of the cells must end at once; one that knows of its interrupt may end by itself. */
  #stop(): boolean {
    const { shared } = this.worker;
    if (!shared.killed && this.#outside.stop()) {
      this.#outside.knowsInterrupt = true;
      this.#vm.interrupt(this.#image.pending);
    }
    return shared.killed;
  }

  /** Returns the exit code, if the code ended itself. */
  #call(code: string): number | null {
    try {
      return this.#vm.run(code);
    } catch (error) {
      const why = this.worker.shared.interrupted
        ? "it was interrupted"
        : error instanceof Error
        ? error.message
        : error;
      throw new FatalError(`perl was ended: ${why}`);
    }
  }

  #outcome(exitCode: number | null, source: string): Outcome {
    const { value, data, failure, tail } = this.#report;
    if (this.#outside.knowsInterrupt || failure?.className === INTERRUPT.type) {
      return { value: null, error: INTERRUPT, exitCode: INTERRUPTED };
    }
    // Too little memory is left to continue.
    if (exitCode !== null && /Out of memory/.test(tail)) {
      throw new FatalError(OUT_OF_MEMORY, "MemoryError");
    }
    if (exitCode !== null) return { value: null, error: null, exitCode };
    if (!failure) return { value, error: null, exitCode: 0, data };
    const refusal = this.#refusals.get(this.#outside.missing ?? "") ?? "";
    return {
      value: null,
      error: errorOf(source, { ...failure, refusal }, this.#name),
      exitCode: 1,
    };
  }

  #write(stream: Stream, data: Uint8Array): void {
    if (stream === "stderr") {
      this.#report.tail = (this.#report.tail + textOf(data.slice(-TAIL))).slice(
        -TAIL,
      );
    }
    this.worker.outputBuffer.write(stream, data);
  }
}

function folder(
  worker: LanguageWorker,
  target: string,
  path: string,
): FolderFiles {
  const files = new PackageFiles(() => worker.pack.open(path), [{
    name: "perl",
    version: "",
    path,
  }]);
  return worker.folder({ target, host: "", readOnly: true }, files);
}

function counted(texts: string[]): string[] {
  return [String(texts.length), ...texts];
}
