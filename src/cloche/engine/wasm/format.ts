/** Reads and writes the parts of WebAssembly's binary format that are rewritten. */

import { concatBytes } from "../text/bytes.ts";

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
export const SECTION = {
  types: 1,
  imports: 2,
  functions: 3,
  tables: 4,
  memories: 5,
  globals: 6,
  exports: 7,
  elements: 9,
  code: 10,
  data: 11,
  dataCount: 12,
  tags: 13,
};
export const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 };
export const FUNCREF = 0x70;
const OP = { end: 0x0b, globalGet: 0x23, i32: 0x41, i64: 0x42, f32: 0x43, f64: 0x44, refNull: 0xd0, refFunc: 0xd2 };

export interface Section {
  id: number;
  body: Uint8Array;
}

export function readSections(wasm: Uint8Array): Section[] {
  const reader = new Reader(wasm);
  if (MAGIC.some((byte) => byte !== reader.byte())) throw new Error("this is not a WebAssembly module");
  const found = [];
  while (!reader.ended) found.push({ id: reader.byte(), body: reader.bytes(reader.unsigned()) });
  return found;
}

export function writeSections(sections: Section[]): Uint8Array {
  const parts = sections.flatMap(({ id, body }) => [Uint8Array.from([id, ...encodeUnsigned(body.length)]), body]);
  return concatBytes([Uint8Array.from(MAGIC), ...parts]);
}

export function encodeUnsigned(value: number): number[] {
  const bytes = [];
  for (; value > 0x7f; value >>>= 7) bytes.push(value & 0x7f | 0x80);
  return [...bytes, value];
}

/** Any 32-bit number as a signed LEB128. */
export function encodeSigned(value: number): number[] {
  const bytes = [];
  for (;;) {
    const byte = value & 0x7f;
    value >>= 7;
    if (value === 0 && byte < 0x40 || value === -1 && byte >= 0x40) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
}

export class Reader {
  #at = 0;

  constructor(private readonly data: Uint8Array) {}

  /** The position of the next byte. */
  get at(): number {
    return this.#at;
  }

  get ended(): boolean {
    return this.#at >= this.data.length;
  }

  byte(): number {
    if (this.ended) throw new Error("the WebAssembly module is cut short");
    return this.data[this.#at++];
  }

  bytes(count: number): Uint8Array {
    this.#at += count;
    if (this.#at > this.data.length) throw new Error("the WebAssembly module is cut short");
    return this.data.subarray(this.#at - count, this.#at);
  }

  rest(): Uint8Array {
    return this.bytes(this.data.length - this.#at);
  }

  unsigned(): number {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** Skips a number of any size, with or without sign. */
  leb(): void {
    while (this.byte() >= 0x80);
  }

  text(): string {
    return new TextDecoder().decode(this.bytes(this.unsigned()));
  }

  /** Skips the type of a value. */
  type(): this {
    const code = this.byte();
    if (code === 0x63 || code === 0x64) this.unsigned();
    return this;
  }

  limits(): void {
    const flags = this.byte();
    this.unsigned();
    if (flags & 1) this.unsigned();
  }

  /** An initial value, if it is just a 32-bit number. */
  constant(): number | undefined {
    let value: number | undefined;
    for (let count = 0;; count++) {
      const op = this.byte();
      if (op === OP.end) return count === 1 ? value : undefined;
      if (op === OP.i32) value = this.#signed();
      else if (op === OP.f32) this.bytes(4);
      else if (op === OP.f64) this.bytes(8);
      else if ([OP.i64, OP.globalGet, OP.refNull, OP.refFunc].includes(op)) this.unsigned();
    }
  }

  #signed(): number {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return shift < 25 && byte & 0x40 ? value | -1 << shift + 7 : value;
    }
  }
}

/** A list with one more entry. */
export function appendSection(list: Reader, entry: number[]): Uint8Array {
  const count = encodeUnsigned(list.unsigned() + 1);
  return concatBytes([Uint8Array.from(count), list.rest(), Uint8Array.from(entry)]);
}

/** How many tables and globals are imported, and the names whose addresses the linker fills in. */
export function readImports(reader: Reader): { tables: number; globals: number; linked: Set<string> } {
  const found = { tables: 0, globals: 0, linked: new Set<string>() };
  for (let left = reader.unsigned(); left > 0; left--) {
    const [from, name, kind] = [reader.text(), reader.text(), reader.byte()];
    if (from.startsWith("GOT.")) found.linked.add(name);
    if (kind === KIND.function) reader.unsigned();
    else if (kind === KIND.table) reader.type().limits(), found.tables++;
    else if (kind === KIND.memory) reader.limits();
    else if (kind === KIND.global) reader.type().byte(), found.globals++;
    else reader.byte(), reader.unsigned();
  }
  return found;
}
