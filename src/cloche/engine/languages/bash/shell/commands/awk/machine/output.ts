/** Text on its way to a file, a command or standard output, gathered into larger parts. */
import { BrokenPipe } from "../errors.ts";
import type { ByteWriter } from "../host.ts";
import { encodeBytes } from "./text_coding.ts";

const LARGE = 1 << 16;

export class Output {
  #text = "";

  constructor(private readonly writer: ByteWriter, readonly kind: string) {}

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
    if (this.writer.closed) throw new BrokenPipe();
    return this.writer.write(data);
  }

  async close(): Promise<number> {
    try {
      await this.flush();
    } catch (error) {
      if (!(error instanceof BrokenPipe)) throw error;
    }
    return await this.writer.close();
  }
}
