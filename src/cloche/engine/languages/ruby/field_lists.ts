/** Encodes lists of strings for the channel to Ruby: each with its length before it. */

const HEAD = 4;

export function packFields(fields: (string | Uint8Array)[]): Uint8Array {
  const parts = fields.map((field) => typeof field === "string" ? new TextEncoder().encode(field) : field);
  const all = new Uint8Array(parts.reduce((sum, part) => sum + HEAD + part.length, 0));
  const view = new DataView(all.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length, true);
    all.set(part, at + HEAD);
    at += HEAD + part.length;
  }
  return all;
}

/** A truncated field ends the list. */
export function unpackFields(data: Uint8Array): Uint8Array[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const fields = [];
  for (let at = 0; at + HEAD <= data.length;) {
    const end = at + HEAD + view.getUint32(at, true);
    if (end > data.length) break;
    fields.push(data.subarray(at + HEAD, end));
    at = end;
  }
  return fields;
}

const decoder = new TextDecoder();

export function decodeField(field: Uint8Array | undefined): string {
  return field ? decoder.decode(field) : "";
}
