/**
 * Adds a check to every loop of a WebAssembly module, so that a module that cannot be interrupted otherwise can be
 * ended from outside; a thread that computes cannot be terminated.
 */

import {
  appendSection,
  encodeSigned,
  encodeUnsigned,
  FUNCREF,
  KIND,
  Reader,
  readImports,
  readSections,
  SECTION,
  type Section,
  writeSections,
} from "./format.ts";
import { concatBytes } from "../text/bytes.ts";
import { readInstruction } from "./instructions.ts";
import { wrapFunctions } from "./table_functions.ts";

/** The exported table with one entry, the function that says whether to continue. */
const TABLE = "cloche_check";
/** Rounds of loops between two checks. */
const ROUNDS = 1 << 14;
const PAGE = 64 << 10;
const I32 = 0x7f;
const LOOP = 0x03;

interface MeterOptions {
  /** The largest memory, in bytes, of a module that does not import its memory. */
  memory?: number;
}

export function meterModule(wasm: Uint8Array, { memory }: MeterOptions = {}): Uint8Array {
  const sections = withAll(readSections(wasm));
  const section = (id: number) => new Reader(sections.find((each) => each.id === id)?.body ?? new Uint8Array([0]));
  const imports = readImports(section(SECTION.imports));
  const type = section(SECTION.types).unsigned();
  const table = imports.tables + section(SECTION.tables).unsigned();
  const fuel = imports.globals + section(SECTION.globals).unsigned();
  const name = new TextEncoder().encode(TABLE);
  const changed = new Map([
    [SECTION.types, appendSection(section(SECTION.types), [0x60, 0, 1, I32])],
    [SECTION.tables, appendSection(section(SECTION.tables), [FUNCREF, 1, 1, 1])],
    [SECTION.globals, appendSection(section(SECTION.globals), [I32, 1, 0x41, ...encodeSigned(ROUNDS), 0x0b])],
    [
      SECTION.exports,
      appendSection(section(SECTION.exports), [name.length, ...name, KIND.table, ...encodeUnsigned(table)]),
    ],
    [SECTION.code, meterCode(section(SECTION.code), loopCheck(type, table, fuel))],
  ]);
  if (memory !== undefined) {
    changed.set(SECTION.memories, limited(section(SECTION.memories), Math.floor(memory / PAGE)));
  }
  return writeSections(sections.map(({ id, body }) => ({ id, body: changed.get(id) ?? body })));
}

/** Sets the function of a metered instance, before it runs: the instance traps as soon as the answer is not 0. */
export function watchMeter(instance: WebAssembly.Instance, check: () => number): void {
  const [wrapped] = wrapFunctions([{ signature: "i", run: check }]);
  (instance.exports[TABLE] as WebAssembly.Table).set(0, wrapped);
}

/** Programs without one of these sections get an empty one, so that entries can be added. */
function withAll(sections: Section[]): Section[] {
  const needed = [SECTION.types, SECTION.tables, SECTION.globals, SECTION.exports];
  const missing = needed.filter((id) => !sections.some((each) => each.id === id));
  return missing.reduce((all, id) => {
    const at = all.findIndex((each) => rank(each.id) > rank(id));
    return all.toSpliced(at < 0 ? all.length : at, 0, { id, body: new Uint8Array([0]) });
  }, sections);
}

/** Sections are in the order of their numbers, except for tags, which follow memories; custom sections are anywhere. */
function rank(id: number): number {
  return id === SECTION.tags ? SECTION.memories + 0.5 : id;
}

/** The instructions at the start of each loop; they leave the stack as it was. */
function loopCheck(type: number, table: number, fuel: number): Uint8Array {
  const [get, set] = [[0x23, ...encodeUnsigned(fuel)], [0x24, ...encodeUnsigned(fuel)]];
  const ask = [0x41, 0, 0x11, ...encodeUnsigned(type), ...encodeUnsigned(table)];
  const stop = [0x04, 0x40, 0x00, 0x0b];
  const refill = [0x41, ...encodeSigned(ROUNDS), ...set];
  return Uint8Array.of(...get, 0x45, 0x04, 0x40, ...ask, ...stop, ...refill, 0x0b, ...get, 0x41, 1, 0x6b, ...set);
}

function meterCode(code: Reader, loopCheck: Uint8Array): Uint8Array {
  const count = code.unsigned();
  const bodies = Array.from({ length: count }, () => meterBody(code.bytes(code.unsigned()), loopCheck));
  return concatBytes([Uint8Array.from(encodeUnsigned(count)), ...bodies.flat()]);
}

function meterBody(body: Uint8Array, loopCheck: Uint8Array): Uint8Array[] {
  const reader = new Reader(body);
  for (let groups = reader.unsigned(); groups > 0; groups--) {
    reader.unsigned();
    reader.type();
  }
  const parts: Uint8Array[] = [];
  let from = 0;
  while (!reader.ended) {
    if (readInstruction(reader) !== LOOP) continue;
    parts.push(body.subarray(from, reader.at), loopCheck);
    from = reader.at;
  }
  parts.push(body.subarray(from));
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return [Uint8Array.from(encodeUnsigned(size)), ...parts];
}

/** The memory section with a maximum; a module that imports its memory does not have one. */
function limited(memories: Reader, pages: number): Uint8Array {
  if (memories.unsigned() !== 1) return Uint8Array.of(0);
  const flags = memories.byte();
  const least = memories.unsigned();
  const most = flags & 1 ? Math.min(memories.unsigned(), pages) : pages;
  return Uint8Array.from([1, flags | 1, ...encodeUnsigned(least), ...encodeUnsigned(Math.max(least, most))]);
}
