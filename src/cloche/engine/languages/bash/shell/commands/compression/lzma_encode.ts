/** Writes LZMA2: a hash chain finds matches, the nearest long one is taken. */
import { type Breathe, GrowingBytes } from "./bits.ts";

const HALF = 1024;
const SHORTEST = 3;
const LONGEST = 273;
/** How many earlier places are tried, by the level. */
export const TRIES = [2, 4, 6, 8, 12, 16, 24, 48, 96, 192];
const HASH_BITS = 16;
/** A chunk has at most 64 KiB of coded bytes; what does not shrink needs a little more. */
const CHUNK = 60_000;
const WINDOW = 1 << 23;

function probabilities(size: number): Uint16Array {
  return new Uint16Array(size).fill(HALF);
}

class RangeEncoder {
  readonly out = new GrowingBytes();
  #low = 0;
  #range = 0xffffffff;
  #cache = 0;
  #pending = 1;

  bit(model: Uint16Array, index: number, bit: number): void {
    const value = model[index];
    const bound = (this.#range >>> 11) * value;
    if (bit === 0) {
      this.#range = bound;
      model[index] = value + ((2048 - value) >> 5);
    } else {
      this.#low += bound;
      this.#range -= bound;
      model[index] = value - (value >> 5);
    }
    this.#normalize();
  }

  direct(value: number, bits: number): void {
    for (let i = bits - 1; i >= 0; i--) {
      this.#range >>>= 1;
      if ((value >>> i) & 1) this.#low += this.#range;
      this.#normalize();
    }
  }

  #normalize(): void {
    while (this.#range < 0x1000000) {
      this.#range = (this.#range << 8) >>> 0;
      this.#shift();
    }
  }

  #shift(): void {
    if (this.#low < 0xff000000 || this.#low > 0xffffffff) {
      const carry = this.#low > 0xffffffff ? 1 : 0;
      for (let byte = this.#cache; this.#pending > 0; this.#pending--) {
        this.out.push((byte + carry) & 255);
        byte = 255;
      }
      this.#cache = Math.floor(this.#low / 0x1000000) & 255;
    }
    this.#pending++;
    this.#low = (this.#low % 0x1000000) * 256;
  }

  finish(): Uint8Array {
    for (let i = 0; i < 5; i++) this.#shift();
    return this.out.done();
  }

  tree(model: Uint16Array, offset: number, bits: number, value: number): void {
    let symbol = 1;
    for (let i = bits - 1; i >= 0; i--) {
      const bit = (value >> i) & 1;
      this.bit(model, offset + symbol, bit);
      symbol = (symbol << 1) | bit;
    }
  }

  reverse(model: Uint16Array, offset: number, bits: number, value: number): void {
    let symbol = 1;
    for (let i = 0; i < bits; i++) {
      const bit = (value >> i) & 1;
      this.bit(model, offset + symbol, bit);
      symbol = (symbol << 1) | bit;
    }
  }
}

/** The models of one chunk; with lc=3, lp=0, pb=2. */
class ChunkEncoder {
  readonly coder = new RangeEncoder();
  #state = 0;
  readonly #literals = probabilities(0x300 * 8);
  readonly #isMatch = probabilities(12 * 16);
  readonly #isRep = probabilities(12);
  readonly #slots = probabilities(4 * 64);
  readonly #special = probabilities(115);
  readonly #align = probabilities(16);
  readonly #choice = probabilities(2);
  readonly #low = probabilities(16 * 8);
  readonly #middle = probabilities(16 * 8);
  readonly #high = probabilities(256);
  #distance = 0;

  literal(data: Uint8Array, at: number, position: number): void {
    const { coder } = this;
    coder.bit(this.#isMatch, this.#state * 16 + (position & 3), 0);
    const offset = 0x300 * ((position > 0 ? data[at - 1] : 0) >> 5);
    const byte = data[at];
    let symbol = 1;
    let bits = 7;
    if (this.#state >= 7) {
      const matched = data[at - this.#distance - 1];
      for (; bits >= 0; bits--) {
        const expected = (matched >> bits) & 1;
        const bit = (byte >> bits) & 1;
        coder.bit(this.#literals, offset + ((1 + expected) << 8) + symbol, bit);
        symbol = (symbol << 1) | bit;
        if (expected !== bit) {
          bits--;
          break;
        }
      }
    }
    for (; bits >= 0; bits--) {
      const bit = (byte >> bits) & 1;
      coder.bit(this.#literals, offset + symbol, bit);
      symbol = (symbol << 1) | bit;
    }
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  match(distance: number, length: number, position: number): void {
    const { coder } = this;
    const place = position & 3;
    coder.bit(this.#isMatch, this.#state * 16 + place, 1);
    coder.bit(this.#isRep, this.#state, 0);
    this.#state = this.#state < 7 ? 7 : 10;
    this.#writeLength(length, place);
    const value = distance - 1;
    this.#distance = value;
    const width = value < 4 ? 0 : 31 - Math.clz32(value);
    const slot = value < 4 ? value : (width << 1) | ((value >>> (width - 1)) & 1);
    coder.tree(this.#slots, Math.min(length - 2, 3) * 64, 6, slot);
    if (slot < 4) return;
    const bits = (slot >> 1) - 1;
    const base = ((2 | (slot & 1)) << bits) >>> 0;
    if (slot < 14) coder.reverse(this.#special, base - slot, bits, value - base);
    else {
      coder.direct((value - base) >>> 4, bits - 4);
      coder.reverse(this.#align, 0, 4, (value - base) & 15);
    }
  }

  #writeLength(length: number, place: number): void {
    const { coder } = this;
    if (length < 10) {
      coder.bit(this.#choice, 0, 0);
      coder.tree(this.#low, place * 8, 3, length - 2);
    } else if (length < 18) {
      coder.bit(this.#choice, 0, 1);
      coder.bit(this.#choice, 1, 0);
      coder.tree(this.#middle, place * 8, 3, length - 10);
    } else {
      coder.bit(this.#choice, 0, 1);
      coder.bit(this.#choice, 1, 1);
      coder.tree(this.#high, 0, 8, length - 18);
    }
  }
}

/** Chains of places with the same three bytes. */
export class MatchFinder {
  readonly #heads = new Int32Array(1 << HASH_BITS).fill(-1);
  readonly #links: Int32Array;

  constructor(private readonly data: Uint8Array, private readonly window: number, private readonly tries = TRIES[6]) {
    this.#links = new Int32Array(data.length);
  }

  #hash(at: number): number {
    const { data } = this;
    return Math.imul(data[at] | (data[at + 1] << 8) | (data[at + 2] << 16), 0x9e3779b1) >>> (32 - HASH_BITS);
  }

  add(at: number): void {
    if (at + SHORTEST > this.data.length) return;
    const hash = this.#hash(at);
    this.#links[at] = this.#heads[hash];
    this.#heads[hash] = at;
  }

  /** The longest match for what begins at a place; its length is 0 if there is none. */
  find(at: number, end: number): { distance: number; length: number } {
    const { data } = this;
    const best = { distance: 0, length: 0 };
    if (at + SHORTEST > end) return best;
    const most = Math.min(LONGEST, end - at);
    let candidate = this.#heads[this.#hash(at)];
    for (let tries = this.tries; tries > 0 && candidate >= 0 && at - candidate < this.window; tries--) {
      if (data[candidate + best.length] === data[at + best.length]) {
        let length = 0;
        while (length < most && data[candidate + length] === data[at + length]) length++;
        if (length > best.length && length >= SHORTEST) {
          best.distance = at - candidate;
          best.length = length;
          if (length === most) break;
        }
      }
      candidate = this.#links[candidate];
    }
    return best;
  }
}

export async function encodeLzma2(data: Uint8Array, level: number, breathe: Breathe): Promise<Uint8Array> {
  const out = new GrowingBytes();
  const finder = new MatchFinder(data, WINDOW, TRIES[level]);
  for (let at = 0; at < data.length; at += CHUNK) {
    const end = Math.min(at + CHUNK, data.length);
    writeChunk(out, encodeChunk(data, at, end, finder), data.subarray(at, end), at === 0);
    await breathe();
  }
  out.push(0);
  return out.done();
}

function encodeChunk(data: Uint8Array, start: number, end: number, finder: MatchFinder): Uint8Array {
  const encoder = new ChunkEncoder();
  for (let at = start; at < end;) {
    const { distance, length } = finder.find(at, end);
    // A short match far away costs more than its bytes.
    const useful = length >= 4 || length === 3 && distance < 2048;
    if (useful) encoder.match(distance, length, at);
    else encoder.literal(data, at, at);
    for (const next = at + (useful ? length : 1); at < next; at++) finder.add(at);
  }
  return encoder.coder.finish();
}

function writeChunk(out: GrowingBytes, coded: Uint8Array, plain: Uint8Array, first: boolean): void {
  const size = plain.length - 1;
  if (coded.length >= plain.length || coded.length > 65536) {
    for (const byte of [first ? 1 : 2, size >> 8, size & 255]) out.push(byte);
    return out.append(plain);
  }
  const packed = coded.length - 1;
  const control = 0x80 | ((first ? 3 : 2) << 5) | (size >> 16);
  for (const byte of [control, (size >> 8) & 255, size & 255, packed >> 8, packed & 255, 93]) out.push(byte);
  out.append(coded);
}
