/** Makes Pyodide's module lean: unused exports go into a table, its data into a separate file. */

import {
  appendSection,
  encodeUnsigned,
  FUNCREF,
  KIND,
  Reader,
  readImports,
  readSections,
  SECTION,
  writeSections,
} from "../../../wasm/format.ts";
import { removeData } from "../../../wasm/initial_memory.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { HIDDEN_TABLE, type HiddenExports } from "./hidden_exports.ts";

const OP = { end: 0x0b, i32: 0x41 };

interface Export {
  name: string;
  kind: number;
  index: number;
}

/** Hides all functions and constant addresses but those that `keep` names or that the module asks for itself. */
export function hideExports(
  wasm: Uint8Array,
  keep: ReadonlySet<string>,
): { wasm: Uint8Array; hidden: HiddenExports } {
  const sections = readSections(wasm);
  const section = (id: number) => new Reader(sections.find((each) => each.id === id)?.body ?? new Uint8Array([0]));
  const imports = readImports(section(SECTION.imports));
  const constants = readGlobals(section(SECTION.globals), imports.globals);
  const hidden: HiddenExports = { functions: [], values: {} };
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
  const size = encodeUnsigned(functions.length);
  const entries = [2, ...encodeUnsigned(table), OP.i32, 0, OP.end, 0, ...size, ...functions.flatMap(encodeUnsigned)];
  const changed = new Map([
    [SECTION.tables, appendSection(section(SECTION.tables), [FUNCREF, 1, ...size, ...size])],
    [SECTION.exports, writeExports(kept)],
    [SECTION.elements, appendSection(section(SECTION.elements), entries)],
  ]);
  const parts = sections.map(({ id, body }) => ({ id, body: changed.get(id) ?? body }));
  return { wasm: writeSections(parts), hidden };
}

/** Takes the initial memory out of a module, as an image that begins at address 0. */
export function takeData(wasm: Uint8Array): { wasm: Uint8Array; image: Uint8Array } {
  const segments = readSections(wasm).filter(({ id }) => id === SECTION.data).flatMap(({ body }) =>
    readData(new Reader(body))
  );
  const image = new Uint8Array(Math.max(0, ...segments.map((each) => each.address + each.data.length)));
  for (const each of segments) image.set(each.data, each.address);
  return { wasm: removeData(wasm), image };
}

function readData(reader: Reader): { address: number; data: Uint8Array }[] {
  return Array.from({ length: reader.unsigned() }, () => {
    const active = reader.unsigned() === 0;
    const address = active ? reader.constant() : undefined;
    if (address === undefined) throw new Error("the WebAssembly module has data without a fixed address");
    return { address, data: reader.bytes(reader.unsigned()) };
  });
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
    return Uint8Array.from([...encodeUnsigned(text.length), ...text, kind, ...encodeUnsigned(index)]);
  });
  return concatBytes([Uint8Array.from(encodeUnsigned(exports.length)), ...parts]);
}
