import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { makeDice } from "../testing/harness_test.ts";
import { decodeLatin1, encodeLatin1 } from "./bytes.ts";

Deno.test("every byte is one character and comes back", () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  const text = decodeLatin1(all);
  strictEqual(text.length, 256);
  for (let i = 0; i < 256; i++) strictEqual(text.charCodeAt(i), i);
  deepStrictEqual(encodeLatin1(text), all);
});

Deno.test("nothing is nothing", () => {
  strictEqual(decodeLatin1(new Uint8Array(0)), "");
  strictEqual(encodeLatin1("").length, 0);
});

Deno.test("data of any length comes back, also at the borders of pieces", () => {
  const roll = makeDice(1);
  for (const length of [1, 8191, 8192, 8193, 16384, 100_000]) {
    const data = Uint8Array.from({ length }, () => roll(256));
    deepStrictEqual(encodeLatin1(decodeLatin1(data)), data);
  }
});

Deno.test("many megabytes do not overflow the stack", () => {
  strictEqual(decodeLatin1(new Uint8Array(8 << 20)).length, 8 << 20);
});

Deno.test("a view into larger memory gives only its own bytes", () => {
  const data = Uint8Array.from([1, 2, 3, 4, 5]).subarray(1, 3);
  strictEqual(decodeLatin1(data), "\x02\x03");
});

Deno.test("characters beyond a byte keep their lowest one", () => {
  deepStrictEqual(encodeLatin1("\u0141\u20ac"), new Uint8Array([0x41, 0xac]));
});
