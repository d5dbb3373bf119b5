/** Turns a running WebAssembly module into one that starts with its memory and globals as they are now. */

import {
  appendSection,
  encodeSigned,
  encodeUnsigned,
  KIND,
  Reader,
  readImports,
  readSections,
  SECTION,
  writeSections,
} from "../wasm/format.ts";
import { concatBytes } from "../text/bytes.ts";

const I32 = 0x7f;
const CONSTANT = 0x41;
const END = 0x0b;
const PAGE = 64 << 10;
/** Up to this many zeros between two pieces cost less than another piece. */
const GAP = 64;
const PREFIX = "cloche_global_";

/** The module with its own globals exported, so that they can be read. */
export function exposeGlobals(wasm: Uint8Array): Uint8Array {
  const sections = readSections(wasm);
  const body = (id: number) => sections.find((section) => section.id === id)?.body ?? Uint8Array.of(0);
  const first = readImports(new Reader(body(SECTION.imports))).globals;
  const count = new Reader(body(SECTION.globals)).unsigned();
  let exports = body(SECTION.exports);
  for (let index = 0; index < count; index++) {
    const name = new TextEncoder().encode(PREFIX + index);
    exports = appendSection(new Reader(exports), [name.length, ...name, KIND.global, ...encodeUnsigned(first + index)]);
  }
  return writeSections(sections.map(({ id, body }) => ({ id, body: id === SECTION.exports ? exports : body })));
}

/** `instance` is one of the exposed module, at rest; `wasm` is what it was made of. */
export function freezeModule(wasm: Uint8Array, instance: WebAssembly.Instance): Uint8Array {
  return withMemory(
    wasm,
    new Uint8Array((instance.exports.memory as WebAssembly.Memory).buffer),
    new Map([[SECTION.globals, globalsOf(instance)]]),
  );
}

/** The module with this as its initial memory, and with other sections changed. */
export function withMemory(wasm: Uint8Array, memory: Uint8Array, others = new Map<number, Uint8Array>()) {
  const pieces = findChanges(memory);
  const changed = new Map([
    ...others,
    [SECTION.memories, Uint8Array.from([1, 0, ...encodeUnsigned(memory.length / PAGE)])],
    [SECTION.dataCount, Uint8Array.from(encodeUnsigned(pieces.length))],
    [SECTION.data, dataOf(memory, pieces)],
  ]);
  // Custom sections only describe.
  const sections = readSections(wasm).filter(({ id }) => id !== 0);
  return writeSections(sections.map(({ id, body }) => ({ id, body: changed.get(id) ?? body })));
}

function globalsOf(instance: WebAssembly.Instance): Uint8Array {
  const globals = Object.keys(instance.exports).filter((name) => name.startsWith(PREFIX));
  const values = globals.map((_, index) => (instance.exports[PREFIX + index] as WebAssembly.Global).value as number);
  const entries = values.flatMap((value) => [I32, 1, CONSTANT, ...encodeSigned(value), END]);
  return Uint8Array.from([...encodeUnsigned(values.length), ...entries]);
}

/** Where a memory differs from its earlier state; without one, from zeros. */
export function findChanges(memory: Uint8Array, before = new Uint8Array(0)): [number, number][] {
  const words = new Uint32Array(memory.buffer);
  const old = new Uint32Array(before.buffer);
  const pieces: [number, number][] = [];
  for (let at = 0; at < words.length; at++) {
    if (words[at] === (at < old.length ? old[at] : 0)) continue;
    const last = pieces.at(-1);
    if (last && at * 4 - last[1] <= GAP) last[1] = at * 4 + 4;
    else pieces.push([at * 4, at * 4 + 4]);
  }
  return pieces;
}

function dataOf(memory: Uint8Array, pieces: [number, number][]): Uint8Array {
  const parts = pieces.flatMap(([from, to]) => [
    Uint8Array.from([0, CONSTANT, ...encodeSigned(from), END, ...encodeUnsigned(to - from)]),
    memory.subarray(from, to),
  ]);
  return concatBytes([Uint8Array.from(encodeUnsigned(pieces.length)), ...parts]);
}
