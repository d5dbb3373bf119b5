/** An end of a pipe in shared memory, whose other end may be in another thread. */

import type { Bell } from "../../../worker/pipes/bell.ts";
import { type PipeEnd, SharedPipe, WAIT } from "../../../worker/pipes/shared_pipe.ts";
import { BaseStream } from "../shell/descriptors/base_stream.ts";
import { BrokenPipe } from "../shell/descriptors/stream.ts";
import type { Later } from "../shell/task.ts";

const CHUNK = 65536;

export class SharedPipeStream extends BaseStream {
  readonly kind = "pipe";
  readonly #pipe: SharedPipe;
  #closed = false;

  /** Whoever started the process has counted it as a holder of this end. */
  constructor(private readonly bell: Bell, buffer: SharedArrayBuffer, private readonly end: PipeEnd) {
    super(undefined);
    this.#pipe = new SharedPipe(bell, buffer);
  }

  override read(most: number): Later<Uint8Array | undefined> {
    if (this.end !== "read") return super.read(most);
    const returned = this.takeReturned(most);
    if (returned) return returned;
    const { rings } = this.bell;
    const into = new Uint8Array(Math.min(most, CHUNK));
    const count = this.#pipe.read(into);
    if (count !== WAIT) return count === 0 ? undefined : into.subarray(0, count);
    return this.#readLater(most, rings);
  }

  async #readLater(most: number, rings: number): Promise<Uint8Array | undefined> {
    await this.bell.next(rings);
    // Its process has ended meanwhile.
    return this.#closed ? undefined : await this.read(most);
  }

  override write(bytes: Uint8Array): Later<void> {
    if (this.end !== "write") return super.write(bytes);
    for (let rest = bytes; rest.length > 0;) {
      const { rings } = this.bell;
      const count = this.#pipe.write(rest);
      if (count === 0) throw new BrokenPipe();
      if (count === WAIT) return this.#writeLater(rest, rings);
      rest = rest.subarray(count);
    }
  }

  async #writeLater(bytes: Uint8Array, rings: number): Promise<void> {
    await this.bell.next(rings);
    if (this.#closed) throw new BrokenPipe();
    await this.write(bytes);
  }

  override ready(): boolean {
    if (this.end === "write") return this.#pipe.room > 0 || this.#pipe.isClosed("read");
    return this.returned !== undefined || this.#pipe.size > 0 || this.#pipe.isClosed("write");
  }

  override onBroken(act: () => void): () => void {
    let wanted = this.end === "write";
    const watch = async () => {
      for (let { rings } = this.bell; wanted && !this.#closed; rings = this.bell.rings) {
        if (this.#pipe.isClosed("read")) return act();
        await this.bell.next(rings);
      }
    };
    void watch();
    return () => wanted = false;
  }

  override close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pipe.release(this.end);
  }
}
