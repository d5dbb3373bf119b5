/** Removes from PHP's program what costs time at every start: exports, and thousands of data segments. */

import { encodeUnsigned, Reader, readSections, SECTION, writeSections } from "../../../wasm/format.ts";
import { concatBytes } from "../../../text/bytes.ts";

export function keepExports(
  program: Uint8Array,
  keep: ReadonlySet<string>,
): Uint8Array {
  // Section 0 holds names for debuggers.
  const sections = readSections(program).filter(({ id }) => id !== 0);
  return writeSections(
    sections.map(({ id, body }) => ({
      id,
      body: id === SECTION.exports ? kept(body, keep) : body,
    })),
  );
}

/** The program without what it would put into its memory; its code must not refer to that. */
export function withoutData(program: Uint8Array): Uint8Array {
  const unwanted = [SECTION.data, SECTION.dataCount];
  return writeSections(
    readSections(program).filter(({ id }) => !unwanted.includes(id)),
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
    throw new Error(`the program does not export ${[...missing].join(", ")}`);
  }
  return concatBytes([Uint8Array.from(encodeUnsigned(parts.length)), ...parts]);
}
