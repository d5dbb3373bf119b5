/** Passes requests of the workers to the host, and each reply back to the worker that asked. */

import type { FromHost, FromWorker, ToHost } from "../protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

type FromHostOp = Extract<FromHost, { request: number }>;
type FromWorkerOp = Extract<FromWorker, { request: number }>;

interface Open {
  slot: WorkerSlot;
  /** The worker's own number. */
  request: number;
}

export class RequestRelay {
  readonly #open = new Map<number, Open>();
  #last = 0;

  constructor(private readonly send: (message: ToHost) => void, private readonly limit: () => number) {}

  fromWorker(slot: WorkerSlot, message: FromWorkerOp): void {
    if (message.op === "request") return this.#begin(slot, message);
    const number = this.#numberOf(slot, message.request);
    if (number === undefined) return;
    if (message.op === "abort") this.#open.delete(number);
    this.send({ ...message, request: number });
  }

  fromHost(message: FromHostOp): void {
    const open = this.#open.get(message.request);
    if (!open) return;
    if (message.op === "end") this.#open.delete(message.request);
    open.slot.post({ ...message, request: open.request });
  }

  /** Its worker is gone. */
  forget(slot: WorkerSlot): void {
    for (const [number, open] of [...this.#open]) {
      if (open.slot !== slot) continue;
      this.#open.delete(number);
      this.send({ op: "abort", request: number });
    }
  }

  #begin(slot: WorkerSlot, message: FromWorkerOp & { op: "request" }): void {
    if (this.#open.size >= this.limit()) {
      const error = { type: "TooMany", message: `more than ${this.limit()} questions are open at once` };
      return slot.post({ op: "end", request: message.request, error });
    }
    const number = ++this.#last;
    this.#open.set(number, { slot, request: message.request });
    this.send({ ...message, request: number });
  }

  #numberOf(slot: WorkerSlot, request: number): number | undefined {
    for (const [number, open] of this.#open) if (open.slot === slot && open.request === request) return number;
    return undefined;
  }
}
