/** Keys from passwords, for Python's hashlib: PBKDF2 by the platform, scrypt on top of it. */

import { decodeLatin1, encodeLatin1 } from "../../text/bytes.ts";

export interface Derivation {
  kind: "pbkdf2" | "scrypt";
  /** One character for each byte, as in the answer. */
  password: string;
  salt: string;
  /** Bytes of the key. */
  size: number;
  hash?: string;
  iterations?: number;
  n?: number;
  r?: number;
  p?: number;
}

const SALSA_WORDS = 16;
const SALSA_ROUNDS = 8;
/** Which words of the block each quarter of a double round changes: columns first, then rows. */
const QUARTERS = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
];

export async function deriveKey(wanted: Derivation): Promise<string> {
  const [password, salt] = [encodeLatin1(wanted.password), encodeLatin1(wanted.salt)];
  const { hash = "SHA-256", iterations = 1, size, n = 2, r = 1, p = 1 } = wanted;
  if (wanted.kind === "pbkdf2") return decodeLatin1(await pbkdf2(hash, password, salt, iterations, size));
  const blocks = await pbkdf2("SHA-256", password, salt, 1, p * r * 128);
  for (let i = 0; i < p; i++) mixBlock(blocks.subarray(i * r * 128, (i + 1) * r * 128), n, r);
  return decodeLatin1(await pbkdf2("SHA-256", password, blocks, 1, size));
}

async function pbkdf2(
  hash: string,
  password: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
  size: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "PBKDF2", hash, salt, iterations }, key, size * 8));
}

/** scrypt's ROMix: fills a table with states, then goes through it in an order that they determine. */
function mixBlock(bytes: Uint8Array, n: number, r: number): void {
  const words = 32 * r;
  const state = new Uint32Array(bytes.slice().buffer);
  const table = new Uint32Array(n * words);
  const spare = new Uint32Array(words);
  for (let i = 0; i < n; i++) {
    table.set(state, i * words);
    mix(state, spare, r);
  }
  for (let i = 0; i < n; i++) {
    const from = (state[words - SALSA_WORDS] & n - 1) * words;
    for (let at = 0; at < words; at++) state[at] ^= table[from + at];
    mix(state, spare, r);
  }
  bytes.set(new Uint8Array(state.buffer));
}

/** scrypt's BlockMix: even blocks come first, odd ones after them. */
function mix(state: Uint32Array, spare: Uint32Array, r: number): void {
  const block = state.slice(-SALSA_WORDS);
  for (let i = 0; i < 2 * r; i++) {
    for (let at = 0; at < SALSA_WORDS; at++) block[at] ^= state[i * SALSA_WORDS + at];
    salsa(block);
    spare.set(block, ((i >> 1) + (i & 1) * r) * SALSA_WORDS);
  }
  state.set(spare);
}

function salsa(block: Uint32Array): void {
  const x = block.slice();
  for (let round = 0; round < SALSA_ROUNDS; round += 2) {
    for (const [a, b, c, d] of QUARTERS) {
      x[b] ^= rotate(x[a] + x[d], 7);
      x[c] ^= rotate(x[b] + x[a], 9);
      x[d] ^= rotate(x[c] + x[b], 13);
      x[a] ^= rotate(x[d] + x[c], 18);
    }
  }
  for (let at = 0; at < SALSA_WORDS; at++) block[at] += x[at];
}

function rotate(value: number, by: number): number {
  return value << by | value >>> 32 - by;
}
