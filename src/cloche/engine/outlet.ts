/** Output on its way out of a worker: gathered into blocks, in order, never more than the window ahead of the reader. */

import type { Stream } from "./protocol.ts";
import type { Shared } from "./shared.ts";

const BLOCK = 64 << 10;
const DELAY = 20;

export type Post = (id: number, stream: Stream, data: Uint8Array<ArrayBuffer>) => void;

export class Outlet {
  #block = new Uint8Array(BLOCK);
  #used = 0;
  #stream: Stream = "stdout";
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #run = 0;

  constructor(private readonly post: Post, private readonly shared: Shared) {}

  /** From now on output belongs to this run. */
  open(run: number): void {
    this.flush();
    this.#run = run;
  }

  write(stream: Stream, data: Uint8Array): void {
    if (stream !== this.#stream) {
      this.flush();
      this.#stream = stream;
    }
    for (let at = 0; at < data.length;) {
      const part = data.subarray(at, at + BLOCK - this.#used);
      if (this.#used === 0) this.#since = performance.now();
      this.#block.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
      if (this.#used === BLOCK || performance.now() - this.#since > DELAY) this.flush();
    }
    if (this.#used > 0) this.#timer ??= setTimeout(() => this.flush(), DELAY);
  }

  flush(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#used === 0) return;
    const data = this.#block.slice(0, this.#used);
    this.#used = 0;
    this.shared.announce(data.length);
    this.post(this.#run, this.#stream, data);
  }
}
