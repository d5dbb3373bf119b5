/** Saves the whole memory of an idle module, and starts a new instance from it. */

import { Image, packImage, type Source } from "./image.ts";

const LARGEST = 2 ** 32 - 1;

export function packMemory(memory: WebAssembly.Memory, notes: unknown): Uint8Array[] {
  return packImage(new Uint8Array(memory.buffer), notes);
}

/** Restores a memory of the same module, and returns the notes, which come from a file that may be forged. */
export function refillMemory(memory: WebAssembly.Memory, source: Source): Record<string, unknown> {
  const image = new Image<Record<string, unknown> | null>(source);
  image.grow(memory);
  new Uint8Array(memory.buffer).fill(0);
  image.fill(memory);
  return image.notes ?? {};
}

/** An address, or another number from a module. */
export function numberOf(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LARGEST) return value;
  throw new Error("the saved memory does not fit its module");
}
