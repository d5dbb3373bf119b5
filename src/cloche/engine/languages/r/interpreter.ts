/** One R: restored from the pack's snapshot, with the guest's folders, called through the functions of its prelude. */

import { mountFolders } from "../../fs/emscripten.ts";
import type { FSNode } from "../../fs/emscripten_types.ts";
import type { FolderFiles } from "../../fs/folder.ts";
import { PackageMount } from "../../fs/package_mount.ts";
import { LIBRARIES, type PackageFiles } from "../../fs/packages.ts";
import { type Memo, type RModule, type RVmServices, startVm, type Value } from "./vm/vm.ts";
import { packSnapshot, Snapshot } from "./vm/snapshot.ts";
import type { Source } from "../../wasm/image.ts";
import { meterModule } from "../../wasm/meter.ts";
import { BufferFull } from "../../worker/byte_buffer.ts";
import { type Plain, Values } from "./values.ts";

const HOME = "/usr";
const STANDARD_ERROR = 2;
/** A line for R's console that does nothing: after each line it prints its warnings. */
const EMPTY_LINE = "invisible(.Last.value)\n";

/** Bytes of C's stack for each call that JavaScript could nest: where V8's stack ends, R cannot continue. */
const STACK_SHARE = 50;
/** C's stack is a little larger. */
const STACK_LIMIT = 2_000_000;

/** The parts that all interpreters of a worker share. */
export interface InterpreterParts {
  create(settings: object): void;
  module: WebAssembly.Module;
  snapshot: Source;
  /** R's own files. */
  home: PackageFiles;
  folders: FolderFiles[];
  readBinary(name: string): Uint8Array;
  limit: number;
}

/** What R asks for from its own functions; a thrown error becomes an error of R. */
type Answer = (what: string, given: Plain[]) => Plain;

interface RServices extends Omit<RVmServices, "call"> {
  answer: Answer;
}

/** R has stopped halfway and cannot continue. */
export class Broken extends Error {
  override readonly name = "Broken";
}

export class Interpreter {
  readonly values: Values;
  readonly #temporary = `/tmp/Rtmp${crypto.randomUUID().slice(0, 8)}`;
  readonly #flag: number;
  #printsWarnings = false;
  #arguments = "";

  private constructor(readonly module: RModule, private readonly memo: Memo) {
    this.values = new Values(module);
    this.#flag = module._malloc(4);
  }

  /** With `saved` it starts from the memory of another. */
  static async start(parts: InterpreterParts, around: RServices, saved?: Source): Promise<Interpreter> {
    const snapshot = new Snapshot(saved ?? parts.snapshot);
    const { module, memo } = await startVm({
      create: parts.create,
      module: parts.module,
      memo: snapshot.memo,
      env: {},
      limit: parts.limit,
      readBinary: parts.readBinary,
      readLibrary,
      mount: (module) => {
        mountFolders(module, parts.folders);
        new PackageMount(module, { [HOME]: parts.home });
      },
      world: {
        write: around.write,
        read: around.read,
        readLine: (prompt) => {
          if (made.#printsWarnings) return EMPTY_LINE;
          const line = around.readLine(prompt);
          if (made.#isInterrupted) module._R_CheckUserInterrupt();
          return line;
        },
        poll: () => {
          if (!made.#printsWarnings) around.poll();
        },
        check: around.check,
        call: (_, what, given) => made.#answer(around.answer, what, given),
      },
    });
    snapshot.restore(module, saved !== undefined);
    // Note only once what was loaded again.
    const made = new Interpreter(module, Object.assign(memo, { steps: [...snapshot.memo.steps] }));
    made.#settle();
    return made;
  }

  get memory(): number {
    return this.module.HEAPU8.length;
  }

  /** The whole memory of the idle interpreter; a string says why it cannot be saved. */
  save(): Uint8Array[] | string {
    const open = this.module.FS.streams.filter((stream, number) => stream && number > STANDARD_ERROR).length;
    return open > 0 ? `R has ${open} open files` : packSnapshot(this.module, this.memo);
  }

  /** Calls a function of the prelude; null if it did not return. The answer is protected until `done`. */
  call<T>(name: string, given: Plain[], done: (value: Value) => T): T | null {
    const { module, values } = this;
    try {
      let list = values.nil;
      for (const each of given.toReversed()) {
        module._Rf_protect(list);
        list = module._Rf_cons(module._Rf_protect(values.write(each)), list);
        module._Rf_unprotect(2);
      }
      module._Rf_protect(list);
      const call = module._Rf_protect(module._Rf_lcons(values.symbol(name), list));
      const value = module._R_tryEval(call, this.memo.prelude, this.#flag);
      module._Rf_unprotect(2);
      if (module.getValue(this.#flag, "i32") !== 0) return null;
      module._Rf_protect(value);
      const answer = done(value);
      module._Rf_unprotect(1);
      return answer;
    } catch (error) {
      throw new Broken(reason(error), { cause: error });
    }
  }

  /** Makes R print the warnings that it has collected, as its console does. */
  tellWarnings(): void {
    const { module } = this;
    const interactive = module.getValue(module._R_Interactive, "i8");
    // Otherwise the console would read standard input.
    module.setValue(module._R_Interactive, 1, "i8");
    this.#printsWarnings = true;
    try {
      module._R_ReplDLLdo1();
      module.setValue(module._R_Interactive, interactive, "i8");
    } catch (error) {
      throw new Broken(reason(error), { cause: error });
    } finally {
      this.#printsWarnings = false;
    }
  }

  setValue(name: string, value: Value): void {
    const { module } = this;
    module._Rf_gsetVar(this.values.symbol(name), value, module.getValue(module._R_BaseEnv, "i32"));
  }

  setInteractive(value: boolean): void {
    this.module.setValue(this.module._R_Interactive, value ? 1 : 0, "i8");
  }

  setArguments(args: string[]): void {
    // R keeps what it is given forever.
    if (args.join("\0") === this.#arguments) return;
    this.#arguments = args.join("\0");
    const { module } = this;
    const argv = module._malloc(4 * (args.length + 1));
    args.forEach((text, i) => module.setValue(argv + 4 * i, module.allocateUTF8(text), "i32"));
    module._R_set_command_line_arguments(args.length, argv);
    for (let i = 0; i < args.length; i++) module._free(module.getValue(argv + 4 * i, "i32"));
    module._free(argv);
  }

  setEnv(env: Record<string, string>): void {
    const { module } = this;
    for (const [name, value] of Object.entries(env)) {
      const [key, text] = [module.allocateUTF8(name), module.allocateUTF8(value)];
      module._setenv(key, text, 1);
      for (const at of [key, text]) module._free(at);
    }
  }

  /** The names of all packages that can be loaded. */
  packages(): string[] {
    const folders = [`${HOME}/lib/R/library`, `${LIBRARIES}/r`];
    return folders.flatMap((folder) => {
      try {
        return this.module.FS.readdir(folder).filter((name) => /^[A-Za-z]/.test(name));
      } catch {
        return [];
      }
    });
  }

  changeFolder(path: string): void {
    this.module.FS.chdir(path);
  }

  /** The folder for temporary files may have been removed by others. */
  makeTemporary(): void {
    this.module.FS.mkdirTree(this.#temporary);
  }

  /** Ends the running code, as Ctrl-C would, at R's next check. */
  interrupt(): void {
    this.module.setValue(this.module._R_interrupts_pending, 1, "i32");
  }

  /** Whether an interrupt is pending. */
  takeInterrupt(): boolean {
    const left = this.#isInterrupted;
    if (left) this.module.setValue(this.module._R_interrupts_pending, 0, "i32");
    return left;
  }

  get #isInterrupted(): boolean {
    return this.module.HEAP32[this.module._R_interrupts_pending >> 2] !== 0;
  }

  /** Gives R its own folder for temporary files, and refuses more files in this thread's memory. */
  #settle(): void {
    const { module } = this;
    this.makeTemporary();
    module.setValue(module._R_TempDir, module.allocateUTF8(this.#temporary), "i32");
    this.setEnv({ R_SESSION_TMPDIR: this.#temporary });
    // Counted once: a function that is called often takes less room.
    depth ??= depthOf(0);
    module.setValue(module._R_CStackLimit, Math.min(depth * STACK_SHARE, STACK_LIMIT), "i32");
    module.sealed = true;
  }

  #answer(answer: Answer, what: Value, given: Value): Value {
    const asked = this.values.readAll(given);
    const answered = answer(String(this.values.read(what)), Array.isArray(asked) ? asked : []);
    // Raise the interrupt here: R unwinds through these very calls.
    if (this.#isInterrupted) this.module._R_CheckUserInterrupt();
    return this.values.write(answered);
  }
}

let depth: number | undefined;

/** The number of nested calls that fit on this thread's stack. */
function depthOf(reached: number): number {
  try {
    return depthOf(reached + 1);
  } catch {
    return reached;
  }
}

interface Paths {
  lookupPath(path: string, options: { follow: boolean }): { node: FSNode };
  getPath(node: FSNode): string;
}

/** Loads only libraries of R itself and of packages, not those that a guest has written. */
function readLibrary(module: RModule, path: string): Uint8Array {
  const files = module.FS as unknown as Paths;
  const place = files.getPath(files.lookupPath(path, { follow: true }).node);
  if (place.startsWith(`${HOME}/lib/R/`)) return module.FS.readFile(place);
  if (place.startsWith(`${LIBRARIES}/r/`)) return meterModule(module.FS.readFile(place));
  throw new Error("only libraries of installed packages can be loaded");
}

function reason(error: unknown): string {
  if (error instanceof BufferFull) return `R was ended: ${error.message}`;
  if (error instanceof RangeError) return "the code went too deep: R cannot go on, variables are gone";
  if (error instanceof WebAssembly.RuntimeError) return `R cannot go on: ${error.message}; variables are gone`;
  return "R has ended: variables are gone";
}
