import { deepStrictEqual, throws } from "node:assert/strict";
import { BufferFull, ByteBuffer } from "./byte_buffer.ts";

Deno.test("pieces are copied and follow each other", () => {
  const gather = new ByteBuffer();
  const piece = Uint8Array.of(1, 2);
  gather.add(piece);
  piece.fill(9);
  gather.add(new Uint8Array(10_000).fill(3));
  gather.add(Uint8Array.of(4));
  deepStrictEqual(gather.bytes, Uint8Array.of(1, 2, ...new Uint8Array(10_000).fill(3), 4));
  deepStrictEqual(new ByteBuffer().bytes, new Uint8Array(0));
});

Deno.test("a flood is not kept", () => {
  const gather = new ByteBuffer();
  const piece = new Uint8Array(32 << 20);
  gather.add(piece);
  gather.add(piece);
  throws(() => gather.add(Uint8Array.of(1)), BufferFull);
});
