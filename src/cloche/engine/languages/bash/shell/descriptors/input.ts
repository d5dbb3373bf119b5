/** Reading and writing for commands: lines, everything, text. What was read too far is given back. */
import { concatBytes } from "../../../../text/bytes.ts";
import { encodeText, toArray } from "../../text/byte_strings.ts";
import type { Later } from "../task.ts";
import type { OpenStream } from "./stream.ts";

const CHUNK = 65536;
/** Lines are mostly short; what follows in a file is read again by the next reader. */
const LINE_CHUNK = 4096;

export class Input {
  constructor(private readonly stream: OpenStream) {}

  read(most = CHUNK): Later<Uint8Array | undefined> {
    return this.stream.read(most);
  }

  /** A line with its end, the last one perhaps without; undefined at the end of input. */
  readLine(end = 10): Later<Uint8Array | undefined> {
    const chunk = this.stream.read(LINE_CHUNK);
    if (chunk instanceof Promise) return this.#continueLine(chunk, end, []);
    if (chunk === undefined) return undefined;
    const at = chunk.indexOf(end);
    if (at < 0) return this.#continueLine(this.stream.read(CHUNK), end, [chunk]);
    this.stream.unread(chunk.subarray(at + 1));
    return chunk.subarray(0, at + 1);
  }

  async #continueLine(
    next: Later<Uint8Array | undefined>,
    end: number,
    parts: Uint8Array[],
  ): Promise<Uint8Array | undefined> {
    for (let chunk = await next; chunk !== undefined; chunk = await this.stream.read(CHUNK)) {
      const at = chunk.indexOf(end);
      if (at < 0) {
        parts.push(chunk);
        continue;
      }
      this.stream.unread(chunk.subarray(at + 1));
      parts.push(chunk.subarray(0, at + 1));
      break;
    }
    return parts.length === 0 ? undefined : concatBytes(parts);
  }

  async *lines(end = 10): AsyncGenerator<Uint8Array> {
    for (let line = await this.readLine(end); line !== undefined; line = await this.readLine(end)) yield line;
  }

  readAll(): Later<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (;;) {
      const chunk = this.stream.read(CHUNK);
      if (chunk instanceof Promise) return this.#continueAll(chunk, parts);
      if (chunk === undefined) return parts.length === 1 ? parts[0] : concatBytes(parts);
      parts.push(chunk);
    }
  }

  async #continueAll(next: Later<Uint8Array | undefined>, parts: Uint8Array[]): Promise<Uint8Array> {
    for (let chunk = await next; chunk !== undefined; chunk = await this.stream.read(CHUNK)) parts.push(chunk);
    return concatBytes(parts);
  }
}

export class Output {
  constructor(readonly stream: OpenStream) {}

  write(data: Uint8Array | string): Later<void> {
    return this.stream.write(typeof data === "string" ? toArray(encodeText(data)) : data);
  }
}
