/** Removes from PHP's module the exports that the engine does not use: each costs time at every start. */

import { encodeUnsigned, Reader, readSections, SECTION, writeSections } from "../../../wasm/format.ts";
import { concatBytes } from "../../../text/bytes.ts";

export function keepExports(
  wasm: Uint8Array,
  keep: ReadonlySet<string>,
): Uint8Array {
  // Section 0 holds names for debuggers.
  const sections = readSections(wasm).filter(({ id }) => id !== 0);
  return writeSections(
    sections.map(({ id, body }) => ({
      id,
      body: id === SECTION.exports ? kept(body, keep) : body,
    })),
  );
}

function kept(body: Uint8Array, keep: ReadonlySet<string>): Uint8Array {
  const reader = new Reader(body);
  const missing = new Set(keep);
  const parts: Uint8Array[] = [];
  for (let left = reader.unsigned(); left > 0; left--) {
    const from = reader.at;
    const name = reader.text();
    reader.byte();
    reader.unsigned();
    if (missing.delete(name)) parts.push(body.subarray(from, reader.at));
  }
  if (missing.size > 0) {
    throw new Error(`the module does not export ${[...missing].join(", ")}`);
  }
  return concatBytes([Uint8Array.from(encodeUnsigned(parts.length)), ...parts]);
}
