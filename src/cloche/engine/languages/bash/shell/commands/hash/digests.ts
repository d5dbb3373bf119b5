/** MD5, SHA-224 and BLAKE2b, which browsers do not have. */

function rotate(value: number, bits: number): number {
  return value << bits | value >>> 32 - bits;
}

/** The data with a one bit, zeros and its length in bits, in blocks of 64 bytes. */
function pad(data: Uint8Array, littleEndian: boolean): DataView {
  const size = Math.ceil((data.length + 9) / 64) * 64;
  const all = new Uint8Array(size);
  all.set(data);
  all[data.length] = 0x80;
  const view = new DataView(all.buffer);
  const [high, low] = [Math.floor(data.length / 0x20000000), data.length << 3 >>> 0];
  view.setUint32(size - 8, littleEndian ? low : high, littleEndian);
  view.setUint32(size - 4, littleEndian ? high : low, littleEndian);
  return view;
}

const SHIFTS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
const SINES = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0);

export function md5(data: Uint8Array): Uint8Array {
  const view = pad(data, true);
  const state = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (let block = 0; block < view.byteLength; block += 64) {
    let [a, b, c, d] = state;
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const mixed = round === 0
        ? b & c | ~b & d
        : round === 1
        ? d & b | ~d & c
        : round === 2
        ? b ^ c ^ d
        : c ^ (b | ~d);
      const place = round === 0 ? i : round === 1 ? (5 * i + 1) % 16 : round === 2 ? (3 * i + 5) % 16 : 7 * i % 16;
      const sum = a + mixed + SINES[i] + view.getInt32(block + place * 4, true) | 0;
      [a, d, c, b] = [d, c, b, b + rotate(sum, SHIFTS[round][i % 4]) | 0];
    }
    state[0] = state[0] + a | 0;
    state[1] = state[1] + b | 0;
    state[2] = state[2] + c | 0;
    state[3] = state[3] + d | 0;
  }
  return wordsToBytes(state, true);
}

function wordsToBytes(words: number[], littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, i) => view.setInt32(i * 4, word, littleEndian));
  return new Uint8Array(view.buffer);
}

/** The first 32 bits of the fractions of cube roots of primes. */
const ROOTS = firstPrimes(64).map((prime) => fractionBits(prime ** (1 / 3)));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}

function fractionBits(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
}

export function sha224(data: Uint8Array): Uint8Array {
  const view = pad(data, false);
  const state = [
    0xc1059ed8,
    0x367cd507,
    0x3070dd17,
    0xf70e5939,
    0xffc00b31,
    0x68581511,
    0x64f98fa7,
    0xbefa4fa4,
  ].map((word) => word | 0);
  const words = new Int32Array(64);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const [x, y] = [words[i - 15], words[i - 2]];
      const low = rotate(x, 25) ^ rotate(x, 14) ^ x >>> 3;
      const high = rotate(y, 15) ^ rotate(y, 13) ^ y >>> 10;
      words[i] = words[i - 16] + low + words[i - 7] + high | 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const sum = h + (rotate(e, 26) ^ rotate(e, 21) ^ rotate(e, 7)) + (e & f ^ ~e & g) + ROOTS[i] + words[i] | 0;
      const other = (rotate(a, 30) ^ rotate(a, 19) ^ rotate(a, 10)) + (a & b ^ a & c ^ b & c) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, d + sum | 0, c, b, a, sum + other | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => state[i] = state[i] + word | 0);
  }
  return wordsToBytes(state, false).subarray(0, 28);
}

const BLAKE_START = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];
/** In which order each round takes the words of a block. */
const BLAKE_ORDER = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
const COLUMNS = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
const DIAGONALS = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
const BLOCK = 128;

function rotateRight(value: bigint, bits: bigint): bigint {
  return value >> bits | value << 64n - bits;
}

/** BLAKE2b of `size` bytes. */
export function blake2b(data: Uint8Array, size: number): Uint8Array {
  const state = BigUint64Array.from(BLAKE_START);
  state[0] ^= 0x01010000n ^ BigInt(size);
  const blocks = Math.max(1, Math.ceil(data.length / BLOCK));
  const block = new Uint8Array(BLOCK);
  const words = new BigUint64Array(16);
  const view = new DataView(block.buffer);
  for (let i = 0; i < blocks; i++) {
    block.fill(0);
    block.set(data.subarray(i * BLOCK, (i + 1) * BLOCK));
    for (let w = 0; w < 16; w++) words[w] = view.getBigUint64(w * 8, true);
    const isLast = i === blocks - 1;
    compress(state, words, BigInt(isLast ? data.length : (i + 1) * BLOCK), isLast);
  }
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((word, i) => out.setBigUint64(i * 8, word, true));
  return new Uint8Array(out.buffer).subarray(0, size);
}

function compress(state: BigUint64Array, words: BigUint64Array, count: bigint, isLast: boolean): void {
  const v = new BigUint64Array(16);
  v.set(state);
  v.set(BLAKE_START, 8);
  v[12] ^= count;
  if (isLast) v[14] = ~v[14];
  for (let round = 0; round < 12; round++) {
    const order = BLAKE_ORDER[round % 10];
    [...COLUMNS, ...DIAGONALS].forEach(([a, b, c, d], i) => {
      v[a] += v[b] + words[order[2 * i]];
      v[d] = rotateRight(v[d] ^ v[a], 32n);
      v[c] += v[d];
      v[b] = rotateRight(v[b] ^ v[c], 24n);
      v[a] += v[b] + words[order[2 * i + 1]];
      v[d] = rotateRight(v[d] ^ v[a], 16n);
      v[c] += v[d];
      v[b] = rotateRight(v[b] ^ v[c], 63n);
    });
  }
  for (let i = 0; i < 8; i++) state[i] ^= v[i] ^ v[i + 8];
}
