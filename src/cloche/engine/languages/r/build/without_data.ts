/** Removes the initial data from a program: the snapshot brings it. */

import { encodeUnsigned, Reader, readSections, SECTION, writeSections } from "../../../wasm/format.ts";
import { concatBytes } from "../../../text/bytes.ts";

/** Keeps the number of pieces, which code may refer to. */
export function withoutData(program: Uint8Array): Uint8Array {
  const sections = readSections(program);
  return writeSections(
    sections.map(({ id, body }) => ({
      id,
      body: id === SECTION.data ? emptied(body) : body,
    })),
  );
}

function emptied(body: Uint8Array): Uint8Array {
  const count = new Reader(body).unsigned();
  // An active piece of no bytes at address 0.
  const piece = Uint8Array.of(0, 0x41, 0, 0x0b, 0);
  return concatBytes([
    Uint8Array.from(encodeUnsigned(count)),
    ...Array.from({ length: count }, () => piece),
  ]);
}
