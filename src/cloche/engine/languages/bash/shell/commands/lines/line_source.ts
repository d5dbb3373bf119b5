/** The lines of one input, one at a time. */
import type { OpenStream } from "../../descriptors/stream.ts";
import type { Later } from "../../task.ts";
import { LineReader } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

export class LineSource {
  #lines: string[] = [];
  #at = 0;
  readonly #reader: LineReader;

  constructor(private readonly tool: Tool, stream: OpenStream, end = 10) {
    this.#reader = new LineReader(stream, tool.coding, end);
  }

  /** The next line; undefined at the end. */
  next(): Later<string | undefined> {
    if (this.#at < this.#lines.length) return this.#lines[this.#at++];
    return this.#fill();
  }

  async #fill(): Promise<string | undefined> {
    await this.tool.out.flush();
    await this.tool.attend();
    const lines = await this.#reader.next();
    this.#lines = lines ?? [];
    this.#at = 0;
    return this.#lines[this.#at++];
  }
}
