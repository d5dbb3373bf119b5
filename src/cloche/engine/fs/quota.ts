/** How many bytes the guest has stored, counted by all workers together. */

import { FileError } from "./files.ts";

export class Quota {
  #used: BigInt64Array;
  /** How often this worker has each file open, by inode: their bytes stay, even when the last name is gone. */
  readonly #open = new Map<number, number>();

  constructor(shared: SharedArrayBuffer, private readonly limit: number) {
    this.#used = new BigInt64Array(shared);
  }

  /** Takes `bytes` or throws ENOSPC; a negative number gives back. */
  take(bytes: number): void {
    if (bytes === 0) return;
    const before = Number(Atomics.add(this.#used, 0, BigInt(bytes)));
    if (bytes > 0 && before + bytes > this.limit) {
      Atomics.sub(this.#used, 0, BigInt(bytes));
      throw new FileError("ENOSPC");
    }
  }

  isOpen(ino: number): boolean {
    return this.#open.has(ino);
  }

  opened(ino: number): void {
    this.#open.set(ino, (this.#open.get(ino) ?? 0) + 1);
  }

  /** Whether that was the last. */
  closed(ino: number): boolean {
    const left = (this.#open.get(ino) ?? 1) - 1;
    if (left > 0) this.#open.set(ino, left);
    else this.#open.delete(ino);
    return left === 0;
  }
}
