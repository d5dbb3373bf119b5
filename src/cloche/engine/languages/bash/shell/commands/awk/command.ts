/** awk as a program of the shell: everything flows. */
import { BrokenPipe as BrokenStream, type OpenStream } from "../../descriptors/stream.ts";
import { makePipe } from "../../descriptors/pipe.ts";
import type { DescriptorTable } from "../../descriptors/table.ts";
import type { ChildProcess, Command, CommandContext } from "../../processes/command.ts";
import type { OpenFlags } from "../../processes/system_files.ts";
import { Turns } from "../../turns.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { BYTES, codingOf } from "../tool/streams.ts";
import { runAwk } from "./awk.ts";
import { AwkError, BrokenPipe } from "./errors.ts";
import { type AwkHost, type ByteReader, type ByteWriter, OpenError } from "./host.ts";
import { joinBytes } from "./machine/text_coding.ts";

const CHUNK = 65536;
/** A signal is told as awk does: 256 and its number. */
const SIGNALLED = 128;

/** What awk needs of the shell: files, commands, and the descriptors that it was given. */
class ShellHost implements AwkHost {
  bytes: boolean;
  readonly environment: Record<string, string>;
  readonly stdin: ByteReader;
  readonly stdout: ByteWriter;
  readonly stderr: ByteWriter;
  readonly #turns: Turns;

  constructor(private readonly context: CommandContext) {
    this.environment = { ...context.env };
    this.bytes = codingOf(context.env) === BYTES;
    this.#turns = new Turns(context.signal);
    const lent = () => Promise.resolve(0);
    this.stdin = readerOf(context.fds.find(0), lent);
    this.stdout = writerOf(context.fds.find(1), "standard output", lent);
    this.stderr = writerOf(context.fds.find(2), "standard error", lent);
  }

  openInput(path: string): Promise<ByteReader> {
    const stream = this.#open(path, { read: true, write: false });
    return Promise.resolve(readerOf(stream, closing(stream)));
  }

  openOutput(path: string, append: boolean): Promise<ByteWriter> {
    const stream = this.#open(path, { read: false, write: true, create: true, append, truncate: !append });
    return Promise.resolve(writerOf(stream, path, closing(stream)));
  }

  #open(path: string, flags: OpenFlags): OpenStream {
    try {
      return this.context.open(joinBytes(path), flags);
    } catch (error) {
      throw new OpenError(reasonOf(error), (error as { code?: string }).code);
    }
  }

  async runCommand(command: string): Promise<number> {
    return await codeOf(this.#start(command));
  }

  openCommandOutput(command: string): Promise<ByteReader> {
    const { reader, writer } = makePipe();
    const fds = this.context.fds.fork();
    fds.set(1, writer);
    const child = this.#start(command, fds);
    return Promise.resolve(readerOf(reader, () => (reader.close(), codeOf(child))));
  }

  openCommandInput(command: string): Promise<ByteWriter> {
    const { reader, writer } = makePipe();
    const fds = this.context.fds.fork();
    fds.set(0, reader);
    const child = this.#start(command, fds);
    return Promise.resolve(writerOf(writer, command, () => (writer.close(), codeOf(child))));
  }

  openCoprocess(command: string): Promise<{ reader: ByteReader; writer: ByteWriter }> {
    const [to, from] = [makePipe(), makePipe()];
    const fds = this.context.fds.fork();
    fds.set(0, to.reader);
    fds.set(1, from.writer);
    const child = this.#start(command, fds);
    const closeWriter = () => (to.writer.close(), Promise.resolve(0));
    return Promise.resolve({
      reader: readerOf(from.reader, () => (to.writer.close(), from.reader.close(), codeOf(child))),
      writer: writerOf(to.writer, command, closeWriter),
    });
  }

  attend(): void | Promise<void> {
    return this.#turns.attend();
  }

  #start(command: string, fds?: DescriptorTable): ChildProcess {
    return this.context.spawn(["sh", "-c", joinBytes(command)], { fds });
  }
}

function readerOf(stream: OpenStream | undefined, close: () => Promise<number>): ByteReader {
  return { read: () => stream?.read(CHUNK), close };
}

function writerOf(stream: OpenStream | undefined, name: string, close: () => Promise<number>): ByteWriter {
  const fail = (error: unknown): never => {
    if (error instanceof BrokenStream) throw new BrokenPipe();
    throw new AwkError(`cannot write to \`${name}': ${reasonOf(error)}`);
  };
  const write = (data: Uint8Array) => {
    try {
      const written = stream?.write(data);
      return written instanceof Promise ? written.catch(fail) : undefined;
    } catch (error) {
      return fail(error);
    }
  };
  return { closed: false, write, close };
}

function closing(stream: OpenStream): () => Promise<number> {
  return () => (stream.close(), Promise.resolve(0));
}

async function codeOf({ done }: ChildProcess): Promise<number> {
  const code = await done;
  return code > SIGNALLED && code < SIGNALLED + 32 ? 256 + code - SIGNALLED : code;
}

const awk: Command = {
  name: "awk",
  run: (context) => runAwk(context.argv.slice(1), new ShellHost(context)),
};

export const awkCommands: Command[] = ["awk", "gawk", "mawk", "nawk"].map((name) => ({ ...awk, name }));
