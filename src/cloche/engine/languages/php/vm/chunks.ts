/**
 * The large pieces of memory that PHP divides among its values. Each begins at a multiple of its size; asked for one by
 * one, as php-wasm does it, half of the memory between them would be lost.
 */

import type { PhpMemory } from "./memory.ts";
import type { Exports } from "./types.ts";

const CHUNK = 2 << 20;
/** Chunks that are allocated at once. */
const SLAB = 8;
/** The part of a chunk that must be zero. */
const HEAD = 4096;

export class Chunks {
  readonly #lent: Set<number>;
  readonly #free: number[];

  constructor(
    private readonly exports: Exports,
    private readonly memory: PhpMemory,
    { lent, free }: { lent: number[]; free: number[] },
  ) {
    this.#lent = new Set(lent);
    this.#free = [...free];
    const storage = exports.wasm_memory_storage_struct.value;
    memory.setWord(storage, memory.addFunction("iiii", (_, size, alignment) => this.#allocate(size, alignment)));
    memory.setWord(storage + 4, memory.addFunction("viii", (_, chunk) => this.#release(chunk)));
  }

  get state(): { lent: number[]; free: number[] } {
    return { lent: [...this.#lent], free: [...this.#free] };
  }

  #allocate(size: number, alignment: number): number {
    if (size !== CHUNK) return this.exports.emscripten_builtin_memalign(alignment, size);
    if (this.#free.length === 0 && !this.#take(SLAB) && !this.#take(1)) return 0;
    const chunk = this.#free.pop() as number;
    this.#lent.add(chunk);
    this.memory.bytes.fill(0, chunk, chunk + HEAD);
    return chunk;
  }

  #release(chunk: number): void {
    if (this.#lent.delete(chunk)) this.#free.push(chunk);
    else this.exports.free(chunk);
  }

  #take(count: number): boolean {
    const slab = this.exports.emscripten_builtin_memalign(CHUNK, count * CHUNK);
    if (slab === 0) return false;
    for (let index = count - 1; index >= 0; index--) this.#free.push(slab + index * CHUNK);
    return true;
  }
}
