/** Named pipes: whoever opens one end waits for the other. */
import { FileError } from "../../../../fs/files.ts";
import type { Later } from "../task.ts";
import { giveWay, isTurnDue } from "../turns.ts";
import { BaseStream } from "./base_stream.ts";
import { BrokenPipe } from "./stream.ts";

/** As Linux has it. */
const CAPACITY = 65536;

/** What all that have a named pipe open share. */
export class Fifo {
  readonly chunks: Uint8Array[] = [];
  size = 0;
  /** How many have each end open now, and how often it was opened. */
  readers = 0;
  writers = 0;
  readersSeen = 0;
  writersSeen = 0;
  readonly broken = new Set<() => void>();
  #changed: PromiseWithResolvers<void> | undefined;

  open(access: { read: boolean; write: boolean }, path: string): FifoStream {
    return new FifoStream(this, access, path);
  }

  untilChanged(): Promise<void> {
    return (this.#changed ??= Promise.withResolvers<void>()).promise;
  }

  wake(): void {
    this.#changed?.resolve();
    this.#changed = undefined;
  }

  take(most: number): Uint8Array {
    const [first] = this.chunks;
    const taken = first.subarray(0, most);
    if (taken.length === first.length) this.chunks.shift();
    else this.chunks[0] = first.subarray(most);
    this.size -= taken.length;
    this.wake();
    return taken;
  }
}

class FifoStream extends BaseStream {
  readonly kind = "pipe";
  /** How often the other end had been opened before. */
  readonly #readersBefore: number;
  readonly #writersBefore: number;

  constructor(
    private readonly fifo: Fifo,
    private readonly access: { read: boolean; write: boolean },
    path: string,
  ) {
    super(path);
    this.#readersBefore = fifo.readers > 0 ? -1 : fifo.readersSeen;
    this.#writersBefore = fifo.writers > 0 ? -1 : fifo.writersSeen;
    if (access.read) {
      fifo.readers++;
      fifo.readersSeen++;
    }
    if (access.write) {
      fifo.writers++;
      fifo.writersSeen++;
    }
    fifo.wake();
  }

  get #hasReader(): boolean {
    return this.fifo.readersSeen !== this.#readersBefore;
  }

  get #hasWriter(): boolean {
    return this.fifo.writersSeen !== this.#writersBefore;
  }

  /** Waits until the other end is open. */
  opened(): Later<void> {
    if (!this.#hasReader || !this.#hasWriter) return this.#untilOpened();
  }

  async #untilOpened(): Promise<void> {
    while (!this.#hasReader || !this.#hasWriter) await this.fifo.untilChanged();
  }

  override read(most: number): Later<Uint8Array | undefined> {
    if (!this.access.read) throw new FileError("EBADF", this.path);
    if (this.fifo.size > 0) return this.fifo.take(most);
    return this.fifo.writers > 0 || !this.#hasWriter ? this.#readLater(most) : undefined;
  }

  async #readLater(most: number): Promise<Uint8Array | undefined> {
    const { fifo } = this;
    while (fifo.size === 0 && (fifo.writers > 0 || !this.#hasWriter)) await fifo.untilChanged();
    // Two that only wait for each other would let nothing else run.
    if (isTurnDue()) await giveWay();
    return fifo.size > 0 ? fifo.take(most) : undefined;
  }

  override unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.fifo.chunks.unshift(bytes);
    this.fifo.size += bytes.length;
  }

  override write(bytes: Uint8Array): Later<void> {
    const { fifo } = this;
    if (!this.access.write) throw new FileError("EBADF", this.path);
    if (!this.#hasReader) return this.#untilOpened().then(() => this.write(bytes));
    if (fifo.readers === 0) throw new BrokenPipe();
    if (bytes.length === 0) return;
    fifo.chunks.push(bytes);
    fifo.size += bytes.length;
    fifo.wake();
    if (fifo.size >= CAPACITY) return this.#untilRoom();
  }

  async #untilRoom(): Promise<void> {
    const { fifo } = this;
    while (fifo.size >= CAPACITY && fifo.readers > 0) await fifo.untilChanged();
    if (isTurnDue()) await giveWay();
    if (fifo.readers === 0) throw new BrokenPipe();
  }

  override ready(): boolean {
    return this.fifo.size > 0 || this.fifo.writers === 0 && this.#hasWriter;
  }

  override stat() {
    return { ...super.stat(), mode: 0o10600 };
  }

  override onBroken(act: () => void): () => void {
    this.fifo.broken.add(act);
    return () => this.fifo.broken.delete(act);
  }

  override close(): void {
    const { fifo } = this;
    if (this.access.write) fifo.writers--;
    if (this.access.read && --fifo.readers === 0) {
      fifo.chunks.length = fifo.size = 0;
      for (const act of [...fifo.broken]) act();
      fifo.broken.clear();
    }
    fifo.wake();
  }
}
