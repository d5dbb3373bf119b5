/** Reads bzip2. */
import { BadData, type Breathe, GrowingBytes } from "./bits.ts";

const BLOCK_MAGIC = "314159265359";
const END_MAGIC = "177245385090";
const GROUP = 50;

export const CRC_TABLE = Int32Array.from({ length: 256 }, (_, n) => {
  let value = n << 24;
  for (let k = 0; k < 8; k++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value;
});

class BitReader {
  #bit = 0;

  constructor(private readonly data: Uint8Array, public at: number) {}

  bit(): number {
    if (this.at >= this.data.length) throw new BadData("Compressed file ends unexpectedly");
    const value = (this.data[this.at] >> (7 - this.#bit)) & 1;
    if (++this.#bit === 8) {
      this.#bit = 0;
      this.at++;
    }
    return value;
  }

  bits(count: number): number {
    let value = 0;
    for (let left = count; left > 0;) {
      if (this.at >= this.data.length) throw new BadData("Compressed file ends unexpectedly");
      const take = Math.min(left, 8 - this.#bit);
      const part = (this.data[this.at] >> (8 - this.#bit - take)) & ((1 << take) - 1);
      value = value * 2 ** take + part;
      this.#bit += take;
      left -= take;
      if (this.#bit === 8) {
        this.#bit = 0;
        this.at++;
      }
    }
    return value;
  }

  magic(): string {
    return this.bits(24).toString(16).padStart(6, "0") + this.bits(24).toString(16).padStart(6, "0");
  }

  align(): void {
    if (this.#bit > 0) {
      this.#bit = 0;
      this.at++;
    }
  }
}

/** All streams of a file, one after the other. */
export async function decodeBzip2(data: Uint8Array, breathe: Breathe): Promise<Uint8Array> {
  const out = new GrowingBytes();
  for (let at = 0; at < data.length;) {
    const level = data[at + 3] - 48;
    if (data[at] !== 0x42 || data[at + 1] !== 0x5a || data[at + 2] !== 0x68 || !(level >= 1 && level <= 9)) {
      if (at > 0) break;
      throw new BadData("not a bzip2 file.");
    }
    const reader = new BitReader(data, at + 4);
    let combined = 0;
    for (;;) {
      const magic = reader.magic();
      if (magic === END_MAGIC) break;
      if (magic !== BLOCK_MAGIC) throw new BadData("data integrity (CRC) error in data");
      const crc = reader.bits(32) | 0;
      if (readBlock(reader, level * 100_000, out) !== crc) throw new BadData("data integrity (CRC) error in data");
      combined = ((combined << 1) | (combined >>> 31)) ^ crc;
      await breathe();
    }
    if ((reader.bits(32) | 0) !== combined) throw new BadData("data integrity (CRC) error in data");
    reader.align();
    at = reader.at;
  }
  return out.done();
}

/** Reads a block, writes what it holds, and returns its checksum. */
function readBlock(reader: BitReader, size: number, out: GrowingBytes): number {
  if (reader.bit()) throw new BadData("randomised blocks are not supported");
  const origin = reader.bits(24);
  const { codes, count, counts } = readSymbols(reader, size);
  const next = new Uint32Array(count);
  const starts = new Uint32Array(256);
  for (let i = 1; i < 256; i++) starts[i] = starts[i - 1] + counts[i - 1];
  for (let i = 0; i < count; i++) next[starts[codes[i]]++] = i;
  if (origin >= count) throw new BadData("data integrity (CRC) error in data");
  return writeBlock(codes, next, origin, count, out);
}

function writeBlock(codes: Uint8Array, next: Uint32Array, origin: number, count: number, out: GrowingBytes): number {
  let crc = -1;
  let position = next[origin];
  let run = 0;
  let last = -1;
  for (let i = 0; i < count; i++) {
    const byte = codes[position];
    position = next[position];
    if (run === 4) {
      out.reserve(byte);
      for (let k = 0; k < byte; k++) {
        out.push(last);
        crc = (crc << 8) ^ CRC_TABLE[((crc >>> 24) ^ last) & 255];
      }
      run = 0;
      last = -1;
      continue;
    }
    run = byte === last ? run + 1 : 1;
    last = byte;
    out.push(byte);
    crc = (crc << 8) ^ CRC_TABLE[((crc >>> 24) ^ byte) & 255];
  }
  return ~crc;
}

function readUsed(reader: BitReader): number[] {
  const ranges = reader.bits(16);
  const used: number[] = [];
  for (let i = 0; i < 16; i++) {
    if (!(ranges & (0x8000 >> i))) continue;
    const bits = reader.bits(16);
    for (let k = 0; k < 16; k++) if (bits & (0x8000 >> k)) used.push(i * 16 + k);
  }
  return used;
}

function readSelectors(reader: BitReader, groups: number): Uint8Array {
  const count = reader.bits(15);
  const order = Array.from({ length: groups }, (_, i) => i);
  const selectors = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    let place = 0;
    while (reader.bit()) if (++place >= groups) throw new BadData("data integrity (CRC) error in data");
    const [chosen] = order.splice(place, 1);
    order.unshift(chosen);
    selectors[i] = chosen;
  }
  return selectors;
}

interface Decoder {
  limits: number[];
  bases: number[];
  symbols: number[];
  shortest: number;
}

function readDecoder(reader: BitReader, size: number): Decoder {
  const lengths: number[] = [];
  let length = reader.bits(5);
  for (let i = 0; i < size; i++) {
    while (reader.bit()) length += reader.bit() ? -1 : 1;
    if (length < 1 || length > 20) throw new BadData("data integrity (CRC) error in data");
    lengths.push(length);
  }
  const decoder: Decoder = { limits: [], bases: [], symbols: [], shortest: Math.min(...lengths) };
  let code = 0;
  for (let bits = decoder.shortest; bits <= 20; bits++) {
    decoder.bases[bits] = code - decoder.symbols.length;
    lengths.forEach((own, symbol) => own === bits && decoder.symbols.push(symbol));
    code = decoder.symbols.length + decoder.bases[bits];
    decoder.limits[bits] = code - 1;
    code <<= 1;
  }
  return decoder;
}

function readSymbols(reader: BitReader, size: number) {
  const order = readUsed(reader);
  const groups = reader.bits(3);
  const selectors = readSelectors(reader, groups);
  const end = order.length + 1;
  const decoders = Array.from({ length: groups }, () => readDecoder(reader, order.length + 2));
  const codes = new Uint8Array(size);
  const counts = new Uint32Array(256);
  let [count, group, left, run, weight] = [0, 0, 0, 0, 1];
  let decoder = decoders[0];
  for (;;) {
    if (left === 0) {
      if (group >= selectors.length) throw new BadData("data integrity (CRC) error in data");
      decoder = decoders[selectors[group++]];
      left = GROUP;
    }
    left--;
    const symbol = readSymbol(reader, decoder);
    if (symbol <= 1) {
      run += weight << symbol;
      weight <<= 1;
      continue;
    }
    if (run > 0) {
      if (count + run > size) throw new BadData("data integrity (CRC) error in data");
      codes.fill(order[0], count, count + run);
      counts[order[0]] += run;
      count += run;
      run = 0;
      weight = 1;
    }
    if (symbol === end) return { codes, count, counts };
    const [byte] = order.splice(symbol - 1, 1);
    order.unshift(byte);
    if (count >= size) throw new BadData("data integrity (CRC) error in data");
    codes[count++] = byte;
    counts[byte]++;
  }
}

function readSymbol(reader: BitReader, { limits, bases, symbols, shortest }: Decoder): number {
  let code = reader.bits(shortest);
  for (let bits = shortest; bits <= 20; bits++) {
    if (code <= limits[bits]) {
      const symbol = symbols[code - bases[bits]];
      if (symbol !== undefined) return symbol;
    }
    code = (code << 1) | reader.bit();
  }
  throw new BadData("data integrity (CRC) error in data");
}
