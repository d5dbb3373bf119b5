/** Hashes of passwords as in /etc/shadow: $1$, $apr1$, $5$ and $6$. */
import { joinBytes, md5, requireDigest } from "./hashes.ts";

const ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ROUNDS = 5000;

const encoder = new TextEncoder();

export function makeSalt(length: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => ALPHABET[byte & 63]).join("");
}

/** Bits from the lowest, six at a time. */
function encode(bytes: Uint8Array, groups: number[][]): string {
  let out = "";
  for (const group of groups) {
    let value = 0;
    for (const index of group) value = (value << 8) | (index < 0 ? 0 : bytes[index]);
    const known = group.filter((index) => index >= 0).length;
    const count = known === 3 ? 4 : known === 2 ? 3 : 2;
    for (let i = 0; i < count; i++) {
      out += ALPHABET[value & 63];
      value >>>= 6;
    }
  }
  return out;
}

function stretch(bytes: Uint8Array, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => bytes[i % bytes.length]);
}

const MD5_ORDER = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [-1, -1, 11]];

export function hashMd5(password: string, salt: string, magic: "1" | "apr1"): string {
  const key = encoder.encode(password);
  const salted = encoder.encode(salt.slice(0, 8));
  const second = md5(joinBytes(key, salted, key));
  const parts = [key, encoder.encode(`$${magic}$`), salted, stretch(second, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push(bits & 1 ? new Uint8Array(1) : key.subarray(0, 1));
  let hash = md5(joinBytes(...parts));
  for (let i = 0; i < 1000; i++) {
    const turn = [i & 1 ? key : hash];
    if (i % 3) turn.push(salted);
    if (i % 7) turn.push(key);
    turn.push(i & 1 ? hash : key);
    hash = md5(joinBytes(...turn));
  }
  return `$${magic}$${salt.slice(0, 8)}$${encode(hash, MD5_ORDER)}`;
}

const SHA256_ORDER = [
  ...[[0, 10, 20], [21, 1, 11], [12, 22, 2], [3, 13, 23], [24, 4, 14], [15, 25, 5]],
  ...[[6, 16, 26], [27, 7, 17], [18, 28, 8], [9, 19, 29], [-1, 31, 30]],
];
/** Three bytes at a time, whose places move round. */
const SHA512_ORDER = [
  ...Array.from({ length: 21 }, (_, i) => {
    const places = [i, i + 21, i + 42];
    return [0, 1, 2].map((k) => places[(k + i) % 3]);
  }),
  [-1, -1, 63],
];

export async function hashSha(password: string, given: string, magic: "5" | "6"): Promise<string> {
  const digest = requireDigest(magic === "5" ? "sha256" : "sha512");
  const hash = async (...parts: Uint8Array[]) => await digest.hash(joinBytes(...parts));
  const salt = given.slice(0, 16);
  const [key, salted] = [encoder.encode(password), encoder.encode(salt)];
  const second = await hash(key, salted, key);
  const parts = [key, salted, stretch(second, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push(bits & 1 ? second : key);
  let current = await hash(...parts);
  const p = stretch(await hash(...new Array<Uint8Array>(key.length).fill(key)), key.length);
  const s = stretch(await hash(...new Array<Uint8Array>(16 + current[0]).fill(salted)), salted.length);
  for (let i = 0; i < ROUNDS; i++) {
    const turn = [i & 1 ? p : current];
    if (i % 3) turn.push(s);
    if (i % 7) turn.push(p);
    turn.push(i & 1 ? current : p);
    current = await hash(...turn);
  }
  return `$${magic}$${salt}$${encode(current, magic === "5" ? SHA256_ORDER : SHA512_ORDER)}`;
}
