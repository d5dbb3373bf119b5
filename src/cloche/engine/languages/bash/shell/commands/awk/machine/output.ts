/** Text on its way to a file, a command or standard output, gathered into larger parts. */
import { BrokenPipe } from "../errors.ts";
import type { ByteWriter } from "../host.ts";
import { encodeBytes } from "./text_coding.ts";

const LARGE = 1 << 16;

/** Counts the uses of all outputs. */
let clock = 0;

export class Output {
  /** When it was last used, among all. */
  used = 0;
  #text = "";
  #writer: ByteWriter | undefined;

  /** A file that can be opened again, to add to it, may be closed in between. */
  constructor(writer: ByteWriter, readonly kind: string, private readonly reopen?: () => Promise<ByteWriter>) {
    this.#writer = writer;
    this.used = ++clock;
  }

  write(text: string): void {
    this.#text += text;
  }

  /** True if there is enough to be passed on. */
  get isFull(): boolean {
    return this.#text.length >= LARGE;
  }

  /** Passes on what is there; throws if nobody wants it. */
  flush(): void | Promise<void> {
    if (this.#text === "") return;
    const data = encodeBytes(this.#text);
    this.#text = "";
    this.used = ++clock;
    return this.#writer ? this.#write(this.#writer, data) : this.#writeAgain(data);
  }

  #write(writer: ByteWriter, data: Uint8Array): void | Promise<void> {
    if (writer.closed) throw new BrokenPipe();
    return writer.write(data);
  }

  async #writeAgain(data: Uint8Array): Promise<void> {
    this.#writer = await this.reopen?.();
    if (this.#writer) await this.#write(this.#writer, data);
  }

  /** Whether it holds a file open that could be closed for now. */
  get canRest(): boolean {
    return this.reopen !== undefined && this.#writer !== undefined;
  }

  /** Closes the file until more is written. */
  async rest(): Promise<void> {
    await this.flush();
    await this.#writer?.close();
    this.#writer = undefined;
  }

  /** Sends what is written from now on somewhere else. */
  redirect(writer: ByteWriter): void {
    this.#writer = writer;
  }

  async close(): Promise<number> {
    try {
      await this.flush();
    } catch (error) {
      if (!(error instanceof BrokenPipe)) throw error;
    }
    return await this.#writer?.close() ?? 0;
  }
}
