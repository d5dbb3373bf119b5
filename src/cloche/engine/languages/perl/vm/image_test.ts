import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type Image, readImage, restoreImage, writeImage } from "./image.ts";

const PAGE = 64 << 10;

Deno.test("a memory is restored from its difference", () => {
  const pieces: Image["pieces"] = [[8, Uint8Array.of(1, 2, 3, 4)], [
    PAGE,
    Uint8Array.of(5),
  ]];
  const image: Image = { size: 2 * PAGE, idle: 5, pending: 6, pieces };
  const read = readImage(writeImage(image));
  deepStrictEqual(read, image);
  const memory = new WebAssembly.Memory({ initial: 1 });
  new Uint8Array(memory.buffer)[7] = 9;
  restoreImage(read, memory);
  const bytes = new Uint8Array(memory.buffer);
  strictEqual(bytes.length, 2 * PAGE);
  deepStrictEqual([...bytes.subarray(7, 13), bytes[PAGE]], [
    9,
    1,
    2,
    3,
    4,
    0,
    5,
  ]);
});
