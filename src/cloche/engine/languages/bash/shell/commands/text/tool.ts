/** What every command for text has: its options, files, output, messages and turns. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { type Command, type CommandContext, Killed } from "../../processes/command.ts";
import type { OpenFlags } from "../../processes/system_files.ts";
import type { Later } from "../../task.ts";
import { Failure, Given, readGiven, type Usage, UsageError } from "./options.ts";
import { type Coding, codingOf, LineReader, readAll, Writer } from "./streams.ts";

/** Who computes for longer lets others run. */
const TURN_MS = 16;
const SIGINT = 2;

/** One call of a command. */
export class Tool {
  readonly out: Writer;
  readonly coding: Coding;
  /** The exit code if nothing else decides it. */
  code = 0;
  /** Whether the last line that `batches` gave had no end. */
  endsOpen = false;
  #turn = performance.now();

  constructor(readonly context: CommandContext, readonly name: string, readonly given: Given) {
    this.coding = codingOf(context.env);
    this.out = new Writer(context.fds.get(1), this.coding);
  }

  /** Writes `name: text` on standard error. */
  complain(text: string): void {
    say(this.context, `${this.name}: ${text}`);
  }

  /** The same, and remembers that something went wrong. */
  report(text: string, code = 1): void {
    this.complain(text);
    this.code = code;
  }

  /** To be called in loops over much input: ends what is to end, lets others run. */
  attend(): Later<void> {
    const { signal, isInterrupted } = this.context as CommandContext & { isInterrupted?: () => boolean };
    if (signal.aborted) throw signal.reason instanceof Killed ? signal.reason : new Killed(SIGINT);
    if (isInterrupted?.()) throw new Killed(SIGINT);
    if (performance.now() - this.#turn < TURN_MS) return;
    return new Promise((resolve) =>
      setTimeout(() => {
        this.#turn = performance.now();
        resolve();
      })
    );
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
  async *batches(stream: OpenStream, end = 10): AsyncGenerator<string[]> {
    const reader = new LineReader(stream, this.coding, end);
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

  /** The files that were named, else standard input. */
  get inputs(): string[] {
    return this.given.operands.length > 0 ? this.given.operands : ["-"];
  }
}

export function say(context: CommandContext, text: string): void {
  const written = context.fds.find(2)?.write(toArray(encodeText(`${text}\n`)));
  if (written instanceof Promise) written.catch(() => {});
}

/** A command for text. What it throws as a failure becomes its message; what it printed is written first. */
export function defineTool(
  name: string,
  usage: Usage,
  run: (tool: Tool) => Later<number | void>,
  rewrite: (args: string[]) => string[] = (args) => args,
): Command {
  return {
    name,
    async run(context) {
      let tool: Tool | undefined;
      try {
        const given = readGiven(rewrite(context.argv.slice(1)), usage);
        tool = new Tool(context, name, given);
        const about = aboutOf(name, usage, given);
        if (about !== undefined) tool.out.write(about);
        const code = about === undefined ? await run(tool) : 0;
        await tool.out.flush();
        return code ?? tool.code;
      } catch (error) {
        if (!isFailure(error)) throw error;
        await tool?.out.flush();
        return explain(context, name, error, usage.code ?? 1);
      }
    },
  };
}

function isFailure(error: unknown): error is Error {
  return error instanceof UsageError || error instanceof Failure || error instanceof FileError;
}

function explain(context: CommandContext, name: string, error: Error, code: number): number {
  if (error instanceof FileError) {
    const path = error.path.startsWith(`${context.cwd}/`) ? error.path.slice(context.cwd.length + 1) : error.path;
    say(context, `${name}: ${path === "" ? "" : `${path}: `}${reasonOf(error)}`);
    return code;
  }
  say(context, `${name}: ${error.message}`);
  if (error instanceof Failure) return error.code;
  say(context, `Try '${name} --help' for more information.`);
  return code;
}

function aboutOf(name: string, { synopsis = "[OPTION]... [FILE]..." }: Usage, given: Given): string | undefined {
  if (given.has("--help")) return `Usage: ${name} ${synopsis}\n`;
  return given.has("--version") ? `${name} (Cloche)\n` : undefined;
}

/** A whole number as an option or operand, within limits. */
export function readCount(word: string, complaint: string, code = 1): number {
  const [, digits, unit] = /^\+?(\d+)(.*)$/s.exec(word) ?? [];
  const factor = digits === undefined ? undefined : UNITS.get(unit);
  if (factor === undefined) throw new Failure(`${complaint}: '${word}'`, code);
  return Number(digits) * factor;
}

const UNITS = new Map<string, number>([["", 1], ["b", 512]]);
[..."KMGTPEZY"].forEach((letter, i) => {
  UNITS.set(letter, 1024 ** (i + 1));
  UNITS.set(`${letter}iB`, 1024 ** (i + 1));
  UNITS.set(`${letter}B`, 1000 ** (i + 1));
});
UNITS.set("k", 1024).set("kB", 1000).set("kiB", 1024).set("m", 1 << 20);
