/** What every command has: its options, files, output, messages and turns. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { type CommandContext, Killed } from "../../processes/command.ts";
import type { OpenFlags } from "../../processes/system_files.ts";
import { SIGINT } from "../../processes/signals.ts";
import type { Later } from "../../task.ts";
import { giveWay, isTurnDue } from "../../turns.ts";
import type { Given } from "./options.ts";
import { type Coding, codingOf, LineReader, readAll, Writer } from "./streams.ts";

/** One call of a command. */
export class Tool {
  readonly coding: Coding;
  /** The exit code if nothing else decides it. */
  code = 0;
  /** Whether the last line that `batches` gave had no end. */
  endsOpen = false;
  #out: Writer | undefined;

  constructor(readonly context: CommandContext, readonly name: string, readonly given: Given, coding?: Coding) {
    this.coding = coding ?? codingOf(context.env);
  }

  /** Standard output: what is written is kept until the next turn, a message, or the end. */
  get out(): Writer {
    return this.#out ??= new Writer(this.context.fds.get(1), this.coding);
  }

  get operands(): string[] {
    return this.given.operands;
  }

  /** The files that were named, else standard input. */
  get inputs(): string[] {
    return this.operands.length > 0 ? this.operands : ["-"];
  }

  print(text: string): void {
    this.out.write(text);
  }

  flush(): Later<void> {
    return this.#out?.flush();
  }

  /** Writes a line on standard error, after what has been printed. */
  say(line: string): void {
    this.#out?.drain();
    complain(this.context, line);
  }

  /** Writes `name: text` on standard error. */
  complain(text: string): void {
    this.say(`${this.name}: ${text}`);
  }

  /** The same, and remembers that something went wrong. */
  report(text: string, code = 1): void {
    this.complain(text);
    this.code = Math.max(this.code, code);
  }

  /** To be called in loops over much input: ends what is to end, writes what has been printed, lets others run. */
  attend(): Later<void> {
    const { signal, isInterrupted } = this.context as CommandContext & { isInterrupted?: () => boolean };
    if (signal.aborted) throw signal.reason instanceof Killed ? signal.reason : new Killed(SIGINT);
    if (isInterrupted?.()) throw new Killed(SIGINT);
    const written = this.#out?.full ? this.#out.flush() : undefined;
    if (written instanceof Promise) return written;
    if (isTurnDue()) return giveWay();
  }

  /** Opens a file, or standard input for `-`. */
  open(name: string, flags: OpenFlags = { read: true, write: false }): OpenStream {
    if (name === "-") return this.context.fds.get(0);
    const stream = this.context.open(name, flags);
    if (stream.kind !== "directory") return stream;
    stream.close();
    throw new FileError("EISDIR", name);
  }

  /** Creates a file or empties it. */
  create(name: string, append = false): OpenStream {
    return this.open(name, { read: false, write: true, create: true, truncate: !append, append });
  }

  /** Uses each file in turn; one that cannot be read is reported. */
  async eachFile(
    names: readonly string[],
    use: (stream: OpenStream, name: string) => Later<void>,
    describe: (name: string, reason: string) => string = (name, reason) => `${name}: ${reason}`,
  ): Promise<void> {
    for (const name of names) {
      let stream: OpenStream | undefined;
      try {
        stream = this.open(name);
        await use(stream, name);
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        this.report(describe(name, reasonOf(error)));
      } finally {
        if (name !== "-") stream?.close();
      }
    }
  }

  /** The lines of a stream, in batches; what was printed is written before more is read. */
  async *batches(stream: OpenStream, end = 10, coding = this.coding): AsyncGenerator<string[]> {
    const reader = new LineReader(stream, coding, end);
    for (;;) {
      const written = this.out.flush();
      if (written instanceof Promise) await written;
      const next = reader.next();
      const lines = next instanceof Promise ? await next : next;
      if (lines === undefined) return;
      const turn = this.attend();
      if (turn instanceof Promise) await turn;
      this.endsOpen = reader.open;
      yield lines;
    }
  }

  /** All of a file. */
  async readFile(name: string): Promise<Uint8Array> {
    const stream = this.open(name);
    try {
      return await readAll(stream);
    } finally {
      if (name !== "-") stream.close();
    }
  }

  /** All of a file as text. */
  async readText(name: string): Promise<string> {
    return this.coding.decode(await this.readFile(name));
  }
}

export function complain(context: CommandContext, text: string): void {
  const written = context.fds.find(2)?.write(toArray(encodeText(`${text}\n`)));
  if (written instanceof Promise) written.catch(() => {});
}

/** Writes text on standard output; the code is 0. */
export async function print(context: CommandContext, text: string): Promise<number> {
  await context.fds.get(1).write(toArray(encodeText(text)));
  return 0;
}
