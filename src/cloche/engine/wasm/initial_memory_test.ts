import { strictEqual } from "node:assert/strict";
import { emptyData, readInitialMemory, removeData } from "./initial_memory.ts";

/** (module (memory (export "memory") 1) (data (i32.const 4) "data")), with the number of its segments. */
const PROGRAM = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[5, 3, 1, 0, 1],
  ...[7, 10, 1, 6, ...new TextEncoder().encode("memory"), 2, 0],
  ...[12, 1, 1],
  ...[11, 10, 1, 0, 0x41, 4, 0x0b, 4, ...new TextEncoder().encode("data")],
);

for (const [what, lose] of [["removed", removeData], ["emptied", emptyData]] as const) {
  Deno.test(`a module whose data was ${what} starts with an empty memory`, () => {
    const read = (wasm: Uint8Array) => new TextDecoder().decode(readInitialMemory(wasm).subarray(4, 8));
    strictEqual(read(PROGRAM), "data");
    strictEqual(read(lose(PROGRAM)), "\0\0\0\0");
  });
}
