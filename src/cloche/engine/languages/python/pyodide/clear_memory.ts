/** Clears unused memory, so that a snapshot neither stores nor restores it. */

import type { PyodideModule } from "./types.ts";

const SMALLEST = 4096;
const LARGEST = 1 << 20;
const RED_ZONE = 4096;

/** Call it while no Python code runs. */
export function clearFreedMemory(module: PyodideModule): void {
  const { _malloc: allocate, _free: free } = module;
  clearStack(module);
  const end = sizeInUse(module);
  const taken: number[] = [];
  for (let size = LARGEST; size >= SMALLEST; size >>= 1) {
    for (let at = allocate(size); at !== 0; at = allocate(size)) {
      taken.push(at);
      // Beyond it there are only zeros, which need no clearing.
      if (at + size > end) break;
      module.HEAPU8.fill(0, at, at + size);
    }
  }
  for (const at of taken) free(at);
}

/** Below the top of the stack are remains of calls that have ended. */
function clearStack(module: PyodideModule): void {
  const top = module._emscripten_stack_get_current();
  module.HEAPU8.fill(0, module.___stack_low, top - RED_ZONE);
}

function sizeInUse(module: PyodideModule): number {
  const heap = module.HEAPU8;
  let end = heap.length;
  while (end > 0 && heap[end - 1] === 0) end--;
  return end;
}
