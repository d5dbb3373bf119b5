/** Unpacks deflated data, and says where it ends. */
import { BadData, GrowingBytes } from "./bits.ts";

const LENGTHS = [
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  10,
  11,
  13,
  15,
  17,
  19,
  23,
  27,
  31,
  35,
  43,
  51,
  59,
  67,
  83,
  99,
  115,
  131,
  163,
  195,
  227,
  258,
];
const DISTANCES = [
  ...[
    1,
    2,
    3,
    4,
    5,
    7,
    9,
    13,
    17,
    25,
    33,
    49,
    65,
    97,
    129,
    193,
    257,
    385,
    513,
    769,
    1025,
    1537,
    2049,
    3073,
    4097,
    6145,
  ],
  ...[8193, 12289, 16385, 24577],
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MOST_BITS = 15;

/** How many codes there are of each length, and the symbols in the order of their codes. */
interface Codes {
  counts: Uint16Array;
  symbols: Uint16Array;
}

function makeCodes(lengths: ArrayLike<number>): Codes {
  const counts = new Uint16Array(MOST_BITS + 1);
  for (let i = 0; i < lengths.length; i++) counts[lengths[i]]++;
  counts[0] = 0;
  const starts = new Uint16Array(MOST_BITS + 2);
  for (let bits = 1; bits <= MOST_BITS; bits++) starts[bits + 1] = starts[bits] + counts[bits];
  const symbols = new Uint16Array(lengths.length);
  for (let i = 0; i < lengths.length; i++) if (lengths[i] > 0) symbols[starts[lengths[i]]++] = i;
  return { counts, symbols };
}

function fixedCodes(): [Codes, Codes] {
  const lengths = Array.from({ length: 288 }, (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
  return [makeCodes(lengths), makeCodes(new Array(30).fill(5))];
}

class Inflater {
  readonly out = new GrowingBytes();
  #bits = 0;
  #held = 0;

  constructor(private readonly data: Uint8Array, public at: number) {}

  #take(count: number): number {
    while (this.#held < count) {
      if (this.at >= this.data.length) throw new BadData("unexpected end of file");
      this.#bits |= this.data[this.at++] << this.#held;
      this.#held += 8;
    }
    const value = this.#bits & ((1 << count) - 1);
    this.#bits >>>= count;
    this.#held -= count;
    return value;
  }

  #symbol({ counts, symbols }: Codes): number {
    let [code, first, index] = [0, 0, 0];
    for (let bits = 1; bits <= MOST_BITS; bits++) {
      code |= this.#take(1);
      const count = counts[bits];
      if (code - count < first) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new BadData("invalid compressed data--format violated");
  }

  /** One block; whether it was the last. */
  block(): boolean {
    const last = this.#take(1) === 1;
    const kind = this.#take(2);
    if (kind === 0) this.#stored();
    else if (kind === 1) this.#packed(...fixedCodes());
    else if (kind === 2) this.#packed(...this.#codes());
    else throw new BadData("invalid compressed data--format violated");
    return last;
  }

  #stored(): void {
    this.#bits = this.#held = 0;
    const { data, at } = this;
    const size = data[at] | data[at + 1] << 8;
    if (at + 4 + size > data.length) throw new BadData("unexpected end of file");
    this.out.append(data.subarray(at + 4, at + 4 + size));
    this.at += 4 + size;
  }

  #codes(): [Codes, Codes] {
    const [literals, distances, lengths] = [this.#take(5) + 257, this.#take(5) + 1, this.#take(4) + 4];
    const first = new Uint8Array(19);
    for (let i = 0; i < lengths; i++) first[ORDER[i]] = this.#take(3);
    const codes = makeCodes(first);
    const all: number[] = [];
    while (all.length < literals + distances) {
      const symbol = this.#symbol(codes);
      if (symbol < 16) all.push(symbol);
      else {
        const value = symbol === 16 ? all.at(-1) ?? 0 : 0;
        const count = symbol === 16 ? this.#take(2) + 3 : symbol === 17 ? this.#take(3) + 3 : this.#take(7) + 11;
        for (let i = 0; i < count; i++) all.push(value);
      }
    }
    return [makeCodes(all.slice(0, literals)), makeCodes(all.slice(literals, literals + distances))];
  }

  #packed(literals: Codes, distances: Codes): void {
    for (;;) {
      const symbol = this.#symbol(literals);
      if (symbol === 256) return;
      if (symbol < 256) {
        this.out.push(symbol);
        continue;
      }
      const place = symbol - 257;
      const extra = place < 8 || place === 28 ? 0 : (place - 4) >> 2;
      const length = LENGTHS[place] + this.#take(extra);
      const far = this.#symbol(distances);
      const distance = DISTANCES[far] + this.#take(far < 4 ? 0 : (far - 2) >> 1);
      if (!(distance <= this.out.length)) throw new BadData("invalid compressed data--format violated");
      this.out.repeat(distance, length);
    }
  }
}

/** Unpacks what begins at a place; `at` is behind its end. */
export function inflate(data: Uint8Array, start: number): { content: Uint8Array; at: number } {
  const inflater = new Inflater(data, start);
  while (!inflater.block()) { /* more follow */ }
  return { content: inflater.out.done(), at: inflater.at };
}
