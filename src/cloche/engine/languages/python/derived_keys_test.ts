import { deepStrictEqual } from "node:assert/strict";
import { type Derivation, deriveKey } from "./derived_keys.ts";

async function hexOf(wanted: Omit<Derivation, "password" | "salt">, password: string, salt: string): Promise<string> {
  const key = await deriveKey({ ...wanted, password, salt });
  return Array.from(key, (char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

Deno.test("scrypt derives what RFC 7914 says", async () => {
  const found = [
    await hexOf({ kind: "scrypt", n: 16, r: 1, p: 1, size: 64 }, "", ""),
    await hexOf({ kind: "scrypt", n: 1024, r: 8, p: 16, size: 64 }, "password", "NaCl"),
  ];
  deepStrictEqual(found, [
    "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
  ]);
});

Deno.test("PBKDF2 derives what RFC 6070 says", async () => {
  const found = await hexOf({ kind: "pbkdf2", hash: "SHA-1", iterations: 4096, size: 20 }, "password", "salt");
  deepStrictEqual(found, "4b007901b765489abead49d926f721d065a429c1");
});
