/** Programs of other languages, whose bytes flow between the shell's descriptors and the workers of those languages. */

import type { ExecRequest, Language, Stream } from "../../../protocol.ts";
import type { ProgramEnd, ProgramStreams } from "../../../worker/programs/streams.ts";
import { CATALOG } from "../../catalog.ts";
import type { LanguageWorker } from "../../language.ts";
import { EndlessInput, explainEndless, readStart } from "../just_bash/whole_input.ts";
import { DescriptorFiles } from "./descriptor_files.ts";
import { sessionArguments } from "./sessions.ts";
import { BrokenPipe, type OpenStream } from "../shell/descriptors/stream.ts";
import type { DescriptorTable } from "../shell/descriptors/table.ts";
import { type CommandContext, Killed } from "../shell/processes/command.ts";
import { SHELL_PID } from "../shell/processes/kernel.ts";
import { SIGINT } from "../shell/processes/signals.ts";

/** Runs a program of a language with these words; returns its exit code. */
export type StartProgram = (language: Language, argv: string[], context: CommandContext) => Promise<number>;

/** Bytes that a program may be ahead of its reader if the reader may need the program's own worker. */
const AHEAD = 64 << 20;
const BROKEN_PIPE = 141;
const INTERRUPTED = 130;
/** A bit for each of 64 signals. */
const HANDLED_BYTES = 8;

export class LanguagePrograms {
  /** The descriptors of those that run, by process: what they start inherits them. */
  readonly #descriptors = new Map<number, DescriptorTable>();

  constructor(
    private readonly worker: Pick<LanguageWorker, "outputBuffer" | "spawn" | "sendSignal">,
    /** The run whose worker it is now. */
    private readonly run: () => number,
    private readonly nextPid: () => number,
  ) {}

  readonly start: StartProgram = async (language, given, context) => {
    const { words, files } = await DescriptorFiles.replace(given, context);
    try {
      return await this.#start(language, words, context);
    } finally {
      await files.close();
    }
  };

  async #start(language: Language, words: string[], context: CommandContext): Promise<number> {
    const [input, stdout, stderr] = [0, 1, 2].map((fd) => context.fds.find(fd));
    const argv = input?.kind === "terminal" ? sessionArguments(words) ?? words : words;
    const isProcess = CATALOG[language].process !== undefined;
    const atTerminal = input?.kind === "terminal";
    const live = stdout?.kind === "terminal" && stderr?.kind === "terminal" && stdout !== stderr;
    const given = atTerminal || isProcess ? undefined : await readInput(input);
    const request: ExecRequest = {
      argv,
      // At the terminal, the caller is asked.
      stdin: given?.bytes ?? null,
      cwd: context.cwd,
      env: { ...context.env },
      live,
      merge: !live && stdout === stderr,
      origin: context.run || undefined,
      pid: this.#numberOf(context),
      umask: context.umask,
      handled: new SharedArrayBuffer(HANDLED_BYTES),
    };
    const output = new ProgramWriter({ stdout, stderr }, isProcess ? 0 : AHEAD);
    const streams: ProgramStreams = { write: (stream, data) => output.write(stream, data) };
    if (isProcess && !atTerminal) streams.read = async (most) => await input?.read(most) ?? null;
    this.worker.outputBuffer.flush();
    const program = this.#run(language, request, streams, context);
    // Until it has ended, its worker cannot be used: the next program or cell would be stopped in its place.
    context.endAfter(program);
    const { exitCode, ended, signal } = await program;
    await output.written;
    if (signal !== undefined && signal !== SIGINT) throw new Killed(signal);
    if (given?.endless !== undefined && ended) throw new EndlessInput(explainEndless(given.endless, argv[0]));
    return exitCode;
  }

  /** The descriptors of a program, by its process. */
  descriptorsOf(pid: number | undefined): DescriptorTable | undefined {
    return pid === undefined ? undefined : this.#descriptors.get(pid);
  }

  /** A program that the shell waits for is in the shell's own process, but has a number of its own. */
  #numberOf({ pid }: CommandContext): number {
    return pid === SHELL_PID ? this.nextPid() : pid;
  }

  async #run(
    language: Language,
    request: ExecRequest,
    streams: ProgramStreams,
    context: CommandContext,
  ): Promise<ProgramEnd> {
    const { fds, signal: stop } = context;
    const { pid = context.pid } = request;
    const handled = request.handled && new Int32Array(request.handled);
    const leave = context.handleSignals((signal) => {
      if (!handled || !isHandled(handled, signal)) return false;
      this.worker.sendSignal(stop, signal);
      return true;
    });
    this.#descriptors.set(pid, fds);
    try {
      return await this.#spawn(language, request, streams, stop);
    } finally {
      leave();
      if (this.#descriptors.get(pid) === fds) this.#descriptors.delete(pid);
    }
  }

  async #spawn(...[language, request, streams, signal]: SpawnArguments): Promise<ProgramEnd> {
    try {
      return await this.worker.spawn(this.run(), language, request, streams, signal);
    } catch (error) {
      return { exitCode: error instanceof BrokenPipe ? BROKEN_PIPE : INTERRUPTED };
    }
  }
}

type SpawnArguments = [language: Language, request: ExecRequest, streams: ProgramStreams, signal: AbortSignal];

/** Programs that do not flow get all of their input at once, or the start of one that has no end. */
async function readInput(input: OpenStream | undefined): Promise<{ bytes: Uint8Array; endless?: string }> {
  return input ? await readStart(input) : { bytes: new Uint8Array() };
}

/** Writes to the shell's descriptors. */
class ProgramWriter {
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #broken = false;

  constructor(
    private readonly streams: Record<Stream, OpenStream | undefined>,
    /** Bytes that may wait for their reader without the program waiting too. */
    private readonly ahead: number,
  ) {}

  /** Settles when the readers have taken all. */
  get written(): Promise<void> {
    return this.#last;
  }

  write(stream: Stream, data: Uint8Array): Promise<void> | void {
    if (this.#broken && stream === "stdout") throw new BrokenPipe();
    const written = this.streams[stream]?.write(data);
    if (!(written instanceof Promise)) return;
    if (this.#waiting >= this.ahead) return written;
    this.#waiting += data.length;
    this.#last = written.then(() => {
      this.#waiting -= data.length;
    }, () => {
      this.#broken ||= stream === "stdout";
    });
  }
}

function isHandled(handled: Int32Array, signal: number): boolean {
  return (Atomics.load(handled, signal >> 5) & 1 << (signal & 31)) !== 0;
}
