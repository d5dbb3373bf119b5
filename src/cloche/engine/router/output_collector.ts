/** Sends the output of the workers to the host, also of busy ones, whose own timers do not run. */

import type { FromWorker, Stream } from "../protocol.ts";
import { costOfOutput } from "../worker/shared_memory.ts";
import type { WorkerSlot } from "./worker_slot.ts";

/** Milliseconds between two checks of the output of busy workers. */
const LOOK_EVERY = 40;

/** Sends output to the host; settles when it is sent. */
export type SendOutput = (run: number, stream: Stream, data: Uint8Array) => Promise<void>;

export class OutputCollector {
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly slots: ReadonlyMap<unknown, WorkerSlot>,
    private readonly send: SendOutput,
    /** Called with each check; returns whether runs are active, otherwise no checks are needed. */
    private readonly looked: () => boolean,
  ) {}

  get watches(): boolean {
    return this.#watch !== undefined;
  }

  watch(): void {
    this.#watch ??= setInterval(() => this.collectAll(), LOOK_EVERY);
  }

  /** A worker has sent a block itself. */
  async take(slot: WorkerSlot, message: FromWorker & { op: "output" }): Promise<void> {
    const data = slot.takeNewPart(message);
    try {
      if (data.length > 0) await this.send(message.id, message.stream, data);
    } finally {
      slot.shared.releaseOutput(costOfOutput(message.data));
    }
  }

  collectAll(): void {
    for (const slot of this.slots.values()) this.collect(slot);
    if (this.looked()) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  collect(slot: WorkerSlot): void {
    if (slot.shared.gathering) slot.shared.requestFlush();
    const found = slot.takePendingOutput();
    if (found) void this.send(found.run, found.stream, found.data);
  }
}
