/** R after it has started, on disk: its memory, and what it had loaded. */

import { Image, packImage, type Source } from "../../../wasm/image.ts";
import type { Memo, RModule } from "./vm.ts";

export function packSnapshot(module: RModule, memo: Memo): Uint8Array[] {
  return packImage(module.HEAPU8, { ...memo, table: module.table().length });
}

export class Snapshot {
  readonly #image: Image<Memo>;

  constructor(source: Source) {
    this.#image = new Image(source);
  }

  get memo(): Memo {
    return this.#image.notes;
  }

  /** Loads what R had loaded, in the same order and at the same addresses, then fills the memory. */
  restore(module: RModule, used = false): void {
    this.#image.grow(module.memory());
    module.updateViews();
    for (const step of this.memo.steps) {
      if ("symbol" in step) module.findFunction(step.handle, step.symbol);
      else module.loadLibrary(step.name, step.flags, step.flags.global ? null : {}, step.handle);
    }
    if (module.table().length !== this.memo.table) throw new Error("R's snapshot does not fit its module");
    // The module's initial data may have become zero in the saved memory.
    if (used) new Uint8Array(module.memory().buffer).fill(0);
    this.#image.fill(module.memory());
    module.restoring = false;
  }
}
