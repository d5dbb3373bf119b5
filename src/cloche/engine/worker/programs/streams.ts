/** The bytes of a program that this worker has started: what it asks for is read, and what it prints is passed on. */

import type { ExecResult, FromWorker, Stream, ToWorker } from "../../protocol.ts";

/** Where the input of a program comes from, and where its output goes. */
export interface ProgramStreams {
  /** The next bytes of its input, at most so many; null at the end. Without it the request has the input. */
  read?(most: number): Promise<Uint8Array | null> | Uint8Array | null;
  /** Takes output: the program waits while too much is not taken yet. Throws if nobody reads it any more. */
  write(stream: Stream, data: Uint8Array): Promise<void> | void;
}

/** How a program has ended. */
export type ProgramEnd = Pick<ExecResult, "exitCode" | "ended" | "signal">;

type Sent = Extract<FromWorker, { request: number }>;
type Received = Extract<ToWorker, { request: number }>;

export class RunningProgram {
  readonly #broken = new Set<Stream>();
  #writes: Promise<void> = Promise.resolve();

  constructor(
    private readonly request: number,
    private readonly streams: ProgramStreams,
    private readonly post: (message: Sent) => void,
  ) {}

  receive(message: Received): void {
    if (message.op === "credit") void this.#read(message.bytes);
    else if (message.op === "chunk") {
      const { stream = "stdout", data } = message;
      this.#writes = this.#writes.then(() => this.#write(stream, data));
    }
  }

  /** Settles when all output that came was taken. */
  get written(): Promise<void> {
    return this.#writes;
  }

  async #read(most: number): Promise<void> {
    const { request } = this;
    const data = await Promise.try(() => this.streams.read?.(most) ?? null).catch(() => null);
    this.post(data && data.length > 0 ? { op: "chunk", request, data } : { op: "end", request });
  }

  async #write(stream: Stream, data: Uint8Array): Promise<void> {
    const { request } = this;
    try {
      if (!this.#broken.has(stream)) await this.streams.write(stream, data);
    } catch {
      this.#broken.add(stream);
    }
    // Again for each piece: its worker remembers one program only.
    if (this.#broken.has(stream)) this.post({ op: "broken", request, stream });
    this.post({ op: "credit", request, bytes: data.length });
  }
}
