/** How many bytes the guest has stored, counted by all workers together. */

import { FileError } from "./files.ts";

export class Quota {
  #used: BigInt64Array;

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
}
