/** Addresses and names that the pack and the worker agree on. */

/** Where Ruby unwinds its stack to: the far end of the stack's own memory, which is never used up. */
export const SCRATCH = 64 << 10;
export const SCRATCH_END = 4 << 20;

/** Imports of Ruby that are useless here and get another use, by their names. */
export const STORE = "rb_wasm_throw_prohibit_rewind_exception";
export const ROOMY = "is-js: ";
