import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { concatBytes } from "../text/bytes.ts";
import { Image, packImage } from "./image.ts";

const PAGE = 64 << 10;

function sourceOf(data: Uint8Array) {
  return { read: (into: Uint8Array, at: number) => into.set(data.subarray(at, at + into.length)) };
}

function packed(bytes: Uint8Array, notes: unknown, before?: Uint8Array): Uint8Array {
  return concatBytes(packImage(bytes, notes, before));
}

Deno.test("a memory comes out of two images as it was", () => {
  const before = new Uint8Array(2 * PAGE);
  before.set([1, 2, 3], 5000);
  before.fill(7, PAGE);
  const after = new Uint8Array(6 * PAGE);
  after.set(before);
  after[5001] = 9;
  after.fill(0, PAGE, PAGE + 8192);
  after[6 * PAGE - 1] = 4;
  const memory = new WebAssembly.Memory({ initial: 1 });
  const data = packed(before, null);
  const change = packed(after, { place: 5 }, before);
  new Image<null>(sourceOf(data)).fill(memory);
  const image = new Image<{ place: number }>(sourceOf(change));
  image.fill(memory);
  deepStrictEqual(image.notes, { place: 5 });
  deepStrictEqual(new Uint8Array(memory.buffer), after);
  ok(change.length < data.length, "only what has changed is kept");
});

Deno.test("an empty memory takes no pages", () => {
  const image = packed(new Uint8Array(4 * PAGE), null);
  strictEqual(image.length, 16 + "null".length);
});

Deno.test("what is not an image is refused", () => {
  throws(() => new Image(sourceOf(new Uint8Array(64))), /not the image of a module/);
});
