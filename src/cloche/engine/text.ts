/** Bytes as text in which each character is one byte, and back. */

const PIECE = 8192;

export function latin1(data: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < data.length; at += PIECE) parts.push(String.fromCharCode(...data.subarray(at, at + PIECE)));
  return parts.join("");
}

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) data[i] = text.charCodeAt(i);
  return data;
}
