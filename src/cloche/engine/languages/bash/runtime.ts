/** bash: one persistent shell over the guest's folders; `python3`, `ruby`... in it go to those languages' workers. */

import { loadAllCommands } from "./just_bash/all_commands.ts";
import { BashFiles } from "./just_bash/tree_files.ts";
import { CommandFiles, commandFolders } from "../../fs/command_files.ts";
import { type Package, PackageFiles, PACKAGES } from "../../fs/packages.ts";
import { Quota } from "../../fs/quota.ts";
import { Tree } from "../../fs/tree.ts";
import type {
  ChildRequest,
  ExecRequest,
  ExecResult,
  LanguagesRequest,
  LanguageStates,
  Outcome,
  Query,
  RunRequest,
  Stream,
} from "../../protocol.ts";
import { Bell } from "../../worker/pipes/bell.ts";
import { noteEnd, openDescriptors } from "./programs/child_processes.ts";
import { DeviceStream, SinkStream } from "./shell/descriptors/devices.ts";
import { DescriptorTable } from "./shell/descriptors/table.ts";
import { completeCommand } from "./completion.ts";
import { LanguagePrograms } from "./programs/language_programs.ts";
import { type Program, programCommands, programsOf } from "./programs/package_programs.ts";
import { packageCommands } from "./programs/python_scripts.ts";
import { sandboxCommands } from "./programs/sandbox_commands.ts";
import type { AskLine } from "./shell/descriptors/terminal.ts";
import type { Usage } from "./shell/commands/system/usage.ts";
import { GuestFiles } from "./shell/processes/guest_files.ts";
import { Shell } from "./shell/shell.ts";
import { checkWhole } from "./completeness.ts";
import type { SendRequest } from "./web/web.ts";
import { encodeLatin1 } from "../../text/bytes.ts";
import { ENVIRONMENT } from "../environment.ts";
import { LanguageRuntime, type LanguageWorker } from "../language.ts";

/** Roughly the bytes of the shell itself: it is on JavaScript's heap and cannot be measured separately. */
const MEMORY = 8 << 20;

export default class BashRuntime extends LanguageRuntime {
  readonly #shell: Shell;
  readonly #packages: PackageFiles;
  readonly #tree: Tree;
  readonly #languages: LanguagePrograms;
  /** Those that packages of other languages than Python bring. */
  #programs: Program[] = [];
  #run = 0;
  override readonly marksOrigin = true;
  readonly #bell: Bell;
  readonly #files: GuestFiles;
  /** How to send a signal to each program that runs for another worker. */
  readonly #kills = new Map<number, (signal: number) => void>();

  constructor(worker: LanguageWorker) {
    super(worker);
    this.#bell = new Bell(worker.init.memory);
    this.#packages = new PackageFiles(worker.openAsset);
    this.#languages = new LanguagePrograms(worker, () => this.#run, () => this.#bell.nextProcess());
    const packages = worker.folder({ target: PACKAGES, host: "", readOnly: true }, this.#packages);
    const ask: SendRequest = (question, body) => worker.openRequest(this.#run, question, body);
    const commands = new CommandFiles();
    this.#tree = new Tree([...worker.folders, packages, ...commandFolders(commands, worker.folder)]);
    this.#files = new GuestFiles(this.#tree, commands);
    this.#shell = new Shell({
      files: this.#files,
      env: { ...ENVIRONMENT, ...worker.init.config.env },
      cwd: "/workspace",
      commands: sandboxCommands({
        ask,
        flush: () => worker.outputBuffer.flush(),
        start: this.#languages.start,
        tree: this.#tree,
        files: new BashFiles(this.#tree, async () => (await import("./just_bash/stock.ts")).openMemoryFiles()),
        isInterrupted: () => worker.shared.interrupted,
        openJq: (name) => worker.openAsset(`${worker.init.assets}/node_modules/jq-wasm/${name}`),
        programs: () => this.#programs,
        usage: this.#usage(ask),
      }),
      saved: worker.init.config.shell ?? undefined,
      isInterrupted: () => worker.shared.interrupted,
      mark: (run) => worker.shared.origin = run,
      nextPid: () => this.#bell.nextProcess(),
    });
    if (worker.init.config.packages.length > 0) this.setPackages(worker.init.config.packages);
    this.#shell.setEnv(worker.init.config.added);
  }

  async load(): Promise<void> {
    if (this.worker.init.config.building) await loadAllCommands();
  }

  memory(): number {
    return MEMORY;
  }

  async run(id: number, request: RunRequest): Promise<Outcome> {
    this.#open(id);
    const stdin = request.stdin === null ? undefined : encodeLatin1(atob(request.stdin));
    try {
      const ask: AskLine = (...question) => this.#ask(id, ...question);
      const { exitCode } = await this.#shell.run(request.code, {
        run: id,
        stdin,
        ask: request.interactive ? ask : undefined,
        onOutput: (stream, data) => this.#write(stream, data),
      });
      return { value: null, error: null, exitCode, cwd: this.#shell.cwd };
    } catch (error) {
      // Something in the shell's own machinery; the shell itself is still good.
      this.#write("stderr", new TextEncoder().encode(`bash: ${error instanceof Error ? error.message : error}\n`));
      return { value: null, error: null, exitCode: 1, cwd: this.#shell.cwd };
    } finally {
      this.worker.outputBuffer.flush();
    }
  }

  async exec(id: number, request: ExecRequest, stop: AbortSignal): Promise<ExecResult> {
    this.#open(id);
    if (request.child) return await this.#execChild(request, request.child, stop);
    const { stdin, cwd, env, live, merge } = request;
    const merged: Uint8Array[] = [];
    const onOutput = live
      ? (stream: Stream, data: Uint8Array) => this.#write(merge ? "stdout" : stream, data)
      : merge
      ? (_: Stream, data: Uint8Array) => void merged.push(data)
      : undefined;
    const run = request.origin ?? id;
    const options = { run, stdin: stdin ?? undefined, cwd, env, signal: stop, onOutput, live: live && !merge };
    const result = await this.#shell.exec(request.argv ?? request.script ?? "", options);
    this.worker.outputBuffer.flush();
    if (merged.length === 0) return result;
    return { ...result, stdout: new Uint8Array(await new Blob(merged as BlobPart[]).arrayBuffer()) };
  }

  /** A process that a program has started, whose bytes do not come in messages. */
  async #execChild(request: ExecRequest, child: ChildRequest, stop: AbortSignal): Promise<ExecResult> {
    const { cwd, env, origin: run = this.#run, program = 0 } = request;
    let end: { exitCode: number; signal?: number } = { exitCode: 1 };
    try {
      const inherited = this.#languages.descriptorsOf(request.parent) ?? this.#cellDescriptors();
      const fds = openDescriptors(child, inherited, this.#files, this.#bell);
      const process = { pid: child.pid, umask: child.umask, fds };
      const onStart = (kill: (signal: number) => void) => void this.#kills.set(program, kill);
      end = await this.#shell.exec(request.argv ?? [], { run, cwd, env, signal: stop, process, onStart });
    } finally {
      this.#kills.delete(program);
      this.worker.outputBuffer.flush();
      noteEnd(child, this.#bell, end.exitCode, end.signal);
    }
    const none = new Uint8Array();
    return { exitCode: end.exitCode, stdout: none, stderr: none };
  }

  /** Those of a cell: nothing to read, and what is written is shown at once. */
  #cellDescriptors(): DescriptorTable {
    const fds = new DescriptorTable();
    fds.set(0, new DeviceStream("null"));
    fds.set(1, new SinkStream("terminal", (data) => this.#write("stdout", data)));
    fds.set(2, new SinkStream("terminal", (data) => this.#write("stderr", data)));
    return fds;
  }

  override signal(program: number, signal: number): void {
    this.#kills.get(program)?.(signal);
  }

  override async query({ kind, code, cursor }: Query): Promise<unknown> {
    if (kind === "is_complete") return { status: checkWhole(code) };
    if (kind === "complete") return await completeCommand(code, cursor, this.#shell);
    if (kind === "outline") return this.#shell.outline(code);
    if (kind === "save") return { shell: this.#shell.save() };
    return { found: false };
  }

  setEnv(env: Record<string, string>): void {
    this.#shell.setEnv(env);
  }

  override setPackages(packages: Package[]): void {
    this.#packages.set(packages.filter(({ language = "python" }) => language === "python"));
    this.#programs = programsOf(packages, (path, most) => this.#readFile(path, most));
    this.#shell.setPrograms([
      ...packageCommands(this.#packages, this.#languages.start),
      ...programCommands(this.#programs, this.#languages.start),
    ]);
  }

  #readFile(path: string, most: number): Uint8Array | null {
    try {
      return this.#tree.stat(path).size > most ? null : this.#tree.readFile(path);
    } catch {
      return null;
    }
  }

  override background(): string[] {
    return this.#shell.background();
  }

  override async stopBackground(): Promise<void> {
    await this.#shell.stop();
  }

  #open(id: number): void {
    this.#run = id;
    this.worker.outputBuffer.open(id);
  }

  #write(stream: Stream, data: Uint8Array): void {
    this.worker.outputBuffer.write(stream, data);
  }

  /** Never answers once it is interrupted: the shell sees the interrupt itself, and no later command may run before it does. */
  async #ask(id: number, ...[prompt, hidden, seconds, session]: Parameters<AskLine>): Promise<string | null> {
    this.worker.outputBuffer.flush();
    try {
      return await this.worker.input(id, prompt, hidden, seconds, session);
    } catch {
      return this.worker.shared.interrupted ? await new Promise<never>(() => {}) : null;
    }
  }

  #usage(ask: SendRequest): Usage {
    const { quota: counts, config: { limits, memory, folders } } = this.worker.init;
    const quota = new Quota(counts, limits.filesLimit, limits.fileNames);
    return {
      bytes: () => quota.bytes,
      names: () => quota.nameCount,
      folders: folders.map(({ target }) => target),
      memory: async () => {
        const known = await ask({ kind: "languages" } satisfies LanguagesRequest).data as LanguageStates;
        return { used: known.python.memory, total: memory };
      },
    };
  }
}
