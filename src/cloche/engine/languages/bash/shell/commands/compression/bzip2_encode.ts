/** Writes bzip2. */
import { type Breathe, GrowingBytes } from "./bits.ts";
import { CRC_TABLE } from "./bzip2_decode.ts";
import { limitedLengths } from "./code_lengths.ts";
import { sortRotations } from "./rotations.ts";

const GROUP = 50;
const LONGEST = 17;

class BitWriter {
  readonly out = new GrowingBytes();
  #value = 0;
  #count = 0;

  bits(value: number, count: number): void {
    for (let left = count; left > 0;) {
      const take = Math.min(left, 8 - this.#count);
      const part = Math.floor(value / 2 ** (left - take)) & ((1 << take) - 1);
      this.#value = (this.#value << take) | part;
      this.#count += take;
      left -= take;
      if (this.#count === 8) {
        this.out.push(this.#value);
        this.#value = this.#count = 0;
      }
    }
  }

  finish(): Uint8Array {
    if (this.#count > 0) this.bits(0, 8 - this.#count);
    return this.out.done();
  }
}

export async function encodeBzip2(data: Uint8Array, level: number, breathe: Breathe): Promise<Uint8Array> {
  const writer = new BitWriter();
  writer.out.append(new TextEncoder().encode(`BZh${level}`));
  const most = level * 100_000 - 19;
  let combined = 0;
  for (let at = 0; at < data.length;) {
    const block = takeBlock(data, at, most);
    combined = ((combined << 1) | (combined >>> 31)) ^ block.crc;
    await writeBlock(writer, block.bytes, block.crc, breathe);
    at = block.end;
    await breathe();
  }
  writer.bits(0x177245, 24);
  writer.bits(0x385090, 24);
  writer.bits(combined >>> 0, 32);
  return writer.finish();
}

/** Runs of four and more get a count. */
function takeBlock(data: Uint8Array, start: number, most: number) {
  const out = new GrowingBytes();
  let crc = -1;
  let at = start;
  while (at < data.length && out.length < most) {
    const byte = data[at];
    let run = 1;
    while (run < 255 && at + run < data.length && data[at + run] === byte) run++;
    for (let i = 0; i < run; i++) crc = (crc << 8) ^ CRC_TABLE[((crc >>> 24) ^ byte) & 255];
    for (let i = 0; i < Math.min(run, 4); i++) out.push(byte);
    if (run >= 4) out.push(run - 4);
    at += run;
  }
  return { bytes: out.done(), crc: ~crc, end: at };
}

async function writeBlock(writer: BitWriter, block: Uint8Array, crc: number, breathe: Breathe): Promise<void> {
  const { last, origin } = await sortRotations(block, breathe);
  writer.bits(0x314159, 24);
  writer.bits(0x265359, 24);
  writer.bits(crc >>> 0, 32);
  writer.bits(0, 1);
  writer.bits(origin, 24);
  const used = [...new Set(block)].sort((a, b) => a - b);
  writeUsed(writer, used);
  writeCodes(writer, moveToFront(last, used), used.length + 2);
}

function writeUsed(writer: BitWriter, used: number[]): void {
  const has = new Set(used);
  const ranges = Array.from({ length: 16 }, (_, i) => used.some((byte) => byte >> 4 === i));
  for (const range of ranges) writer.bits(range ? 1 : 0, 1);
  ranges.forEach((range, i) => {
    if (range) { for (let k = 0; k < 16; k++) writer.bits(has.has(i * 16 + k) ? 1 : 0, 1); }
  });
}

/** Places in a list of the latest bytes; runs of the first as numbers in base two. */
function moveToFront(last: Uint8Array, used: number[]): Uint16Array {
  const order = Uint8Array.from(used);
  const symbols = new Uint16Array(last.length * 2 + 2);
  let count = 0;
  let run = 0;
  const flush = () => {
    for (let left = run; left > 0; left = (left - 1 - ((left - 1) & 1)) >> 1) symbols[count++] = (left - 1) & 1;
    run = 0;
  };
  for (const byte of last) {
    if (order[0] === byte) {
      run++;
      continue;
    }
    flush();
    const place = order.indexOf(byte);
    order.copyWithin(1, 0, place);
    order[0] = byte;
    symbols[count++] = place + 1;
  }
  flush();
  symbols[count++] = used.length + 1;
  return symbols.subarray(0, count);
}

/** Several tables, improved by turns: each group of fifty takes the one that is shortest for it. */
function writeCodes(writer: BitWriter, symbols: Uint16Array, size: number): void {
  const tables = symbols.length < 200
    ? 2
    : symbols.length < 600
    ? 3
    : symbols.length < 1200
    ? 4
    : symbols.length < 2400
    ? 5
    : 6;
  const groups = Math.ceil(symbols.length / GROUP);
  let lengths: number[][] = Array.from({ length: tables }, (_, t) => {
    const [from, to] = [Math.floor(size * t / tables), Math.floor(size * (t + 1) / tables)];
    return Array.from({ length: size }, (_, i) => i >= from && i < to ? 1 : 15);
  });
  const selectors = new Uint8Array(groups);
  for (let turn = 0; turn < 4; turn++) {
    const counts = lengths.map(() => new Array<number>(size).fill(0));
    for (let group = 0; group < groups; group++) {
      const part = symbols.subarray(group * GROUP, (group + 1) * GROUP);
      const costs = lengths.map((table) => part.reduce((sum, symbol) => sum + table[symbol], 0));
      const best = costs.indexOf(Math.min(...costs));
      selectors[group] = best;
      for (const symbol of part) counts[best][symbol]++;
    }
    lengths = counts.map((table) => limitedLengths(table.map((value) => Math.max(1, value * 16)), LONGEST));
  }
  writeTables(writer, lengths, selectors);
  const codes = lengths.map(canonicalCodes);
  symbols.forEach((symbol, i) => {
    const table = selectors[Math.floor(i / GROUP)];
    writer.bits(codes[table][symbol], lengths[table][symbol]);
  });
}

function writeTables(writer: BitWriter, lengths: number[][], selectors: Uint8Array): void {
  writer.bits(lengths.length, 3);
  writer.bits(selectors.length, 15);
  const order = lengths.map((_, i) => i);
  for (const chosen of selectors) {
    const place = order.indexOf(chosen);
    order.splice(place, 1);
    order.unshift(chosen);
    for (let i = 0; i < place; i++) writer.bits(1, 1);
    writer.bits(0, 1);
  }
  for (const table of lengths) {
    let current = table[0];
    writer.bits(current, 5);
    for (const length of table) {
      for (; current < length; current++) writer.bits(2, 2);
      for (; current > length; current--) writer.bits(3, 2);
      writer.bits(0, 1);
    }
  }
}

function canonicalCodes(lengths: number[]): number[] {
  const codes = new Array<number>(lengths.length).fill(0);
  let code = 0;
  for (let bits = 1; bits <= LONGEST; bits++) {
    lengths.forEach((length, symbol) => {
      if (length === bits) codes[symbol] = code++;
    });
    code <<= 1;
  }
  return codes;
}
