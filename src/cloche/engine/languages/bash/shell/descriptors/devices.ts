/** /dev/null, /dev/zero, /dev/full, /dev/random, text in memory, and output that a function takes. */
import { FileError } from "../../../../fs/files.ts";
import { BaseStream } from "./base_stream.ts";

/** crypto gives no more at once. */
const RANDOM_CHUNK = 65536;

export class DeviceStream extends BaseStream {
  readonly kind = "device";

  readonly endless: string | undefined;

  constructor(private readonly device: "null" | "zero" | "full" | "random") {
    super(`/dev/${device}`);
    this.endless = device === "null" ? undefined : `/dev/${device}`;
  }

  override read(most: number): Uint8Array | undefined {
    if (this.device === "null") return undefined;
    const bytes = new Uint8Array(Math.min(most, RANDOM_CHUNK));
    return this.device === "random" ? crypto.getRandomValues(bytes) : bytes;
  }

  override unread(): void {}

  override write(): void {
    if (this.device === "full") throw new FileError("ENOSPC", this.path);
  }
}

/** Text to read: here-documents, here-strings, piped input. */
export class TextStream extends BaseStream {
  readonly kind = "file";
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {
    super(undefined);
  }

  override read(most: number): Uint8Array | undefined {
    if (this.#at >= this.bytes.length) return undefined;
    const part = this.bytes.subarray(this.#at, this.#at + most);
    this.#at += part.length;
    return part;
  }

  override unread(bytes: Uint8Array): void {
    this.#at -= bytes.length;
  }

  override seek(offset: number, from: "start" | "current" | "end"): number {
    const base = from === "start" ? 0 : from === "current" ? this.#at : this.bytes.length;
    return this.#at = Math.max(0, base + offset);
  }
}

/** Output that a function takes: the terminal, or whoever collects it. */
export class SinkStream extends BaseStream {
  constructor(readonly kind: "terminal" | "pipe" | "device", private readonly take: (bytes: Uint8Array) => void) {
    super(kind === "terminal" ? "/dev/tty" : undefined);
  }

  override write(bytes: Uint8Array): void {
    if (bytes.length > 0) this.take(bytes);
  }
}
