/** Python's memory on disk: only pages that are not zero, read straight into the heap. */

import type { PyodideModule } from "./types.ts";

const MAGIC = 0x434c4f31;
const PAGE = 4096;
const HEAD = 16;
const WASM_PAGE = 65536;
const MOST_RUNS = 1 << 20;
const MOST_STATE = 1 << 26;
const DAMAGED = "the snapshot is damaged";

/** Where a snapshot is read from. */
export interface SnapshotSource {
  read(into: Uint8Array, position: number): void;
  /** Whether a guest has run in it: then nothing in it is trusted. */
  foreign?: boolean;
}

/** Layout: magic, memory size, length of the JSON state, number of runs; runs as (address, length); state; pages. */
export function packSnapshot(module: PyodideModule, serializer: (value: unknown) => unknown): Uint8Array[] {
  const state = new TextEncoder().encode(JSON.stringify(module.API.serializeHiwireState(serializer)));
  const heap = module.HEAPU8;
  const runs = usedRuns(heap);
  const head = new Uint32Array(HEAD / 4 + runs.length);
  head.set([MAGIC, heap.length, state.length, runs.length / 2]);
  head.set(runs, HEAD / 4);
  const parts = [new Uint8Array(head.buffer), state];
  for (let i = 0; i < runs.length; i += 2) parts.push(heap.slice(runs[i], runs[i] + runs[i + 1]));
  return parts;
}

export class TooLittleMemory extends Error {
  constructor(readonly needed: number) {
    super(`it needs ${needed >> 20} MB of memory`);
  }
}

/** Fills the memory and returns the state that Pyodide needs to continue from it. */
export function restoreSnapshot(module: PyodideModule, source: SnapshotSource): unknown {
  const head = new Uint32Array(HEAD / 4);
  source.read(new Uint8Array(head.buffer), 0);
  const [magic, size, stateLength, count] = head;
  if (magic !== MAGIC) throw new Error("this is not a snapshot");
  if (count > MOST_RUNS || stateLength > MOST_STATE || size % WASM_PAGE !== 0) throw new Error(DAMAGED);
  const runs = new Uint32Array(count * 2);
  source.read(new Uint8Array(runs.buffer), HEAD);
  const state = new Uint8Array(stateLength);
  source.read(state, HEAD + runs.byteLength);
  if (module.HEAPU8.length < size) module.growMemory(size);
  const heap = module.HEAPU8;
  if (heap.length < size) throw new TooLittleMemory(size);
  let position = HEAD + runs.byteLength + stateLength;
  for (let i = 0; i < runs.length; i += 2) {
    if (runs[i] + runs[i + 1] > size) throw new Error(DAMAGED);
    source.read(heap.subarray(runs[i], runs[i] + runs[i + 1]), position);
    position += runs[i + 1];
  }
  const known = JSON.parse(new TextDecoder().decode(state));
  return source.foreign ? forgetReferences(known) : known;
}

/** A memory in which a guest has run loses its references to JavaScript; only their number is kept. */
function forgetReferences({ hiwireKeys, immortalKeys }: Record<string, unknown>): unknown {
  if (!Array.isArray(hiwireKeys) || !Array.isArray(immortalKeys)) throw new Error(DAMAGED);
  return { hiwireKeys: hiwireKeys.map(() => null), immortalKeys: immortalKeys.map(String) };
}

function usedRuns(heap: Uint8Array): number[] {
  const words = new BigUint64Array(heap.buffer, 0, heap.length >> 3);
  const runs: number[] = [];
  for (let start = 0; start < heap.length; start += PAGE) {
    if (isZero(words, start >> 3, (start + PAGE) >> 3)) continue;
    const last = runs.length - 2;
    if (last >= 0 && runs[last] + runs[last + 1] === start) runs[last + 1] += PAGE;
    else runs.push(start, PAGE);
  }
  return runs;
}

function isZero(words: BigUint64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (words[i] !== 0n) return false;
  return true;
}
