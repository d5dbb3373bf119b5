/** An open file with its position. */
import { FileError, type OpenFile, type Stat } from "../../../../fs/files.ts";
import { BaseStream } from "./base_stream.ts";

interface Access {
  read: boolean;
  write: boolean;
  append?: boolean;
}

/** Reads go here first: most are shorter than what was asked for. */
const scratch = new Uint8Array(65536);

export class FileStream extends BaseStream {
  readonly kind = "file";
  #position = 0;
  readonly #atEnd: (() => void)[] = [];

  constructor(private readonly file: OpenFile, private readonly access: Access, path: string) {
    super(path);
  }

  override read(most: number): Uint8Array | undefined {
    if (!this.access.read) throw new FileError("EBADF", this.path);
    const bytes = most > scratch.length ? new Uint8Array(most) : scratch.subarray(0, most);
    const count = this.file.read(bytes, this.#position);
    this.#position += count;
    if (count === 0) return undefined;
    return bytes.buffer === scratch.buffer ? bytes.slice(0, count) : bytes.subarray(0, count);
  }

  /** A file is not changed by reading: the position goes back. */
  override unread(bytes: Uint8Array): void {
    this.#position -= bytes.length;
  }

  override write(bytes: Uint8Array): void {
    if (!this.access.write) throw new FileError("EBADF", this.path);
    if (this.access.append) this.#position = this.file.stat().size;
    for (let done = 0; done < bytes.length;) {
      const count = this.file.write(bytes.subarray(done), this.#position);
      if (count === 0) throw new FileError("EIO", this.path);
      done += count;
      this.#position += count;
    }
  }

  override seek(offset: number, from: "start" | "current" | "end"): number {
    const base = from === "start" ? 0 : from === "current" ? this.#position : this.file.stat().size;
    if (base + offset < 0) throw new FileError("EINVAL", this.path);
    return this.#position = base + offset;
  }

  override stat(): Stat {
    return this.file.stat();
  }

  override truncate(size: number): void {
    this.file.truncate(size);
  }

  onClosed(act: () => void): void {
    this.#atEnd.push(act);
  }

  override close(): void {
    this.file.close();
    for (const act of this.#atEnd.splice(0)) act();
  }
}
