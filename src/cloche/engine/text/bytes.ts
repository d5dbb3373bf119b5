/** Converts bytes to strings with one character per byte, and back; joins bytes. */

const PIECE = 8192;

export function decodeLatin1(data: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < data.length; at += PIECE) parts.push(String.fromCharCode(...data.subarray(at, at + PIECE)));
  return parts.join("");
}

export function encodeLatin1(text: string): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) data[i] = text.charCodeAt(i);
  return data;
}

/** Joins arrays into one. */
export function concatBytes(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
