/** Bytes as text and in hexadecimal. */

import { expect } from "../../../testing/expect.ts";
import { decodePart, decodeText, dumpHex, pictureType, previewOf } from "./kinds.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("text is what is UTF-8 without zeros, with its mark", () => {
  expect([decodeText(bytes("é\n")), decodeText(bytes("a\0")), decodeText(new Uint8Array([255]))], ["é\n", null, null]);
  expect(decodeText(bytes("\ufeffa"))?.length, 2);
});

Deno.test("a part drops only characters that are cut", () => {
  const all = bytes("aé😀z");
  expect(
    [decodePart(all), decodePart(all.subarray(0, 2)), decodePart(all.subarray(2, 6)), decodePart(all.subarray(4))],
    [
      "aé😀z",
      "a",
      "",
      "z",
    ],
  );
  expect(decodePart(bytes("é")), "é");
});

Deno.test("bytes are shown sixteen a line", () => {
  expect(dumpHex(bytes("0123456789abcdef\n"), 16).split("\n"), [
    "00000010  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef",
    `00000020  0a${" ".repeat(45)}  .`,
  ]);
});

Deno.test("a name says how a file may be shown", () => {
  expect([
    pictureType("a/B.PNG"),
    pictureType("toString"),
    previewOf("x.csv"),
    previewOf("README.md"),
    previewOf("a.py"),
  ], [
    "image/png",
    null,
    "table",
    "markdown",
    null,
  ]);
});
