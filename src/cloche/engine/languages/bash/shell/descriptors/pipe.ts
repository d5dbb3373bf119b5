/** Pipes: bytes from one stage to the next, never more than a few ahead of the reader. */
import { FileError, type Stat } from "../../../../fs/files.ts";
import type { Later } from "../task.ts";
import { giveWay, isTurnDue } from "../turns.ts";
import { BrokenPipe, type OpenStream } from "./stream.ts";

/** As Linux has it. */
const CAPACITY = 65536;

/** The two ends of a new pipe. */
export function makePipe(): { reader: OpenStream; writer: OpenStream } {
  const pipe = new Pipe();
  return { reader: new PipeReader(pipe), writer: new PipeWriter(pipe) };
}

class Pipe {
  endless: string | undefined;
  chunks: Uint8Array[] = [];
  size = 0;
  readable = true;
  writable = true;
  /** Wakes those that wait for bytes, and those that wait for room. */
  #filled: PromiseWithResolvers<void> | undefined;
  #emptied: PromiseWithResolvers<void> | undefined;
  readonly broken = new Set<() => void>();

  take(most: number): Uint8Array {
    const [first] = this.chunks;
    if (first.length <= most) this.chunks.shift();
    else this.chunks[0] = first.subarray(most);
    const taken = first.length <= most ? first : first.subarray(0, most);
    this.size -= taken.length;
    if (this.size < CAPACITY) this.wakeWriters();
    return taken;
  }

  untilFilled(): Promise<void> {
    return (this.#filled ??= Promise.withResolvers<void>()).promise;
  }

  untilEmptied(): Promise<void> {
    return (this.#emptied ??= Promise.withResolvers<void>()).promise;
  }

  wakeReaders(): void {
    this.#filled?.resolve();
    this.#filled = undefined;
  }

  wakeWriters(): void {
    this.#emptied?.resolve();
    this.#emptied = undefined;
  }
}

abstract class PipeEnd implements OpenStream {
  readonly kind = "pipe";
  readonly path = undefined;

  constructor(protected readonly pipe: Pipe) {}

  get endless(): string | undefined {
    return this.pipe.endless;
  }

  set endless(source: string | undefined) {
    this.pipe.endless = source;
  }

  read(_most: number): Later<Uint8Array | undefined> {
    throw new FileError("EBADF");
  }

  unread(_bytes: Uint8Array): void {
    throw new FileError("EBADF");
  }

  write(_bytes: Uint8Array): Later<void> {
    throw new FileError("EBADF");
  }

  ready(): boolean {
    return this.pipe.size > 0 || !this.pipe.writable;
  }

  seek(): number {
    throw new FileError("EINVAL");
  }

  stat(): Stat {
    return { kind: "other", mode: 0o10600, size: 0, mtime: 0, atime: 0, ino: 0, links: 1 };
  }

  truncate(): void {
    throw new FileError("EINVAL");
  }

  onBroken(_act: () => void): () => void {
    return () => {};
  }

  abstract close(): void;
}

class PipeReader extends PipeEnd {
  override read(most: number): Later<Uint8Array | undefined> {
    if (this.pipe.size > 0) return this.pipe.take(most);
    return this.pipe.writable ? this.#wait(most) : undefined;
  }

  async #wait(most: number): Promise<Uint8Array | undefined> {
    while (this.pipe.size === 0 && this.pipe.writable) await this.pipe.untilFilled();
    // Two that only wait for each other would let nothing else run.
    if (isTurnDue()) await giveWay();
    return this.pipe.size > 0 ? this.pipe.take(most) : undefined;
  }

  override unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.pipe.chunks.unshift(bytes);
    this.pipe.size += bytes.length;
  }

  close(): void {
    const { pipe } = this;
    pipe.readable = false;
    pipe.chunks = [];
    pipe.size = 0;
    pipe.wakeWriters();
    for (const act of [...pipe.broken]) act();
    pipe.broken.clear();
  }
}

class PipeWriter extends PipeEnd {
  override write(bytes: Uint8Array): Later<void> {
    const { pipe } = this;
    if (!pipe.readable) throw new BrokenPipe();
    if (bytes.length === 0) return;
    pipe.chunks.push(bytes);
    pipe.size += bytes.length;
    pipe.wakeReaders();
    if (pipe.size >= CAPACITY) return this.#wait();
  }

  async #wait(): Promise<void> {
    while (this.pipe.size >= CAPACITY && this.pipe.readable) await this.pipe.untilEmptied();
    if (isTurnDue()) await giveWay();
    if (!this.pipe.readable) throw new BrokenPipe();
  }

  override ready(): boolean {
    return this.pipe.size < CAPACITY;
  }

  override onBroken(act: () => void): () => void {
    if (!this.pipe.readable) {
      act();
      return () => {};
    }
    this.pipe.broken.add(act);
    return () => this.pipe.broken.delete(act);
  }

  close(): void {
    this.pipe.writable = false;
    this.pipe.wakeReaders();
  }
}
