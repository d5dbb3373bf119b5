/** LZMA and LZMA2: range coder and dictionary. */
import { BadData, type Breathe, type GrowingBytes } from "./bits.ts";

const HALF = 1024;
const TOP = 0x1000000;
const BREATH = 1 << 18;

function probabilities(size: number): Uint16Array {
  return new Uint16Array(size).fill(HALF);
}

/** Lengths of matches: 2 to 273. */
class LengthModel {
  readonly choice = probabilities(2);
  readonly low = probabilities(16 * 8);
  readonly middle = probabilities(16 * 8);
  readonly high = probabilities(256);
}

export class LzmaDecoder {
  #data: Uint8Array = new Uint8Array();
  #at = 0;
  #range = 0;
  #code = 0;
  #state = 0;
  #reps = [0, 0, 0, 0];
  #literals = probabilities(0x300);
  #isMatch = probabilities(0);
  #isRep = probabilities(0);
  #isRepG0 = probabilities(0);
  #isRepG1 = probabilities(0);
  #isRepG2 = probabilities(0);
  #isRep0Long = probabilities(0);
  #slots = probabilities(0);
  #special = probabilities(0);
  #align = probabilities(0);
  #length = new LengthModel();
  #repLength = new LengthModel();
  #lc = 3;
  #lp = 0;
  #pb = 2;
  /** Where the dictionary begins in the output. */
  start = 0;

  constructor(private readonly out: GrowingBytes) {}

  setProperties(byte: number): void {
    if (byte >= 225) throw new BadData("Compressed data is corrupt");
    this.#lc = byte % 9;
    this.#lp = Math.floor(byte / 9) % 5;
    this.#pb = Math.floor(byte / 45);
    this.reset();
  }

  reset(): void {
    this.#state = 0;
    this.#reps = [0, 0, 0, 0];
    this.#literals = probabilities(0x300 << (this.#lc + this.#lp));
    this.#isMatch = probabilities(12 * 16);
    this.#isRep = probabilities(12);
    this.#isRepG0 = probabilities(12);
    this.#isRepG1 = probabilities(12);
    this.#isRepG2 = probabilities(12);
    this.#isRep0Long = probabilities(12 * 16);
    this.#slots = probabilities(4 * 64);
    this.#special = probabilities(115);
    this.#align = probabilities(16);
    this.#length = new LengthModel();
    this.#repLength = new LengthModel();
  }

  /** Begins to read coded bytes; returns nothing, the place is `position`. */
  open(data: Uint8Array, at: number): void {
    this.#data = data;
    this.#at = at + 1;
    this.#range = 0xffffffff;
    this.#code = 0;
    for (let i = 0; i < 4; i++) this.#code = ((this.#code << 8) | this.#next()) >>> 0;
  }

  get position(): number {
    return this.#at;
  }

  #next(): number {
    if (this.#at >= this.#data.length) throw new BadData("Unexpected end of input");
    return this.#data[this.#at++];
  }

  #normalize(): void {
    if (this.#range < TOP) {
      this.#range = (this.#range << 8) >>> 0;
      this.#code = ((this.#code << 8) | this.#next()) >>> 0;
    }
  }

  #bit(model: Uint16Array, index: number): number {
    const value = model[index];
    const bound = (this.#range >>> 11) * value;
    let bit = 0;
    if (this.#code < bound) {
      this.#range = bound;
      model[index] = value + ((2048 - value) >> 5);
    } else {
      this.#range -= bound;
      this.#code -= bound;
      model[index] = value - (value >> 5);
      bit = 1;
    }
    this.#normalize();
    return bit;
  }

  #tree(model: Uint16Array, offset: number, bits: number): number {
    let symbol = 1;
    for (let i = 0; i < bits; i++) symbol = (symbol << 1) | this.#bit(model, offset + symbol);
    return symbol - (1 << bits);
  }

  #reverse(model: Uint16Array, offset: number, bits: number): number {
    let symbol = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(model, offset + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  #direct(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit) this.#code -= this.#range;
      this.#normalize();
      value = value * 2 + bit;
    }
    return value;
  }

  /** Decodes until the output has `end` bytes; Infinity waits for the mark of the end. */
  async decode(end: number, breathe: Breathe): Promise<boolean> {
    const { out } = this;
    let pause = out.length + BREATH;
    while (out.length < end) {
      if (out.length > pause) {
        await breathe();
        pause = out.length + BREATH;
      }
      const position = (out.length - this.start) & ((1 << this.#pb) - 1);
      const state = this.#state;
      if (this.#bit(this.#isMatch, state * 16 + position) === 0) {
        this.#literal();
        continue;
      }
      const length = this.#bit(this.#isRep, state) ? this.#repeat(position) : this.#match(position);
      if (length < 0) return true;
      if (this.#reps[0] >= out.length - this.start) throw new BadData("Compressed data is corrupt");
      if (out.length + length > end) throw new BadData("Compressed data is corrupt");
      out.repeat(this.#reps[0] + 1, length);
    }
    return false;
  }

  #literal(): void {
    const { out } = this;
    const before = out.length > this.start ? out.bytes[out.length - 1] : 0;
    const place = (out.length - this.start) & ((1 << this.#lp) - 1);
    const offset = 0x300 * ((place << this.#lc) + (before >> (8 - this.#lc)));
    let symbol = 1;
    if (this.#state >= 7) {
      let matched = out.bytes[out.length - this.#reps[0] - 1];
      while (symbol < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(this.#literals, offset + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (expected !== bit) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, offset + symbol);
    out.push(symbol & 255);
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  #readLength(model: LengthModel, position: number): number {
    if (this.#bit(model.choice, 0) === 0) return this.#tree(model.low, position * 8, 3) + 2;
    if (this.#bit(model.choice, 1) === 0) return this.#tree(model.middle, position * 8, 3) + 10;
    return this.#tree(model.high, 0, 8) + 18;
  }

  #repeat(position: number): number {
    const state = this.#state;
    const reps = this.#reps;
    if (this.#bit(this.#isRepG0, state) === 0) {
      if (this.#bit(this.#isRep0Long, state * 16 + position) === 0) {
        this.#state = state < 7 ? 9 : 11;
        return 1;
      }
    } else {
      let index = 1;
      if (this.#bit(this.#isRepG1, state) === 1) index = this.#bit(this.#isRepG2, state) === 0 ? 2 : 3;
      const [distance] = reps.splice(index, 1);
      reps.unshift(distance);
    }
    this.#state = state < 7 ? 8 : 11;
    return this.#readLength(this.#repLength, position);
  }

  /** The length; -1 at the mark of the end. */
  #match(position: number): number {
    const length = this.#readLength(this.#length, position);
    this.#state = this.#state < 7 ? 7 : 10;
    const slot = this.#tree(this.#slots, Math.min(length - 2, 3) * 64, 6);
    let distance = slot;
    if (slot >= 4) {
      const bits = (slot >> 1) - 1;
      distance = (2 | (slot & 1)) * 2 ** bits;
      if (slot < 14) distance += this.#reverse(this.#special, distance - slot, bits);
      else distance += this.#direct(bits - 4) * 16 + this.#reverse(this.#align, 0, 4);
    }
    this.#reps.pop();
    this.#reps.unshift(distance);
    return distance === 0xffffffff ? -1 : length;
  }
}

/** Reads LZMA2; returns the place after it. */
export async function decodeLzma2(
  data: Uint8Array,
  from: number,
  out: GrowingBytes,
  breathe: Breathe,
): Promise<number> {
  const decoder = new LzmaDecoder(out);
  decoder.start = out.length;
  let at = from;
  for (;;) {
    if (at >= data.length) throw new BadData("Unexpected end of input");
    const control = data[at++];
    if (control === 0) return at;
    if (control === 1) decoder.start = out.length;
    if (control < 0x80) {
      if (control > 2) throw new BadData("Compressed data is corrupt");
      const size = ((data[at] << 8) | data[at + 1]) + 1;
      if (at + 2 + size > data.length) throw new BadData("Unexpected end of input");
      out.append(data.subarray(at + 2, at + 2 + size));
      at += 2 + size;
      continue;
    }
    const size = (((control & 0x1f) << 16) | (data[at] << 8) | data[at + 1]) + 1;
    const packed = ((data[at + 2] << 8) | data[at + 3]) + 1;
    at += 4;
    const reset = (control >> 5) & 3;
    if (reset === 3) decoder.start = out.length;
    if (reset >= 2) decoder.setProperties(data[at++]);
    else if (reset === 1) decoder.reset();
    decoder.open(data, at);
    await decoder.decode(out.length + size, breathe);
    at += packed;
  }
}
