/**
 * The large pieces of memory that PHP divides among its values. Each begins at a multiple of its size; asked for one by
 * one, as php-wasm does it, half of the memory between them would be lost.
 */

import type { PhpMemory } from "./memory.ts";
import type { Exports } from "./types.ts";

const CHUNK = 2 << 20;
/** Chunks that are taken at once. */
const SLAB = 8;
/** What of a chunk has to be zero. */
const HEAD = 4096;

export function lendChunks(exports: Exports, memory: PhpMemory): void {
  const lent = new Set<number>();
  const free: number[] = [];
  const take = (count: number): boolean => {
    const slab = exports.emscripten_builtin_memalign(CHUNK, count * CHUNK);
    if (slab === 0) return false;
    for (let index = count - 1; index >= 0; index--) free.push(slab + index * CHUNK);
    return true;
  };
  const allocate = (_: number, size: number, alignment: number): number => {
    if (size !== CHUNK) return exports.emscripten_builtin_memalign(alignment, size);
    if (free.length === 0 && !take(SLAB) && !take(1)) return 0;
    const chunk = free.pop() as number;
    lent.add(chunk);
    memory.bytes.fill(0, chunk, chunk + HEAD);
    return chunk;
  };
  const release = (_: number, chunk: number): void => {
    if (lent.delete(chunk)) free.push(chunk);
    else exports.free(chunk);
  };
  const storage = exports.wasm_memory_storage_struct.value;
  memory.setWord(storage, memory.add(3, 1, allocate));
  memory.setWord(storage + 4, memory.add(3, 0, release));
}
