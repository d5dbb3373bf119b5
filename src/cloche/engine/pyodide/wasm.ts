/** Makes a WebAssembly program lean: exports that nobody asks for go into a table, its data into a file of its own. */

/** What was taken off the exports: functions by their place in the table, and addresses of data. */
export interface Hidden {
  functions: string[];
  values: Record<string, number>;
}

/** The exported table that holds the hidden functions. */
export const HIDDEN_TABLE = "cloche_hidden";

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { imports: 2, tables: 4, globals: 6, exports: 7, elements: 9, data: 11, dataCount: 12 };
const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 };
const OP = { end: 0x0b, globalGet: 0x23, i32: 0x41, i64: 0x42, f32: 0x43, f64: 0x44, refNull: 0xd0, refFunc: 0xd2 };
const FUNCREF = 0x70;

interface Export {
  name: string;
  kind: number;
  index: number;
}

/** Hides all functions and constant addresses but those that `keep` names or that the program asks for itself. */
export function hideExports(program: Uint8Array, keep: ReadonlySet<string>): { program: Uint8Array; hidden: Hidden } {
  const sections = readSections(program);
  const section = (id: number) => new Reader(sections.find((each) => each.id === id)?.body ?? new Uint8Array([0]));
  const imports = readImports(section(SECTION.imports));
  const constants = readGlobals(section(SECTION.globals), imports.globals);
  const hidden: Hidden = { functions: [], values: {} };
  const functions: number[] = [];
  const kept: Export[] = [];
  for (const each of readExports(section(SECTION.exports))) {
    const value = each.kind === KIND.global ? constants.get(each.index) : undefined;
    if (keep.has(each.name) || imports.linked.has(each.name)) kept.push(each);
    else if (each.kind === KIND.function) functions[hidden.functions.push(each.name) - 1] = each.index;
    else if (value !== undefined) hidden.values[each.name] = value;
    else kept.push(each);
  }
  const table = imports.tables + section(SECTION.tables).unsigned();
  kept.push({ name: HIDDEN_TABLE, kind: KIND.table, index: table });
  const size = unsigned(functions.length);
  const entries = [2, ...unsigned(table), OP.i32, 0, OP.end, 0, ...size, ...functions.flatMap(unsigned)];
  const changed = new Map([
    [SECTION.tables, append(section(SECTION.tables), [FUNCREF, 1, ...size, ...size])],
    [SECTION.exports, writeExports(kept)],
    [SECTION.elements, append(section(SECTION.elements), entries)],
  ]);
  const parts = sections.map(({ id, body }) => ({ id, body: changed.get(id) ?? body }));
  return { program: writeSections(parts), hidden };
}

/** Takes the initial memory out of a program, as an image that begins at address 0. */
export function takeData(program: Uint8Array): { program: Uint8Array; image: Uint8Array } {
  const sections = readSections(program);
  const segments = sections.filter(({ id }) => id === SECTION.data).flatMap(({ body }) => readData(new Reader(body)));
  const image = new Uint8Array(Math.max(0, ...segments.map((each) => each.address + each.data.length)));
  for (const each of segments) image.set(each.data, each.address);
  const rest = sections.filter(({ id }) => id !== SECTION.data && id !== SECTION.dataCount);
  return { program: writeSections(rest), image };
}

function readData(reader: Reader): { address: number; data: Uint8Array }[] {
  return Array.from({ length: reader.unsigned() }, () => {
    const active = reader.unsigned() === 0;
    const address = active ? reader.constant() : undefined;
    if (address === undefined) throw new Error("the WebAssembly program has data without a fixed address");
    return { address, data: reader.bytes(reader.unsigned()) };
  });
}

/** A list with one entry more. */
function append(list: Reader, entry: number[]): Uint8Array {
  const count = unsigned(list.unsigned() + 1);
  return concat([Uint8Array.from(count), list.rest(), Uint8Array.from(entry)]);
}

/** How many tables and globals are imported, and the names whose addresses the program has filled in by the linker. */
function readImports(reader: Reader): { tables: number; globals: number; linked: Set<string> } {
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

/** The numbers of globals that never change. */
function readGlobals(reader: Reader, first: number): Map<number, number> {
  const found = new Map<number, number>();
  const count = reader.unsigned();
  for (let index = first; index < first + count; index++) {
    const fixed = reader.type().byte() === 0;
    const value = reader.constant();
    if (fixed && value !== undefined) found.set(index, value);
  }
  return found;
}

function readExports(reader: Reader): Export[] {
  return Array.from(
    { length: reader.unsigned() },
    () => ({ name: reader.text(), kind: reader.byte(), index: reader.unsigned() }),
  );
}

function writeExports(exports: Export[]): Uint8Array {
  const parts = exports.map(({ name, kind, index }) => {
    const text = new TextEncoder().encode(name);
    return Uint8Array.from([...unsigned(text.length), ...text, kind, ...unsigned(index)]);
  });
  return concat([Uint8Array.from(unsigned(exports.length)), ...parts]);
}

function readSections(program: Uint8Array): { id: number; body: Uint8Array }[] {
  const reader = new Reader(program);
  if (MAGIC.some((byte) => byte !== reader.byte())) throw new Error("this is not a WebAssembly program");
  const found = [];
  while (!reader.ended) found.push({ id: reader.byte(), body: reader.bytes(reader.unsigned()) });
  return found;
}

function writeSections(sections: { id: number; body: Uint8Array }[]): Uint8Array {
  const parts = sections.flatMap(({ id, body }) => [Uint8Array.from([id, ...unsigned(body.length)]), body]);
  return concat([Uint8Array.from(MAGIC), ...parts]);
}

function unsigned(value: number): number[] {
  const bytes = [];
  for (; value > 0x7f; value >>>= 7) bytes.push(value & 0x7f | 0x80);
  return [...bytes, value];
}

function concat(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

class Reader {
  #at = 0;

  constructor(private readonly data: Uint8Array) {}

  get ended(): boolean {
    return this.#at >= this.data.length;
  }

  byte(): number {
    if (this.ended) throw new Error("the WebAssembly program is cut short");
    return this.data[this.#at++];
  }

  bytes(count: number): Uint8Array {
    this.#at += count;
    if (this.#at > this.data.length) throw new Error("the WebAssembly program is cut short");
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

  text(): string {
    return new TextDecoder().decode(this.bytes(this.unsigned()));
  }

  /** Passes over the type of a value. */
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

  /** What an initial value is, if it is just a 32-bit number. */
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
