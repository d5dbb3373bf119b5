/** Output on its way out of a worker: in blocks, in order, never more than the window ahead of the reader. */

import type { Stream } from "../protocol.ts";
import { BLOCK_SIZE, costOfOutput, type SharedMemory } from "./shared_memory.ts";

const DELAY = 20;

export interface OutputPort {
  /** How many messages the worker has sent so far. */
  readonly sent: number;
  output(id: number, stream: Stream, block: number, data: Uint8Array<ArrayBuffer>): void;
}

export class OutputBuffer {
  #number = 0;
  #used = 0;
  #stream: Stream = "stdout";
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #run = 0;

  constructor(private readonly port: OutputPort, private readonly shared: SharedMemory) {}

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
      if (this.#used === 0) this.#begin();
      const part = data.subarray(at, at + BLOCK_SIZE - this.#used);
      this.shared.block.set(part, this.#used);
      this.#used += part.length;
      this.shared.fillBlock(this.#used);
      at += part.length;
      if (this.#used === BLOCK_SIZE || performance.now() - this.#since > DELAY) this.flush();
    }
    if (this.#used > 0) this.#timer ??= setTimeout(() => this.flush(), DELAY);
  }

  flush(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#used === 0) return;
    const data = this.shared.block.slice(0, this.#used) as Uint8Array<ArrayBuffer>;
    this.#used = 0;
    this.shared.reserveOutput(costOfOutput(data));
    this.port.output(this.#run, this.#stream, this.#number, data);
    // Not earlier: until it is sent, the main thread may have to read it.
    this.shared.fillBlock(0);
  }

  #begin(): void {
    this.#since = performance.now();
    this.#number = this.shared.beginBlock(this.#run, this.#stream, this.port.sent);
  }
}
