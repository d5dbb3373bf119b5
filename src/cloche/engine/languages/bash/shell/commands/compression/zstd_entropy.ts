/** Entropy coding of zstd: bits read from the end, FSE and Huffman tables. */
import { BadData } from "./bits.ts";

export function corrupt(): BadData {
  return new BadData("Decoding error (36) : Data corruption detected");
}

/** Reads bits from the end of a part to its beginning. */
export class BackwardBits {
  /** Bits that are left; below zero, zeros have been read beyond the beginning. */
  left: number;

  constructor(private readonly data: Uint8Array, private readonly start: number, end: number) {
    const last = data[end - 1];
    if (end <= start || !last) throw corrupt();
    this.left = (end - start - 1) * 8 + 31 - Math.clz32(last);
  }

  /** Up to 24 bits are one step, more are several. */
  read(count: number): number {
    if (count > 24) return this.read(count - 24) * 0x1000000 + this.read(24);
    const value = this.peek(count);
    this.left -= count;
    return value;
  }

  /** The next bits, without taking them. */
  peek(count: number): number {
    const low = this.left - count;
    if (low < 0) return this.left <= 0 ? 0 : this.#bits(0, this.left) << -low;
    return this.#bits(low, count);
  }

  #bits(low: number, count: number): number {
    if (count === 0) return 0;
    const at = this.start + (low >> 3);
    const { data } = this;
    const word = data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24);
    return (word >>> (low & 7)) & ((1 << count) - 1);
  }
}

/** By state: the symbol, how many bits to read, and what to add to them for the next state. */
export interface FseTable {
  symbols: Uint8Array;
  bits: Uint8Array;
  bases: Uint16Array;
  log: number;
}

export function buildFse(counts: number[], log: number): FseTable {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const next = counts.map((count) => count === -1 ? 1 : count);
  let high = size - 1;
  counts.forEach((count, symbol) => {
    if (count === -1) symbols[high--] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  counts.forEach((count, symbol) => {
    for (let i = 0; i < count; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1); while (at > high);
    }
  });
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const value = next[symbols[state]]++;
    bits[state] = log - (31 - Math.clz32(value));
    bases[state] = (value << bits[state]) - size;
  }
  return { symbols, bits, bases, log };
}

/** A table in which one symbol is certain. */
export function certainFse(symbol: number): FseTable {
  return { symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), bases: new Uint16Array(1), log: 0 };
}

/** Reads the frequencies of a table; returns the place after them. */
export function readFse(data: Uint8Array, from: number, end: number, most: number): { table: FseTable; at: number } {
  let bit = 0;
  const take = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const place = from + ((bit + i) >> 3);
      if (place >= end) throw corrupt();
      value |= ((data[place] >> ((bit + i) & 7)) & 1) << i;
    }
    return value;
  };
  const log = take(4) + 5;
  bit += 4;
  if (log > most) throw corrupt();
  let left = (1 << log) + 1;
  const counts: number[] = [];
  while (left > 1) {
    const width = 32 - Math.clz32(left);
    const small = (1 << width) - 1 - left;
    let value: number;
    const low = take(width - 1);
    if (low < small) {
      value = low;
      bit += width - 1;
    } else {
      value = take(width);
      if (value >= 1 << (width - 1)) value -= small;
      bit += width;
    }
    const count = value - 1;
    left -= Math.abs(count);
    counts.push(count);
    if (count === 0) {
      for (let repeat = 3; repeat === 3;) {
        repeat = take(2);
        bit += 2;
        for (let i = 0; i < repeat; i++) counts.push(0);
      }
    }
    if (counts.length > 256) throw corrupt();
  }
  if (left !== 1) throw corrupt();
  return { table: buildFse(counts, log), at: from + ((bit + 7) >> 3) };
}

export interface HuffmanTable {
  symbols: Uint8Array;
  bits: Uint8Array;
  log: number;
}

/** Reads the weights of a Huffman table; returns the place after them. */
export function readHuffman(data: Uint8Array, from: number, end: number): { table: HuffmanTable; at: number } {
  const head = data[from];
  let at = from + 1;
  let weights: number[];
  if (head >= 128) {
    const count = head - 127;
    weights = Array.from({ length: count }, (_, i) => {
      const byte = data[at + (i >> 1)];
      return i & 1 ? byte & 15 : byte >> 4;
    });
    at += (count + 1) >> 1;
  } else {
    weights = readWeights(data, at, at + head);
    at += head;
  }
  if (at > end) throw corrupt();
  return { table: buildHuffman(weights), at };
}

function readWeights(data: Uint8Array, from: number, end: number): number[] {
  const { table, at } = readFse(data, from, end, 6);
  const bits = new BackwardBits(data, at, end);
  const weights: number[] = [];
  const states = [bits.read(table.log), bits.read(table.log)];
  for (let turn = 0;; turn ^= 1) {
    const state = states[turn];
    weights.push(table.symbols[state]);
    if (weights.length > 255) throw corrupt();
    const count = table.bits[state];
    if (bits.left < count) {
      weights.push(table.symbols[states[turn ^ 1]]);
      return weights;
    }
    states[turn] = table.bases[state] + bits.read(count);
  }
}

function buildHuffman(weights: number[]): HuffmanTable {
  const sum = weights.reduce((total, weight) => total + (weight > 0 ? 1 << (weight - 1) : 0), 0);
  if (sum === 0) throw corrupt();
  const log = 32 - Math.clz32(sum);
  const rest = (1 << log) - sum;
  if (log > 11 || (rest & (rest - 1)) !== 0) throw corrupt();
  const all = [...weights, 32 - Math.clz32(rest)];
  const symbols = new Uint8Array(1 << log);
  const bits = new Uint8Array(1 << log);
  let at = 0;
  for (let weight = 1; weight <= log; weight++) {
    all.forEach((own, symbol) => {
      if (own !== weight) return;
      const span = 1 << (weight - 1);
      symbols.fill(symbol, at, at + span);
      bits.fill(log + 1 - weight, at, at + span);
      at += span;
    });
  }
  return { symbols, bits, log };
}

/** Reads so many symbols from one stream. */
export function readHuffmanStream(
  table: HuffmanTable,
  data: Uint8Array,
  part: { start: number; end: number },
  into: Uint8Array,
): void {
  const bits = new BackwardBits(data, part.start, part.end);
  for (let i = 0; i < into.length; i++) {
    const index = bits.peek(table.log);
    into[i] = table.symbols[index];
    bits.left -= table.bits[index];
  }
  if (bits.left !== 0) throw corrupt();
}
