/** Digests: WebCrypto's, and the two that it does not have. */
import { CommandError } from "../tool/errors.ts";

export interface Digest {
  /** As openssl shows it. */
  title: string;
  block: number;
  hash(data: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));

/** The data with the bits that end it: one, zeros, and its length. */
function padBlocks(data: Uint8Array, bigEndian: boolean): DataView {
  const size = Math.ceil((data.length + 9) / 64) * 64;
  const padded = new Uint8Array(size);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  const [low, high] = [(data.length * 8) >>> 0, Math.floor(data.length / 2 ** 29)];
  view.setUint32(size - (bigEndian ? 4 : 8), low, !bigEndian);
  view.setUint32(size - (bigEndian ? 8 : 4), high, !bigEndian);
  return view;
}

export function md5(data: Uint8Array): Uint8Array {
  const view = padBlocks(data, false);
  let [a, b, c, d] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (let at = 0; at < view.byteLength; at += 64) {
    const start = [a, b, c, d];
    for (let i = 0; i < 64; i++) {
      const turn = i >> 4;
      const [mixed, index] = turn === 0
        ? [(b & c) | (~b & d), i]
        : turn === 1
        ? [(d & b) | (~d & c), (5 * i + 1) & 15]
        : turn === 2
        ? [b ^ c ^ d, (3 * i + 5) & 15]
        : [c ^ (b | ~d), (7 * i) & 15];
      const sum = (a + mixed + SINES[i] + view.getInt32(at + index * 4, true)) | 0;
      const shift = SHIFTS[turn * 4 + (i & 3)];
      [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
    }
    [a, b, c, d] = [(a + start[0]) | 0, (b + start[1]) | 0, (c + start[2]) | 0, (d + start[3]) | 0];
  }
  const out = new DataView(new ArrayBuffer(16));
  [a, b, c, d].forEach((word, i) => out.setInt32(i * 4, word, true));
  return new Uint8Array(out.buffer);
}

/** Fractions of the cube roots of the first primes. */
const ROOTS = Int32Array.from(primes(64), (prime) => Math.floor((Math.cbrt(prime) % 1) * 2 ** 32));
const SHA224_START = [
  ...[0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939],
  ...[0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4],
];

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}

function sha224(data: Uint8Array): Uint8Array {
  const view = padBlocks(data, true);
  const state = Int32Array.from(SHA224_START);
  const words = new Int32Array(64);
  const rotate = (value: number, bits: number) => (value >>> bits) | (value << (32 - bits));
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) words[i] = view.getInt32(at + i * 4);
      else {
        const [x, y] = [words[i - 15], words[i - 2]];
        const low = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
        const high = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
        words[i] = (words[i - 16] + low + words[i - 7] + high) | 0;
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROOTS[i] + words[i]) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => state[i] = (state[i] + word) | 0);
  }
  const out = new DataView(new ArrayBuffer(28));
  for (let i = 0; i < 7; i++) out.setInt32(i * 4, state[i]);
  return new Uint8Array(out.buffer);
}

function native(title: string, name: string, block: number): Digest {
  const hash = async (data: Uint8Array) =>
    new Uint8Array(await crypto.subtle.digest(name, data as Uint8Array<ArrayBuffer>));
  return { title, block, hash };
}

const DIGESTS: Record<string, Digest> = {
  md5: { title: "MD5", block: 64, hash: md5 },
  sha1: native("SHA1", "SHA-1", 64),
  sha224: { title: "SHA2-224", block: 64, hash: sha224 },
  sha256: native("SHA2-256", "SHA-256", 64),
  sha384: native("SHA2-384", "SHA-384", 128),
  sha512: native("SHA2-512", "SHA-512", 128),
};

/** A digest by its name, such as sha256 or SHA2-256; undefined if there is none. */
export function findDigest(name: string): Digest | undefined {
  const plain = name.toLowerCase().replace(/^sha-?2-/, "sha").replace(/^(sha|md)-/, "$1");
  return Object.hasOwn(DIGESTS, plain) ? DIGESTS[plain] : undefined;
}

export function requireDigest(name: string): Digest {
  const found = findDigest(name);
  if (!found) throw new CommandError(`Unknown option or message digest: ${name}`);
  return found;
}

export function joinBytes(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export async function hmac(digest: Digest, key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const own = new Uint8Array(digest.block);
  own.set(key.length > digest.block ? await digest.hash(key) : key);
  const inner = await digest.hash(joinBytes(own.map((byte) => byte ^ 0x36), data));
  return await digest.hash(joinBytes(own.map((byte) => byte ^ 0x5c), inner));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
