/** The names of a module's functions, from its debug section. */

import { Reader, readSections } from "../../../wasm/format.ts";

const FUNCTIONS = 1;

export function functionNames(wasm: Uint8Array): Map<string, number> {
  for (const { id, body } of readSections(wasm)) {
    const reader = new Reader(body);
    if (id !== 0 || reader.text() !== "name") continue;
    while (!reader.ended) {
      const kind = reader.byte();
      const part = new Reader(reader.bytes(reader.unsigned()));
      if (kind === FUNCTIONS) return readNames(part);
    }
  }
  throw new Error("the module has no names of functions");
}

function readNames(reader: Reader): Map<string, number> {
  const names = new Map<string, number>();
  for (let left = reader.unsigned(); left > 0; left--) {
    const index = reader.unsigned();
    names.set(reader.text(), index);
  }
  return names;
}
