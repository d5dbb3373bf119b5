/** Writes replies to blocked workers into the memory that they share, in parts if they are long. */

import type { Package } from "../fs/packages.ts";
import { type BlockingReply, encodeBlockingReply } from "../worker/reply_codec.ts";
import type { WorkerSlot } from "./worker_slot.ts";

export class BlockingReplies {
  /** The rest of a reply that has not fitted yet. */
  readonly #rest = new Map<WorkerSlot, { request: number; data: Uint8Array }>();

  constructor(
    /** Packages that changed while a worker was blocked. */
    private readonly takeMissedPackages: (slot: WorkerSlot) => Package[] | undefined,
  ) {}

  /** The worker is blocked from now on. */
  begin(slot: WorkerSlot): void {
    this.#rest.delete(slot);
    slot.blocked = true;
  }

  /** A worker that is not blocked makes a system call: it may receive nothing but its answer. */
  write(slot: WorkerSlot, request: number, reply: BlockingReply): void {
    const packages = slot.blocked ? this.takeMissedPackages(slot) : undefined;
    this.#write(slot, request, encodeBlockingReply({ ...reply, packages }));
  }

  /** The worker has read a part. */
  next(slot: WorkerSlot): void {
    const rest = this.#rest.get(slot);
    if (rest) this.#write(slot, rest.request, rest.data);
  }

  /** The reply is not needed any more. */
  forget(slot: WorkerSlot): void {
    this.#rest.delete(slot);
    slot.blocked = false;
  }

  #write(slot: WorkerSlot, request: number, all: Uint8Array): void {
    const data = slot.shared.writeReply(request, all);
    if (data.length > 0) this.#rest.set(slot, { request, data });
    else this.forget(slot);
  }
}
