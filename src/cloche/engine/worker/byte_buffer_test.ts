import { deepStrictEqual, throws } from "node:assert/strict";
import { BufferFull, ByteBuffer } from "./byte_buffer.ts";

Deno.test("pieces are copied and follow each other", () => {
  const buffer = new ByteBuffer();
  const piece = Uint8Array.of(1, 2);
  buffer.add(piece);
  piece.fill(9);
  buffer.add(new Uint8Array(10_000).fill(3));
  buffer.add(Uint8Array.of(4));
  deepStrictEqual(buffer.bytes, Uint8Array.of(1, 2, ...new Uint8Array(10_000).fill(3), 4));
  deepStrictEqual(new ByteBuffer().bytes, new Uint8Array(0));
});

Deno.test("a flood is not kept", () => {
  const buffer = new ByteBuffer();
  const piece = new Uint8Array(32 << 20);
  buffer.add(piece);
  buffer.add(piece);
  throws(() => buffer.add(Uint8Array.of(1)), BufferFull);
});
