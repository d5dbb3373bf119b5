/** Addresses and names that the pack and the worker agree on. */

/** Where Ruby takes its stack apart: the far end of the memory for the stack itself, which is never used up. */
export const SCRATCH = 64 << 10;
export const SCRATCH_END = 4 << 20;

/** Ways out of Ruby that lead nowhere here, and have another use: what they are called there. */
export const STORE = "rb_wasm_throw_prohibit_rewind_exception";
export const ROOMY = "is-js: ";
