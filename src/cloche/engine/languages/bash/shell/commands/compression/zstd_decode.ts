/** Reads zstd. */
import { BadData, type Breathe, GrowingBytes } from "./bits.ts";
import { xxHash } from "./checks.ts";
import {
  BackwardBits,
  certainFse,
  corrupt,
  type FseTable,
  type HuffmanTable,
  readFse,
  readHuffman,
  readHuffmanStream,
} from "./zstd_entropy.ts";
import { DEFAULT_TABLES, LITERAL_LENGTHS, MATCH_LENGTHS } from "./zstd_tables.ts";

const MAGIC = 0xfd2fb528;
const SKIPPED = 0x184d2a50;
const MOST_BLOCK = 131072;

type TableName = keyof typeof DEFAULT_TABLES;

/** All frames of a file. */
export async function decodeZstd(data: Uint8Array, breathe: Breathe): Promise<Uint8Array> {
  const out = new GrowingBytes();
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  for (let at = 0; at < data.length;) {
    if (at + 4 > data.length) throw new BadData("unknown header");
    const magic = view.getUint32(at, true);
    if ((magic & ~15) >>> 0 === SKIPPED) {
      if (at + 8 > data.length) throw ended();
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== MAGIC) throw new BadData("unsupported format");
    at = await new Frame(data, out).decode(at + 4, breathe);
  }
  return out.done();
}

function ended(): BadData {
  return new BadData("Read error (39) : premature end");
}

class Frame {
  #huffman: HuffmanTable | undefined;
  readonly #tables: Partial<Record<TableName, FseTable>> = {};
  #repeats = [1, 4, 8];
  readonly #start: number;

  constructor(private readonly data: Uint8Array, private readonly out: GrowingBytes) {
    this.#start = out.length;
  }

  async decode(from: number, breathe: Breathe): Promise<number> {
    const { data, out } = this;
    const flags = data[from];
    const single = (flags & 32) !== 0;
    const dictionary = [0, 1, 2, 4][flags & 3];
    let at = from + 1 + (single ? 0 : 1);
    if (data.subarray(at, at + dictionary).some((byte) => byte !== 0)) {
      throw new BadData("Decoding error (36) : Dictionary mismatch");
    }
    at += dictionary + [single ? 1 : 0, 2, 4, 8][flags >> 6];
    for (let last = false; !last;) {
      if (at + 3 > data.length) throw ended();
      const head = data[at] | (data[at + 1] << 8) | (data[at + 2] << 16);
      last = (head & 1) === 1;
      at = this.#block((head >> 1) & 3, head >> 3, at + 3);
      await breathe();
    }
    if (!(flags & 4)) return at;
    if (at + 4 > data.length) throw ended();
    const stored = new DataView(data.buffer, data.byteOffset, data.length).getUint32(at, true);
    if (xxHash(out.bytes.subarray(this.#start, out.length)) !== stored) {
      throw new BadData("Decoding error (36) : Restored data doesn't match checksum");
    }
    return at + 4;
  }

  #block(type: number, size: number, at: number): number {
    const { data, out } = this;
    if (type === 1) {
      if (at >= data.length) throw ended();
      out.reserve(size);
      out.bytes.fill(data[at], out.length, out.length + size);
      out.length += size;
      return at + 1;
    }
    if (at + size > data.length) throw ended();
    if (type === 0) out.append(data.subarray(at, at + size));
    else if (type === 2 && size <= MOST_BLOCK) this.#compressed(at, at + size);
    else throw corrupt();
    return at + size;
  }

  #compressed(from: number, end: number): void {
    const { literals, at } = this.#literals(from, end);
    this.#sequences(literals, at, end);
  }

  #literals(from: number, end: number): { literals: Uint8Array; at: number } {
    const { data } = this;
    const type = data[from] & 3;
    const form = (data[from] >> 2) & 3;
    if (type < 2) {
      const width = [1, 2, 1, 3][form];
      let size = data[from] >> (width === 1 ? 3 : 4);
      if (width > 1) size += data[from + 1] * 16;
      if (width > 2) size += data[from + 2] * 4096;
      const at = from + width;
      if (size > MOST_BLOCK) throw corrupt();
      if (type === 1) return { literals: new Uint8Array(size).fill(data[at]), at: at + 1 };
      if (at + size > end) throw corrupt();
      return { literals: data.subarray(at, at + size), at: at + size };
    }
    const width = [3, 3, 4, 5][form];
    const bits = [10, 10, 14, 18][form];
    let head = 0;
    for (let i = width - 1; i >= 0; i--) head = head * 256 + data[from + i];
    const size = Math.floor(head / 16) % 2 ** bits;
    const packed = Math.floor(head / 2 ** (4 + bits)) % 2 ** bits;
    let at = from + width;
    const stop = at + packed;
    if (stop > end || size > MOST_BLOCK) throw corrupt();
    if (type === 2) {
      const read = readHuffman(data, at, stop);
      this.#huffman = read.table;
      at = read.at;
    }
    return { literals: this.#decodeLiterals(at, stop, size, form === 0 ? 1 : 4), at: stop };
  }

  #decodeLiterals(from: number, end: number, size: number, streams: number): Uint8Array {
    const { data } = this;
    const table = this.#huffman;
    if (!table) throw corrupt();
    const literals = new Uint8Array(size);
    if (streams === 1) {
      readHuffmanStream(table, data, { start: from, end }, literals);
      return literals;
    }
    const part = (size + 3) >> 2;
    let start = from + 6;
    for (let i = 0; i < 4; i++) {
      const length = i < 3 ? data[from + i * 2] | (data[from + i * 2 + 1] << 8) : end - start;
      if (start + length > end) throw corrupt();
      const into = literals.subarray(i * part, i < 3 ? (i + 1) * part : size);
      readHuffmanStream(table, data, { start, end: start + length }, into);
      start += length;
    }
    return literals;
  }

  #readTable(mode: number, name: TableName, most: number, at: number, end: number): { table: FseTable; at: number } {
    if (mode === 0) return this.#keep(name, DEFAULT_TABLES[name], at);
    if (mode === 1) return this.#keep(name, certainFse(this.data[at]), at + 1);
    if (mode === 2) {
      const read = readFse(this.data, at, end, most);
      return this.#keep(name, read.table, read.at);
    }
    const table = this.#tables[name];
    if (!table) throw corrupt();
    return { table, at };
  }

  #keep(name: TableName, table: FseTable, at: number) {
    this.#tables[name] = table;
    return { table, at };
  }

  #sequences(literals: Uint8Array, from: number, end: number): void {
    const { data, out } = this;
    let at = from;
    let count = data[at++];
    if (count === 0) return out.append(literals);
    if (count === 255) {
      count = data[at] + (data[at + 1] << 8) + 0x7f00;
      at += 2;
    } else if (count >= 128) count = ((count - 128) << 8) + data[at++];
    const modes = data[at++];
    const literal = this.#readTable(modes >> 6, "literal", 9, at, end);
    const offset = this.#readTable((modes >> 4) & 3, "offset", 8, literal.at, end);
    const match = this.#readTable((modes >> 2) & 3, "match", 9, offset.at, end);
    const bits = new BackwardBits(data, match.at, end);
    let used = 0;
    let [a, b, c] = [bits.read(literal.table.log), bits.read(offset.table.log), bits.read(match.table.log)];
    for (let i = 0; i < count; i++) {
      const offsetCode = offset.table.symbols[b];
      const matchCode = match.table.symbols[c];
      const literalCode = literal.table.symbols[a];
      if (offsetCode > 31 || matchCode > 52 || literalCode > 35) throw corrupt();
      const value = 2 ** offsetCode + bits.read(offsetCode);
      const length = MATCH_LENGTHS.bases[matchCode] + bits.read(MATCH_LENGTHS.bits[matchCode]);
      const plain = LITERAL_LENGTHS.bases[literalCode] + bits.read(LITERAL_LENGTHS.bits[literalCode]);
      if (i < count - 1) {
        a = literal.table.bases[a] + bits.read(literal.table.bits[a]);
        c = match.table.bases[c] + bits.read(match.table.bits[c]);
        b = offset.table.bases[b] + bits.read(offset.table.bits[b]);
      }
      if (bits.left < 0 || used + plain > literals.length) throw corrupt();
      out.append(literals.subarray(used, used + plain));
      used += plain;
      const distance = this.#distance(value, plain);
      if (distance <= 0 || distance > out.length - this.#start) throw corrupt();
      out.repeat(distance, length);
    }
    out.append(literals.subarray(used));
  }

  /** The first three values stand for distances used before. */
  #distance(value: number, plain: number): number {
    const repeats = this.#repeats;
    if (value > 3) {
      this.#repeats = [value - 3, repeats[0], repeats[1]];
      return value - 3;
    }
    const index = plain === 0 ? value : value - 1;
    if (index === 0) return repeats[0];
    const distance = index === 3 ? repeats[0] - 1 : repeats[index];
    this.#repeats = [distance, repeats[0], index === 1 ? repeats[2] : repeats[1]];
    return distance;
  }
}
