/** R's memory after it has started, on disk: only pages that are not zero. */

import type { Memo, RModule } from "./machine.ts";

const PAGE = 4096;
const HEAD = 16;
const MAGIC = 0x434c4f52;

/** Where a snapshot is read from. */
export interface Source {
  read(into: Uint8Array, position: number): void;
}

/** Layout: magic, size of the memory, length of the memo, number of runs; runs as (address, length); memo; pages. */
export function packSnapshot(module: RModule, memo: Memo): Uint8Array[] {
  const heap = module.HEAPU8;
  const text = new TextEncoder().encode(
    JSON.stringify({ ...memo, table: module.table().length }),
  );
  const runs = usedRuns(heap);
  const head = new Uint32Array(HEAD / 4 + runs.length);
  head.set([MAGIC, heap.length, text.length, runs.length / 2]);
  head.set(runs, HEAD / 4);
  const pages = runs.flatMap((at, i) => i % 2 === 0 ? [heap.slice(at, at + runs[i + 1])] : []);
  return [new Uint8Array(head.buffer), text, ...pages];
}

export class Snapshot {
  readonly memo: Memo;
  readonly #size: number;
  readonly #runs: Uint32Array;
  readonly #pages: number;

  constructor(private readonly source: Source) {
    const head = new Uint32Array(HEAD / 4);
    source.read(new Uint8Array(head.buffer), 0);
    const [magic, size, length, count] = head;
    if (magic !== MAGIC) throw new Error("this is not a snapshot of R");
    this.#size = size;
    this.#runs = new Uint32Array(count * 2);
    source.read(new Uint8Array(this.#runs.buffer), HEAD);
    const text = new Uint8Array(length);
    source.read(text, HEAD + this.#runs.byteLength);
    this.memo = JSON.parse(new TextDecoder().decode(text));
    this.#pages = HEAD + this.#runs.byteLength + length;
  }

  /** Loads again what R had loaded, in the same order and to the same places, then fills the memory. */
  restore(module: RModule): void {
    const memory = module.memory();
    memory.grow((this.#size - memory.buffer.byteLength) / 65536);
    module.updateViews();
    for (const step of this.memo.steps) {
      if ("symbol" in step) module.findFunction(step.handle, step.symbol);
      else {module.loadLibrary(
          step.name,
          step.flags,
          step.flags.global ? null : {},
          step.handle,
        );}
    }
    if (module.table().length !== this.memo.table) {
      throw new Error("R's snapshot does not fit its program");
    }
    this.#fill(module.HEAPU8);
    module.restoring = false;
  }

  #fill(heap: Uint8Array): void {
    let position = this.#pages;
    for (let i = 0; i < this.#runs.length; i += 2) {
      const [at, length] = [this.#runs[i], this.#runs[i + 1]];
      this.source.read(heap.subarray(at, at + length), position);
      position += length;
    }
  }
}

function usedRuns(heap: Uint8Array): number[] {
  const words = new BigUint64Array(heap.buffer, 0, heap.length >> 3);
  const runs: number[] = [];
  for (let start = 0; start < heap.length; start += PAGE) {
    if (
      words.subarray(start >> 3, (start + PAGE) >> 3).every((word) => word === 0n)
    ) continue;
    const last = runs.length - 2;
    if (last >= 0 && runs[last] + runs[last + 1] === start) {
      runs[last + 1] += PAGE;
    } else runs.push(start, PAGE);
  }
  return runs;
}
