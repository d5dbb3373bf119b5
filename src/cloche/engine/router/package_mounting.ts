/** Gives new packages to every worker, and replies to the host when all have them. */

import type { Package } from "../fs/packages.ts";
import type { WorkerSlot } from "./worker_slot.ts";

interface Change {
  before: Package[];
  slots: WorkerSlot[];
  waiting: Set<WorkerSlot>;
  error: string | null;
}

export class PackageMounting {
  /** What workers that start from now on get. */
  packages: Package[] = [];
  readonly #changes = new Map<number, Change>();
  /** Workers that are blocked and have not received a change yet. */
  readonly #late = new Set<WorkerSlot>();

  constructor(private readonly reply: (id: number, data: unknown) => void) {}

  set(id: number, packages: Package[], slots: Iterable<WorkerSlot>): void {
    const all = [...slots];
    // A program may compute for long; it has the packages before the answer to anything that it asked for.
    const waiting = new Set(all.filter(({ process }) => process === 0));
    const change = { before: this.packages, slots: all, waiting, error: null };
    this.packages = packages;
    this.#changes.set(id, change);
    for (const slot of all) slot.post({ op: "packages", id, packages });
    for (const slot of all) if (slot.blocked) this.noteBlocked(slot);
    this.#settle(id, change);
  }

  done(id: number, slot: WorkerSlot, error: string | null): void {
    const change = this.#changes.get(id);
    if (!change?.waiting.delete(slot)) return;
    change.error ??= error;
    this.#settle(id, change);
  }

  /** Its replacement starts with the packages. */
  gone(slot: WorkerSlot): void {
    this.#late.delete(slot);
    for (const id of [...this.#changes.keys()]) this.done(id, slot, null);
  }

  /** A worker reads no messages: it may be waiting for this very change, and gets it with the answer to its request. */
  noteBlocked(slot: WorkerSlot): void {
    for (const [id, { waiting }] of [...this.#changes]) {
      if (!waiting.has(slot)) continue;
      this.#late.add(slot);
      this.done(id, slot, null);
    }
  }

  /** The packages that such a worker has missed. */
  takeMissedPackages(slot: WorkerSlot): Package[] | undefined {
    return this.#late.delete(slot) ? this.packages : undefined;
  }

  /** If one worker could not read a package, the others return to what they had. */
  #settle(id: number, { before, slots, waiting, error }: Change): void {
    if (waiting.size > 0 || !this.#changes.delete(id)) return;
    if (error !== null) {
      this.packages = before;
      for (const slot of slots) slot.post({ op: "packages", id, packages: before });
    }
    this.reply(id, error === null ? {} : { error });
  }
}
