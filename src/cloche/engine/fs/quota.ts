/** Counts the bytes and files that the guest has stored, over all workers, and enforces the limits. */

import { FileError } from "./files.ts";

/** Bytes of the memory in which the workers count. */
export const QUOTA_BYTES = 16;

export class Quota {
  #used: BigInt64Array;
  /** How often this worker has each file open, by inode: its bytes count, even if its last name is gone. */
  readonly #open = new Map<number, number>();
  /** Those of them whose last name this worker has removed, or tried to. */
  readonly #unnamed = new Set<number>();

  /** `names` bounds files, folders and links: an empty one takes no bytes, but a place in the host's file system. */
  constructor(shared: SharedArrayBuffer, private readonly limit: number, private readonly names = Infinity) {
    this.#used = new BigInt64Array(shared);
  }

  /** Bytes that are stored. Those that the host has put there are not counted, and may have been removed here. */
  get bytes(): { used: number; total: number } {
    return { used: this.#read(0), total: this.limit };
  }

  /** The same for names. */
  get nameCount(): { used: number; total: number } {
    return { used: this.#read(1), total: this.names };
  }

  /** Takes `bytes` or throws ENOSPC; a negative number returns them. */
  take(bytes: number): void {
    this.#count(0, bytes, this.limit);
  }

  /** Counts a new name, or throws ENOSPC. */
  make<T>(act: () => T): T {
    this.#count(1, 1, this.names);
    try {
      return act();
    } catch (error) {
      this.removed();
      throw error;
    }
  }

  /** Counts a removed name. */
  removed(): void {
    this.#count(1, -1, this.names);
  }

  /** Whether a file that loses its last name is open, so that its bytes count until it is closed. */
  keepsOpen(ino: number): boolean {
    if (!this.#open.has(ino)) return false;
    this.#unnamed.add(ino);
    return true;
  }

  opened(ino: number): void {
    this.#open.set(ino, (this.#open.get(ino) ?? 0) + 1);
  }

  #read(which: 0 | 1): number {
    return Math.max(0, Number(Atomics.load(this.#used, which)));
  }

  #count(which: 0 | 1, more: number, limit: number): void {
    if (more === 0 || which >= this.#used.length) return;
    const before = Number(Atomics.add(this.#used, which, BigInt(more)));
    if (more > 0 && before + more > limit) {
      Atomics.sub(this.#used, which, BigInt(more));
      throw new FileError("ENOSPC");
    }
  }

  /** Returns whether that was the last, of a file that has lost its last name here meanwhile. */
  closed(ino: number): boolean {
    const left = (this.#open.get(ino) ?? 1) - 1;
    if (left > 0) this.#open.set(ino, left);
    else this.#open.delete(ino);
    return left === 0 && this.#unnamed.delete(ino);
  }
}
