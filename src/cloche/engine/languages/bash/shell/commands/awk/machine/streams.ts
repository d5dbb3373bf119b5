/** The files and commands that a program has opened. */
import { AwkError, BrokenPipe } from "../errors.ts";
import { type AwkHost, type ByteReader, type ByteWriter, OpenError } from "../host.ts";
import type { InputKind, OutputKind } from "../program/syntax.ts";
import { Output } from "./output.ts";
import { RecordReader } from "./record_reader.ts";

const PURPOSES: Record<OutputKind, string> = { ">": "writing", ">>": "appending", "|": "writing", "|&": "writing" };

/** One name under which something is open: it may be read, written, or both. */
interface OpenInput {
  reader: RecordReader;
  kind: InputKind;
}

export class Streams {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly #outputs = new Map<string, Output>();
  readonly #inputs = new Map<string, OpenInput>();
  /** Standard input, which the main input and `getline < "-"` share. */
  readonly stdin: RecordReader;
  /** Why the last input could not be opened. */
  failure = "";

  constructor(private readonly host: AwkHost) {
    this.stdout = new Output(host.stdout, ">");
    this.stderr = new Output(host.stderr, ">");
    this.stdin = new RecordReader(host.stdin, host.bytes);
  }

  /** The output that `print > name` writes to. */
  output(kind: OutputKind, name: string): Output | Promise<Output> {
    const open = this.#outputs.get(name);
    if (open && (open.kind === kind || kind === ">" && open.kind === ">>" || kind === ">>" && open.kind === ">")) {
      return open;
    }
    if (kind === ">" || kind === ">>") {
      if (name === "/dev/stdout" || name === "/dev/fd/1" || name === "-") return this.stdout;
      if (name === "/dev/stderr" || name === "/dev/fd/2") return this.stderr;
    }
    return this.#openOutput(kind, name);
  }

  async #openOutput(kind: OutputKind, name: string): Promise<Output> {
    if (name === "") throw new AwkError(`expression for \`${kind}' redirection has null string value`);
    await this.flushAll();
    const isFile = kind === ">" || kind === ">>";
    const output = new Output(await this.#writer(kind, name), kind, isFile ? () => this.#open(name, true) : undefined);
    this.#outputs.set(name, output);
    return output;
  }

  async #writer(kind: OutputKind, name: string): Promise<ByteWriter> {
    if (kind === "|") return await this.host.openCommandInput(name);
    if (kind === "|&") {
      const { reader, writer } = await this.host.openCoprocess(name);
      this.#inputs.set(name, { reader: new RecordReader(reader, this.host.bytes), kind: "coprocess" });
      return writer;
    }
    try {
      return await this.#open(name, kind === ">>");
    } catch (error) {
      if (!(error instanceof OpenError)) throw error;
      throw new AwkError(`cannot redirect to \`${name}' for ${PURPOSES[kind]}: ${error.message}`);
    }
  }

  /** Opens a file; if there are too many already, the one that was not used for longest is closed for now. */
  async #open(name: string, append: boolean): Promise<ByteWriter> {
    for (;;) {
      try {
        return await this.host.openOutput(name, append);
      } catch (error) {
        const open = [...this.#outputs.values()].filter((output) => output.canRest);
        if (!(error instanceof OpenError) || error.code !== "EMFILE" || open.length === 0) throw error;
        await open.reduce((oldest, output) => output.used < oldest.used ? output : oldest).rest();
      }
    }
  }

  /** The input that `getline < name` or `name | getline` reads; undefined if it cannot be opened. */
  input(kind: InputKind, name: string): RecordReader | Promise<RecordReader | undefined> {
    const open = this.#inputs.get(name);
    if (open && open.kind === kind) return open.reader;
    if (kind === "file" && (name === "-" || name === "/dev/stdin" || name === "/dev/fd/0")) return this.stdin;
    return this.#openInput(kind, name);
  }

  async #openInput(kind: InputKind, name: string): Promise<RecordReader | undefined> {
    await this.flushAll();
    try {
      const reader = new RecordReader(await this.#reader(kind, name), this.host.bytes);
      this.#inputs.set(name, { reader, kind });
      return reader;
    } catch (error) {
      if (!(error instanceof OpenError)) throw error;
      this.failure = error.message;
      return undefined;
    }
  }

  async #reader(kind: InputKind, name: string): Promise<ByteReader> {
    if (kind === "file") return await this.host.openInput(name);
    if (kind === "command") return await this.host.openCommandOutput(name);
    const { reader, writer } = await this.host.openCoprocess(name);
    this.#outputs.set(name, new Output(writer, "|&"));
    return reader;
  }

  /** Sends what is written on its way. */
  async flushAll(): Promise<void> {
    await this.stdout.flush();
    await this.stderr.flush();
    for (const output of this.#outputs.values()) {
      try {
        await output.flush();
      } catch (error) {
        if (!(error instanceof BrokenPipe)) throw error;
      }
    }
  }

  /** Flushes one file or command; false if it is not open. */
  async flush(name: string): Promise<boolean> {
    const output = this.#outputs.get(name) ??
      (name === "/dev/stdout" ? this.stdout : name === "/dev/stderr" ? this.stderr : undefined);
    await output?.flush();
    return output !== undefined;
  }

  /** Closes a name; returns the exit code of a command, -1 if nothing of that name is open. */
  async close(name: string, end: "to" | "from" | "both"): Promise<number> {
    const output = end === "from" ? undefined : this.#outputs.get(name);
    const input = end === "to" ? undefined : this.#inputs.get(name);
    if (!output && !input) return -1;
    if (output) this.#outputs.delete(name);
    if (input) this.#inputs.delete(name);
    const written = output ? await output.close() : 0;
    const read = input ? await input.reader.close() : 0;
    return written !== 0 ? written : read;
  }

  /** Closes everything, in the order in which it was opened; what was printed in the meantime comes last, as gawk has it. */
  async closeAll(): Promise<void> {
    for (const name of [...this.#outputs.keys(), ...this.#inputs.keys()]) await this.close(name, "both");
    await this.stdout.flush();
    await this.stderr.flush();
  }
}
