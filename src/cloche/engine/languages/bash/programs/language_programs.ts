/** Programs of other languages, whose bytes flow between the shell's descriptors and the workers of those languages. */

import type { ExecRequest, Language, Stream } from "../../../protocol.ts";
import type { ProgramEnd, ProgramStreams } from "../../../worker/program_streams.ts";
import { CATALOG } from "../../catalog.ts";
import type { LanguageWorker } from "../../language.ts";
import { EndlessInput, explainEndless, readStart } from "../just_bash/whole_input.ts";
import { BrokenPipe, type OpenStream } from "../shell/descriptors/stream.ts";
import type { CommandContext } from "../shell/processes/command.ts";

/** Runs a program of a language with these words; returns its exit code. */
export type StartProgram = (language: Language, argv: string[], context: CommandContext) => Promise<number>;

/** Bytes that a program may be ahead of its reader if the reader may need the program's own worker. */
const AHEAD = 64 << 20;
const BROKEN_PIPE = 141;
const INTERRUPTED = 130;

export class LanguagePrograms {
  constructor(
    private readonly worker: Pick<LanguageWorker, "outputBuffer" | "spawn">,
    /** The run whose worker it is now. */
    private readonly run: () => number,
  ) {}

  readonly start: StartProgram = async (language, argv, context) => {
    const [input, stdout, stderr] = [0, 1, 2].map((fd) => context.fds.find(fd));
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
    };
    const output = new ProgramWriter({ stdout, stderr }, isProcess ? 0 : AHEAD);
    const streams: ProgramStreams = { write: (stream, data) => output.write(stream, data) };
    if (isProcess && !atTerminal) streams.read = async (most) => await input?.read(most) ?? null;
    this.worker.outputBuffer.flush();
    const program = this.#spawn(language, request, streams, context.signal);
    // Until it has ended, its worker cannot be used: the next program or cell would be stopped in its place.
    context.endAfter(program);
    const { exitCode, ended } = await program;
    await output.written;
    if (given?.endless !== undefined && ended) throw new EndlessInput(explainEndless(given.endless, argv[0]));
    return exitCode;
  };

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
