/** Sorts lines by their bytes, eight at a time: numbers are cheaper to order than strings. */
import type { Tool } from "../tool/tool.ts";

const DIGIT = 0x10000;
/** Fewer lines than this are compared, since the counters of digits cost more. */
const FEW = 2048;
const PREFIX = 8;
const PIECE = 262_144;

/** Lines in one block of bytes, each with its end, and their order. */
export class ByteLines {
  readonly #starts: Uint32Array;
  readonly #order: Uint32Array;
  readonly count: number;

  /** All data ends with `end`. */
  constructor(private readonly tool: Tool, private readonly data: Uint8Array, end: number) {
    let count = 0;
    let starts = new Uint32Array(Math.max(16, data.length >> 4));
    for (let at = 0; at < data.length; at = data.indexOf(end, at) + 1) {
      if (count + 1 >= starts.length) {
        const larger = new Uint32Array(starts.length * 2);
        larger.set(starts);
        starts = larger;
      }
      starts[count++] = at;
    }
    starts[count] = data.length;
    this.count = count;
    this.#starts = starts;
    this.#order = Uint32Array.from({ length: count }, (_, i) => i);
  }

  async sort(): Promise<void> {
    await this.#sortRange(0, this.count, 0);
  }

  reverse(): void {
    this.#order.reverse();
  }

  /** Lines of a range of the order agree in their first `depth` bytes. */
  async #sortRange(from: number, to: number, depth: number): Promise<void> {
    if (to - from < 2) return;
    if (to - from < FEW) {
      this.#order.subarray(from, to).sort((a, b) => this.#compare(a, b, depth));
      return;
    }
    const turn = this.tool.attend();
    if (turn instanceof Promise) await turn;
    const [high, low] = this.#sortByPrefix(from, to, depth);
    for (let start = 0, size = to - from; start < size;) {
      let stop = start + 1;
      while (stop < size && high[stop] === high[start] && low[stop] === low[start]) stop++;
      if (stop - start > 1) await this.#sortTies(from + start, from + stop, depth + PREFIX);
      start = stop;
    }
  }

  /** Lines that ended before `depth` are ordered by their lengths: what was missing counted as zero bytes. */
  async #sortTies(from: number, to: number, depth: number): Promise<void> {
    const ended = (line: number) => this.#starts[line + 1] - 1 - this.#starts[line] < depth;
    if (!this.#order.subarray(from, to).some(ended)) return await this.#sortRange(from, to, depth);
    this.#order.subarray(from, to).sort((a, b) => this.#compare(a, b, depth - PREFIX) || a - b);
  }

  /** Orders a range by the next eight bytes, digit by digit from the last; the sorted halves of those bytes. */
  #sortByPrefix(from: number, to: number, depth: number): [Uint32Array, Uint32Array] {
    const size = to - from;
    let order = this.#order.slice(from, to);
    let high = new Uint32Array(size);
    let low = new Uint32Array(size);
    for (let i = 0; i < size; i++) {
      const start = this.#starts[order[i]] + depth;
      const end = this.#starts[order[i] + 1] - 1;
      high[i] = this.#word(start, end);
      low[i] = this.#word(start + 4, end);
    }
    let [otherOrder, otherHigh, otherLow] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
    for (let pass = 0; pass < 4; pass++) {
      const keys = pass < 2 ? low : high;
      const shift = pass % 2 * 16;
      const places = countDigits(keys, shift);
      if (places === undefined) continue;
      for (let i = 0; i < size; i++) {
        const place = places[keys[i] >>> shift & 0xffff]++;
        otherOrder[place] = order[i];
        otherHigh[place] = high[i];
        otherLow[place] = low[i];
      }
      [order, otherOrder] = [otherOrder, order];
      [high, otherHigh] = [otherHigh, high];
      [low, otherLow] = [otherLow, low];
    }
    this.#order.set(order, from);
    return [high, low];
  }

  /** Four bytes as a number; what is beyond the end counts as zero. */
  #word(at: number, end: number): number {
    const { data } = this;
    if (at + 4 <= end) return (data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]) >>> 0;
    let word = 0;
    for (let i = at; i < at + 4; i++) word = word * 256 + (i < end ? data[i] : 0);
    return word;
  }

  #compare(a: number, b: number, depth: number): number {
    const { data } = this;
    let [i, j] = [this.#starts[a] + depth, this.#starts[b] + depth];
    const [endA, endB] = [this.#starts[a + 1] - 1, this.#starts[b + 1] - 1];
    while (i < endA && j < endB) {
      const difference = data[i++] - data[j++];
      if (difference !== 0) return difference;
    }
    return (endA - i) - (endB - j);
  }

  /** Gives the lines in order, in pieces; with `unique`, equal ones once. */
  *pieces(unique: boolean): Generator<Uint8Array> {
    const { data } = this;
    let piece = new Uint8Array(PIECE);
    let used = 0;
    for (let i = 0; i < this.count; i++) {
      const line = this.#order[i];
      if (unique && i > 0 && this.#compare(this.#order[i - 1], line, 0) === 0) continue;
      const start = this.#starts[line];
      const size = this.#starts[line + 1] - start;
      if (used + size > piece.length) {
        if (used > 0) yield piece.subarray(0, used);
        piece = new Uint8Array(Math.max(PIECE, size));
        used = 0;
      }
      if (size < 64) { for (let k = 0; k < size; k++) piece[used + k] = data[start + k]; }
      else piece.set(data.subarray(start, start + size), used);
      used += size;
    }
    if (used > 0) yield piece.subarray(0, used);
  }
}

/** Where the keys with each digit begin; undefined if all have the same. */
function countDigits(keys: Uint32Array, shift: number): Uint32Array | undefined {
  const counts = new Uint32Array(DIGIT);
  for (let i = 0; i < keys.length; i++) counts[keys[i] >>> shift & 0xffff]++;
  if (counts[keys[0] >>> shift & 0xffff] === keys.length) return undefined;
  let place = 0;
  for (let digit = 0; digit < DIGIT; digit++) {
    const count = counts[digit];
    counts[digit] = place;
    place += count;
  }
  return counts;
}
