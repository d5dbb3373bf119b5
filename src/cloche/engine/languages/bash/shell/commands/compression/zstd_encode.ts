/** Writes zstd: matches and literals as they are, coded with the tables that every decoder has. */
import { type Breathe, GrowingBytes } from "./bits.ts";
import { xxHash } from "./checks.ts";
import { MatchFinder, TRIES } from "./lzma_encode.ts";
import type { FseTable } from "./zstd_entropy.ts";
import { type CodeValues, DEFAULT_TABLES, LITERAL_LENGTHS, MATCH_LENGTHS } from "./zstd_tables.ts";

const BLOCK = 131072;
const WINDOW_LOG = 21;
/** Its levels search further than those of xz. */
const LEVEL_SHIFT = 3;

interface Sequence {
  literals: number;
  length: number;
  distance: number;
}

export async function encodeZstd(data: Uint8Array, level: number, breathe: Breathe): Promise<Uint8Array> {
  const out = new GrowingBytes();
  // A checksum, a window of 2 MiB, and the size in eight bytes.
  out.append(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xc4, (WINDOW_LOG - 10) << 3));
  const size = new Uint8Array(8);
  new DataView(size.buffer).setBigUint64(0, BigInt(data.length), true);
  out.append(size);
  const finder = new MatchFinder(data, 1 << WINDOW_LOG, TRIES[Math.min(level + LEVEL_SHIFT, TRIES.length - 1)]);
  let at = 0;
  do {
    const end = Math.min(at + BLOCK, data.length);
    writeBlock(out, data, at, end, finder);
    at = end;
    await breathe();
  } while (at < data.length);
  const check = new Uint8Array(4);
  new DataView(check.buffer).setUint32(0, xxHash(data), true);
  out.append(check);
  return out.done();
}

function writeBlock(out: GrowingBytes, data: Uint8Array, start: number, end: number, finder: MatchFinder): void {
  const last = end === data.length ? 1 : 0;
  const plain = data.subarray(start, end);
  const head = (type: number, size: number) => {
    const value = last | (type << 1) | (size << 3);
    out.append(Uint8Array.of(value & 255, (value >> 8) & 255, value >> 16));
  };
  if (plain.length > 1 && plain.every((byte) => byte === plain[0])) {
    for (let at = start; at < end; at++) finder.add(at);
    head(1, plain.length);
    return out.push(plain[0]);
  }
  const coded = encodeBlock(data, start, end, finder);
  const packed = coded !== undefined && coded.length < plain.length;
  head(packed ? 2 : 0, packed ? coded.length : plain.length);
  out.append(packed ? coded : plain);
}

function encodeBlock(data: Uint8Array, start: number, end: number, finder: MatchFinder): Uint8Array | undefined {
  const sequences: Sequence[] = [];
  const literals = new GrowingBytes();
  let waiting = 0;
  for (let at = start; at < end;) {
    const { distance, length } = finder.find(at, end);
    const useful = length >= 5 || length >= 4 && distance < 65536;
    if (useful) {
      sequences.push({ literals: waiting, length, distance });
      waiting = 0;
    } else {
      literals.push(data[at]);
      waiting++;
    }
    for (const next = at + (useful ? length : 1); at < next; at++) finder.add(at);
  }
  if (sequences.length === 0) return undefined;
  const out = new GrowingBytes();
  writeLiterals(out, literals.done());
  writeCount(out, sequences.length);
  out.push(0);
  writeSequences(out, sequences);
  return out.done();
}

function writeLiterals(out: GrowingBytes, literals: Uint8Array): void {
  const size = literals.length;
  const head = (size << 4) | 12;
  out.append(Uint8Array.of(head & 255, (head >> 8) & 255, (head >> 16) & 255));
  out.append(literals);
}

function writeCount(out: GrowingBytes, count: number): void {
  if (count < 128) out.push(count);
  else if (count < 0x7f00) out.append(Uint8Array.of((count >> 8) + 128, count & 255));
  else out.append(Uint8Array.of(255, (count - 0x7f00) & 255, (count - 0x7f00) >> 8));
}

class ForwardBits {
  #value = 0;
  #count = 0;

  constructor(private readonly out: GrowingBytes) {}

  write(value: number, bits: number): void {
    for (let i = 0; i < bits; i++) {
      this.#value |= (Math.floor(value / 2 ** i) & 1) << this.#count;
      if (++this.#count === 8) {
        this.out.push(this.#value);
        this.#value = this.#count = 0;
      }
    }
  }

  finish(): void {
    this.write(1, 1);
    if (this.#count > 0) this.out.push(this.#value);
  }
}

/** Walks the states of a table backwards: the state before, given the one after. */
class FseEncoder {
  /** By symbol: the states that stand for it, by the number of bits and base that lead on. */
  readonly #states: number[][] = [];
  state = 0;

  constructor(private readonly table: FseTable) {
    table.symbols.forEach((symbol, state) => (this.#states[symbol] ??= []).push(state));
  }

  begin(symbol: number): void {
    this.state = this.#states[symbol][0];
  }

  /** Goes to the state of a symbol from which the present one is reached. */
  encode(symbol: number, bits: ForwardBits): void {
    for (const state of this.#states[symbol]) {
      const rest = this.state - this.table.bases[state];
      if (rest < 0 || rest >= 1 << this.table.bits[state]) continue;
      bits.write(rest, this.table.bits[state]);
      this.state = state;
      return;
    }
  }

  finish(bits: ForwardBits): void {
    bits.write(this.state, this.table.log);
  }
}

function codeOf({ bases }: CodeValues, value: number): number {
  let code = bases.length - 1;
  while (bases[code] > value) code--;
  return code;
}

/** They are read from the end, so the last one is written first. */
function writeSequences(out: GrowingBytes, sequences: Sequence[]): void {
  const bits = new ForwardBits(out);
  const literal = new FseEncoder(DEFAULT_TABLES.literal);
  const offset = new FseEncoder(DEFAULT_TABLES.offset);
  const match = new FseEncoder(DEFAULT_TABLES.match);
  for (let i = sequences.length - 1; i >= 0; i--) {
    const { literals, length, distance } = sequences[i];
    const value = distance + 3;
    const offsetCode = 31 - Math.clz32(value);
    const matchCode = codeOf(MATCH_LENGTHS, length);
    const literalCode = codeOf(LITERAL_LENGTHS, literals);
    if (i === sequences.length - 1) {
      match.begin(matchCode);
      offset.begin(offsetCode);
      literal.begin(literalCode);
    } else {
      offset.encode(offsetCode, bits);
      match.encode(matchCode, bits);
      literal.encode(literalCode, bits);
    }
    bits.write(literals - LITERAL_LENGTHS.bases[literalCode], LITERAL_LENGTHS.bits[literalCode]);
    bits.write(length - MATCH_LENGTHS.bases[matchCode], MATCH_LENGTHS.bits[matchCode]);
    bits.write(value - 2 ** offsetCode, offsetCode);
  }
  match.finish(bits);
  offset.finish(bits);
  literal.finish(bits);
  bits.finish();
}
