/** Checksums of compressed files. */

export const CRC32_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let k = 0; k < 8; k++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

export function crc32(data: Uint8Array): number {
  let crc = -1;
  for (let i = 0; i < data.length; i++) crc = (crc >>> 8) ^ CRC32_TABLE[(crc ^ data[i]) & 255];
  return ~crc >>> 0;
}

/** Low and high halves of CRC-64 (ECMA), by byte. */
const CRC64 = Array.from({ length: 256 }, (_, n) => {
  let [low, high] = [n, 0];
  for (let k = 0; k < 8; k++) {
    const odd = low & 1;
    low = (low >>> 1) | (high << 31);
    high = high >>> 1;
    if (odd) {
      low ^= 0xd7870f42;
      high ^= 0xc96c5795;
    }
  }
  return [low, high];
});
const CRC64_LOW = Int32Array.from(CRC64, ([low]) => low);
const CRC64_HIGH = Int32Array.from(CRC64, ([, high]) => high);

export function crc64(data: Uint8Array): Uint8Array {
  let [low, high] = [-1, -1];
  for (let i = 0; i < data.length; i++) {
    const index = (low ^ data[i]) & 255;
    low = ((low >>> 8) | (high << 24)) ^ CRC64_LOW[index];
    high = (high >>> 8) ^ CRC64_HIGH[index];
  }
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, ~low, true);
  view.setInt32(4, ~high, true);
  return bytes;
}

const [P1, P2, P3, P4, P5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
];
const mask = (value: bigint) => BigInt.asUintN(64, value);
const rotate = (value: bigint, bits: bigint) => mask((value << bits) | (value >> (64n - bits)));
const round = (sum: bigint, word: bigint) => mask(rotate(mask(sum + word * P2), 31n) * P1);

/** The low half of xxHash64, which zstd stores. */
export function xxHash(data: Uint8Array): number {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  let at = 0;
  let hash = P5;
  if (data.length >= 32) {
    const sums = [mask(P1 + P2), P2, 0n, mask(-P1)];
    for (; at + 32 <= data.length; at += 32) {
      for (let i = 0; i < 4; i++) sums[i] = round(sums[i], view.getBigUint64(at + i * 8, true));
    }
    hash = mask(rotate(sums[0], 1n) + rotate(sums[1], 7n) + rotate(sums[2], 12n) + rotate(sums[3], 18n));
    for (const sum of sums) hash = mask((hash ^ round(0n, sum)) * P1 + P4);
  }
  hash = mask(hash + BigInt(data.length));
  for (; at + 8 <= data.length; at += 8) {
    hash = mask(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  }
  if (at + 4 <= data.length) {
    hash = mask(rotate(hash ^ mask(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < data.length; at++) hash = mask(rotate(hash ^ mask(BigInt(data[at]) * P5), 11n) * P1);
  hash = mask((hash ^ (hash >> 33n)) * P2);
  hash = mask((hash ^ (hash >> 29n)) * P3);
  return Number((hash ^ (hash >> 32n)) & 0xffffffffn);
}
