/** Lists of strings as perl's pack("(N/a*)*") writes them. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The parts are copies; a truncated string is left out. */
export function decodeStringList(data: Uint8Array): Uint8Array[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const fields: Uint8Array[] = [];
  for (let at = 0; at + 4 <= data.length;) {
    const end = at + 4 + view.getUint32(at);
    if (end > data.length) break;
    fields.push(data.slice(at + 4, end));
    at = end;
  }
  return fields;
}

/** Starts with the length of the whole list. */
export function encodeStringList(fields: (string | Uint8Array)[]): Uint8Array {
  const parts = fields.map((field) => typeof field === "string" ? encoder.encode(field) : field);
  const size = parts.reduce((sum, part) => sum + 4 + part.length, 0);
  const list = new Uint8Array(4 + size);
  const view = new DataView(list.buffer);
  view.setUint32(0, size);
  let at = 4;
  for (const part of parts) {
    view.setUint32(at, part.length);
    list.set(part, at + 4);
    at += 4 + part.length;
  }
  return list;
}

export function textOf(field: Uint8Array | undefined): string {
  return decoder.decode(field ?? new Uint8Array(0));
}
