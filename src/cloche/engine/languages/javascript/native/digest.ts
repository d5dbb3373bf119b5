/** Synchronous digests: MD5, SHA-1, SHA-256, SHA-512 and those between. */

import { GuestError } from "../quickjs/vm.ts";

type Words = (data: Uint8Array) => Uint8Array;

const ALGORITHMS: Record<string, Words> = {
  md5: (data) => md5(data),
  sha1: (data) => sha1(data),
  sha224: (data) => sha256(data, Int32Array.from(constants().roots.slice(8), lower)).subarray(0, 28),
  sha256: (data) => sha256(data, Int32Array.from(constants().roots.slice(0, 8), upper)),
  sha384: (data) => sha512(data, constants().roots.slice(8)).subarray(0, 48),
  sha512: (data) => sha512(data, constants().roots.slice(0, 8)),
};

export function computeDigest(algorithm: string, data: Uint8Array): Uint8Array {
  const name = algorithm.toLowerCase().replace(/^sha-/, "sha");
  if (!Object.hasOwn(ALGORITHMS, name)) {
    throw new GuestError("Error", `Digest method not supported: ${algorithm}`, "ERR_CRYPTO_INVALID_DIGEST");
  }
  return ALGORITHMS[name](data);
}

/** The data, a 1 bit, zeros, and its length in bits, in blocks. */
function padded(data: Uint8Array, block: number, little = false): DataView {
  const lengthBytes = block / 8;
  const size = Math.ceil((data.length + 1 + lengthBytes) / block) * block;
  const all = new Uint8Array(size);
  all.set(data);
  all[data.length] = 0x80;
  const view = new DataView(all.buffer);
  view.setBigUint64(size - 8, BigInt(data.length) * 8n, little);
  return view;
}

const rotate = (value: number, count: number) => value << count | value >>> (32 - count);

const MD5_SHIFTS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
const MD5_SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));

function md5(data: Uint8Array): Uint8Array {
  const view = padded(data, 64, true);
  let [a0, b0, c0, d0] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (let at = 0; at < view.byteLength; at += 64) {
    let [a, b, c, d] = [a0, b0, c0, d0];
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const f = round === 0 ? b & c | ~b & d : round === 1 ? d & b | ~d & c : round === 2 ? b ^ c ^ d : c ^ (b | ~d);
      const g = round === 0 ? i : round === 1 ? 5 * i + 1 & 15 : round === 2 ? 3 * i + 5 & 15 : 7 * i & 15;
      const sum = a + f + MD5_SINES[i] + view.getInt32(at + 4 * g, true) | 0;
      [a, d, c, b] = [d, c, b, b + rotate(sum, MD5_SHIFTS[round][i & 3]) | 0];
    }
    [a0, b0, c0, d0] = [a0 + a | 0, b0 + b | 0, c0 + c | 0, d0 + d | 0];
  }
  const result = new DataView(new ArrayBuffer(16));
  [a0, b0, c0, d0].forEach((word, index) => result.setInt32(4 * index, word, true));
  return new Uint8Array(result.buffer);
}

function sha1(data: Uint8Array): Uint8Array {
  const view = padded(data, 64);
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const w = new Int32Array(80);
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    let [a, b, c, d, e] = state;
    for (let i = 0; i < 80; i++) {
      const f = i < 20 ? b & c | ~b & d : i < 40 || i >= 60 ? b ^ c ^ d : b & c | b & d | c & d;
      const k = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1 : i < 60 ? 0x8f1bbcdc : 0xca62c1d6;
      const sum = rotate(a, 5) + f + e + k + w[i] | 0;
      [e, d, c, b, a] = [d, c, rotate(b, 30), a, sum];
    }
    [a, b, c, d, e].forEach((word, index) => state[index] += word);
  }
  return bigEndian(state);
}

/** The first 64 bits after the point of a root, exactly. */
function rootBits(prime: number, cube: boolean): bigint {
  const scaled = BigInt(prime) << (cube ? 192n : 128n);
  let low = 0n;
  let high = 1n << 72n;
  while (high - low > 1n) {
    const middle = low + high >> 1n;
    if (middle ** (cube ? 3n : 2n) <= scaled) low = middle;
    else high = middle;
  }
  return low & 0xffffffffffffffffn;
}

interface Constants {
  k64: bigint[];
  k32: Int32Array;
  roots: bigint[];
}

let known: Constants | undefined;

/** Computed on first use, which takes milliseconds. */
function constants(): Constants {
  if (known) return known;
  const primes = Array.from({ length: 410 }, (_, index) => index + 2).filter(isPrime);
  const k64 = primes.slice(0, 80).map((prime) => rootBits(prime, true));
  const roots = primes.slice(0, 16).map((prime) => rootBits(prime, false));
  known = { k64, k32: Int32Array.from(k64.slice(0, 64), upper), roots };
  return known;
}

function isPrime(value: number): boolean {
  for (let each = 2; each * each <= value; each++) if (value % each === 0) return false;
  return true;
}

const upper = (word: bigint) => Number(word >> 32n) | 0;
const lower = (word: bigint) => Number(word & 0xffffffffn) | 0;

function sha256(data: Uint8Array, initial: Int32Array): Uint8Array {
  const view = padded(data, 64);
  const state = Int32Array.from(initial);
  const w = new Int32Array(64);
  const { k32 } = constants();
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const s0 = rotate(w[i - 15], 25) ^ rotate(w[i - 15], 14) ^ w[i - 15] >>> 3;
      const s1 = rotate(w[i - 2], 15) ^ rotate(w[i - 2], 13) ^ w[i - 2] >>> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 26) ^ rotate(e, 21) ^ rotate(e, 7);
      const one = h + s1 + (e & f ^ ~e & g) + k32[i] + w[i] | 0;
      const s0 = rotate(a, 30) ^ rotate(a, 19) ^ rotate(a, 10);
      const two = s0 + (a & b ^ a & c ^ b & c) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => state[index] += word);
  }
  return bigEndian(state);
}

const turn = (value: bigint, count: bigint) => value >> count | BigInt.asUintN(64, value << (64n - count));

function sha512(data: Uint8Array, initial: bigint[]): Uint8Array {
  const view = padded(data, 128);
  const state = BigUint64Array.from(initial);
  const w = new BigUint64Array(80);
  const { k64 } = constants();
  for (let at = 0; at < view.byteLength; at += 128) {
    for (let i = 0; i < 16; i++) w[i] = view.getBigUint64(at + 8 * i);
    for (let i = 16; i < 80; i++) {
      const s0 = turn(w[i - 15], 1n) ^ turn(w[i - 15], 8n) ^ w[i - 15] >> 7n;
      const s1 = turn(w[i - 2], 19n) ^ turn(w[i - 2], 61n) ^ w[i - 2] >> 6n;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 80; i++) {
      const s1 = turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n);
      const one = h + s1 + (e & f ^ BigInt.asUintN(64, ~e) & g) + k64[i] + w[i];
      const s0 = turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n);
      const two = s0 + (a & b ^ a & c ^ b & c);
      [h, g, f, e, d, c, b, a] = [g, f, e, BigInt.asUintN(64, d + one), c, b, a, BigInt.asUintN(64, one + two)];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => state[index] += word);
  }
  const result = new DataView(new ArrayBuffer(64));
  state.forEach((word, index) => result.setBigUint64(8 * index, word));
  return new Uint8Array(result.buffer);
}

function bigEndian(words: Int32Array): Uint8Array {
  const result = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach((word, index) => result.setInt32(4 * index, word));
  return new Uint8Array(result.buffer);
}
