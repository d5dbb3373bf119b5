/** Several files as one stream of bytes, a block at a time. */
import { FileError } from "../../../../../fs/files.ts";
import { concatBytes } from "../../../../../text/bytes.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { CHUNK } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

export class BlockReader {
  /** Where the next byte is. */
  position = 0;
  /** Whether any file could be read. */
  opened = false;
  #names: string[];
  #stream: OpenStream | undefined;
  #name = "";
  #rest: Uint8Array = new Uint8Array();

  constructor(private readonly tool: Tool, names: string[], private left = Infinity) {
    this.#names = [...names];
  }

  async #more(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (!this.#stream && !this.#open()) return undefined;
      const chunk = await this.#stream?.read(Math.min(CHUNK, Math.max(1, this.left)));
      if (chunk !== undefined) return chunk;
      this.close();
    }
  }

  /** Opens the next file that can be read. */
  #open(): boolean {
    for (let name = this.#names.shift(); name !== undefined; name = this.#names.shift()) {
      try {
        this.#stream = this.tool.open(name);
        this.#name = name;
        this.opened = true;
        return true;
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        this.tool.report(`${name}: ${reasonOf(error)}`);
      }
    }
    return false;
  }

  /** So many bytes, fewer only at the end. */
  async read(size: number): Promise<Uint8Array> {
    const wanted = Math.min(size, this.left);
    const parts: Uint8Array[] = [];
    let have = 0;
    while (have < wanted) {
      if (this.#rest.length === 0) {
        const chunk = await this.#more();
        if (chunk === undefined) break;
        this.#rest = chunk;
      }
      const part = this.#rest.subarray(0, wanted - have);
      this.#rest = this.#rest.subarray(part.length);
      have += part.length;
      parts.push(part);
    }
    this.position += have;
    this.left -= have;
    return parts.length === 1 ? parts[0] : concatBytes(parts);
  }

  /** Whether so many bytes could be left out. */
  async skip(count: number): Promise<boolean> {
    const { left } = this;
    this.left = Infinity;
    for (let rest = count; rest > 0;) {
      const { length } = await this.read(Math.min(rest, CHUNK));
      if (length === 0) return false;
      rest -= length;
    }
    this.left = left;
    return true;
  }

  close(): void {
    if (this.#name !== "-") this.#stream?.close();
    this.#stream = undefined;
  }

  /** What was read too far is given back. */
  finish(): void {
    if (this.#rest.length > 0) this.#stream?.unread(this.#rest);
    this.close();
  }
}
