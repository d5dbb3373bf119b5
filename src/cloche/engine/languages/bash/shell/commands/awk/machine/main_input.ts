/** The main input: the files of the command line, one after another, or standard input. */
import { AwkArray } from "../data/values.ts";
import { AwkError, ExitProgram } from "../errors.ts";
import { OpenError } from "../host.ts";
import { unescapeValue } from "../program/escapes.ts";
import type { InPlace } from "./in_place.ts";
import type { Code, Machine } from "./machine.ts";
import { RecordReader } from "./record_reader.ts";

export class MainInput {
  /** The code of BEGINFILE and ENDFILE, if the program has them. */
  beginFile: Code | undefined;
  endFile: Code | undefined;
  /** What is printed goes into the files that are read. */
  inPlace: InPlace | undefined;
  #reader: RecordReader | undefined;
  #position = 0;
  #usedFile = false;
  #ended = false;

  constructor(private readonly machine: Machine) {}

  /** True once nothing is left to read. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The next record, or undefined at the end; counts it. */
  next(): string | undefined | Promise<string | undefined> {
    const record = this.#reader?.next(this.machine.state.recordRule);
    if (typeof record === "string") return this.#count(record);
    return record instanceof Promise ? this.#after(record) : this.#fromNextFile();
  }

  /** Leaves the current file. */
  async skipFile(): Promise<void> {
    if (!this.#reader) return;
    await this.#closeFile();
  }

  #count(record: string): string {
    const { state } = this.machine;
    state.recordCount++;
    state.fileRecordCount++;
    if (this.#reader) state.terminator = this.#reader.terminator;
    return record;
  }

  async #after(record: Promise<string | undefined>): Promise<string | undefined> {
    const found = await record;
    return found === undefined ? await this.#fromNextFile() : this.#count(found);
  }

  async #fromNextFile(): Promise<string | undefined> {
    while (!this.#ended) {
      if (this.#reader) await this.#closeFile();
      if (!await this.#openNext()) {
        this.#ended = true;
        break;
      }
      const record = await this.#reader?.next(this.machine.state.recordRule);
      if (record !== undefined) return this.#count(record);
    }
    return undefined;
  }

  async #closeFile(): Promise<void> {
    if (this.endFile) await this.#run(this.endFile);
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== this.machine.streams.stdin) await reader?.close();
    await this.inPlace?.end();
  }

  /** Opens the next file of ARGV; false if there is none. */
  async #openNext(): Promise<boolean> {
    const { state } = this.machine;
    for (;;) {
      const name = this.#nextArgument();
      if (name === undefined) {
        if (this.#usedFile) return false;
        this.#usedFile = true;
        await this.#begin("", this.machine.streams.stdin);
        return true;
      }
      if (name === "" || state.assign(name, unescapeValue)) continue;
      this.#usedFile = true;
      if (name === "-" || name === "/dev/stdin") {
        await this.#begin(name, this.machine.streams.stdin);
        return true;
      }
      if (await this.#open(name)) return true;
    }
  }

  #nextArgument(): string | undefined {
    const { state } = this.machine;
    const count = Number(state.textOf(state.cell("ARGC").value));
    const { map } = state.array("ARGV");
    while (++this.#position < count) {
      const value = map.get(String(this.#position));
      if (map.has(String(this.#position)) && !(value instanceof AwkArray)) return state.textOf(value);
    }
    return undefined;
  }

  async #open(name: string): Promise<boolean> {
    const { host, streams, state } = this.machine;
    try {
      const source = await host.openInput(name);
      state.cell("ERRNO").value = "";
      await this.#begin(name, new RecordReader(source, host.bytes));
      // BEGINFILE may have said nextfile.
      return this.#reader !== undefined;
    } catch (error) {
      if (!(error instanceof OpenError)) throw error;
      if (this.beginFile) {
        state.cell("ERRNO").value = error.message;
        await this.#begin(name, new RecordReader({ read: () => undefined, close: () => Promise.resolve(0) }, false));
        return this.#reader !== undefined;
      }
      if (!error.isDirectory) {
        state.fileRecordCount = 0;
        throw new AwkError(`cannot open file \`${name}' for reading: ${error.message}`);
      }
      await streams.stdout.flush();
      streams.stderr.write(`awk: warning: command line argument \`${name}' is a directory: skipped\n`);
      await streams.stderr.flush();
      return false;
    }
  }

  async #begin(name: string, reader: RecordReader): Promise<void> {
    const { state } = this.machine;
    this.#reader = reader;
    state.cell("FILENAME").value = name;
    state.fileRecordCount = 0;
    if (reader !== this.machine.streams.stdin) await this.inPlace?.begin(name);
    if (!this.beginFile) return;
    await this.#run(this.beginFile);
    if (this.machine.left === "nextfile") this.#reader = undefined;
  }

  async #run(code: Code): Promise<void> {
    await this.machine.runBetween(code);
    if (this.machine.left === "exit") throw new ExitProgram();
  }
}
