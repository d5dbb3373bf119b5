/** Keeps unwound stacks of Ruby that are too large for Ruby's own buffer. */

import { SCRATCH, SCRATCH_END } from "./memory_layout.ts";

/** The most bytes of all kept stacks. */
const LIMIT = 256 << 20;
/** How many values of 8 bytes are left on the stack for work between two checks. */
const ROOM = new Array<number>(32 << 10).fill(0);

export class Stacks {
  readonly #kept = new Map<number, Uint8Array>();
  #bytes = 0;

  get size(): number {
    return this.#kept.size;
  }

  /** Keeps a stack that was just unwound, under the address of its owner. */
  save(memory: WebAssembly.Memory, place: number, size: number): void {
    const end = SCRATCH + size;
    if (end > SCRATCH_END) throw new RangeError("the stack is too large");
    this.#bytes += size - (this.#kept.get(place)?.length ?? 0);
    if (this.#bytes > LIMIT) throw new RangeError("too many stacks are kept");
    this.#kept.set(place, new Uint8Array(memory.buffer).slice(SCRATCH, end));
  }

  /** Puts it back, to be rewound; it is kept, because it may be needed again. */
  restore(memory: WebAssembly.Memory, place: number, size: number): void {
    const data = this.#kept.get(place);
    if (data?.length !== size) throw new RangeError("the stack was not kept");
    new Uint8Array(memory.buffer).set(data, SCRATCH);
  }
}

/** Whether the thread's stack has room, which only a call with many arguments can show. */
export function isRoomy(): number {
  try {
    carry(...ROOM);
    return 1;
  } catch (error) {
    if (error instanceof RangeError) return 0;
    throw error;
  }
}

function carry(..._: number[]): void {}
