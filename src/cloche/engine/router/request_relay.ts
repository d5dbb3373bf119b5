/** Passes requests of the workers to the host, and each reply back to the worker that asked. */

import type { FromHost, FromWorker, RequestFailure, ToHost } from "../protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

type FromHostOp = Extract<FromHost, { ask: number }>;
type FromWorkerOp = Extract<FromWorker, { ask: number }>;

interface Open {
  slot: WorkerSlot;
  ask: number;
}

/** Questions one sandbox may have open at once. */
const OPEN_LIMIT = 64;
const TOO_MANY: RequestFailure = { type: "TooMany", message: `more than ${OPEN_LIMIT} questions are open at once` };

export class RequestRelay {
  readonly #open = new Map<number, Open>();
  #last = 0;

  constructor(private readonly send: (message: ToHost) => void) {}

  fromWorker(slot: WorkerSlot, message: FromWorkerOp): void {
    if (message.op === "ask") return this.#ask(slot, message);
    const number = this.#numberOf(slot, message.ask);
    if (number === undefined) return;
    if (message.op === "drop") this.#open.delete(number);
    this.send({ ...message, ask: number });
  }

  fromHost(message: FromHostOp): void {
    const open = this.#open.get(message.ask);
    if (!open) return;
    if (message.op === "end") this.#open.delete(message.ask);
    open.slot.post({ ...message, ask: open.ask });
  }

  /** Its worker is gone. */
  forget(slot: WorkerSlot): void {
    for (const [number, open] of [...this.#open]) {
      if (open.slot !== slot) continue;
      this.#open.delete(number);
      this.send({ op: "drop", ask: number });
    }
  }

  #ask(slot: WorkerSlot, message: FromWorkerOp & { op: "ask" }): void {
    if (this.#open.size >= OPEN_LIMIT) return slot.post({ op: "end", ask: message.ask, error: TOO_MANY });
    const number = ++this.#last;
    this.#open.set(number, { slot, ask: message.ask });
    this.send({ ...message, ask: number });
  }

  #numberOf(slot: WorkerSlot, ask: number): number | undefined {
    for (const [number, open] of this.#open) if (open.slot === slot && open.ask === ask) return number;
    return undefined;
  }
}
