/**
 * Byte strings: strings whose every character is one byte, the form in which data passes through pipes.
 *
 * Text that was decoded from bytes that are no UTF-8 keeps them as the lone surrogates U+DC80 to U+DCFF, as Python's
 * "surrogateescape" does, so that it can be encoded back without loss.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const plainDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
// deno-lint-ignore no-control-regex -- "only ASCII" is what is asked
const ASCII = /^[\x00-\x7f]*$/;
const ESCAPED = /[\udc80-\udcff]/u;
const SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;
const CHUNK = 8192;
const LARGE = 65536;

/** Six times as fast for much data; a browser has none, and for little it is not worth loading. */
interface Native {
  Buffer?: { from(buffer: ArrayBufferLike, offset: number, length: number): { toString(encoding: string): string } };
}

/** The UTF-8 bytes of a text, as a byte string. */
export function encodeText(text: string): string {
  if (ASCII.test(text)) return text;
  if (!ESCAPED.test(text)) return fromArray(encoder.encode(text));
  const parts = text.split(/([\udc80-\udcff])/u);
  return parts.map((part, i) => i % 2 ? String.fromCharCode(part.charCodeAt(0) & 255) : encodeText(part)).join("");
}

/** The text that a byte string holds, or undefined if it is not valid UTF-8. */
export function decodeStrictly(bytes: string): string | undefined {
  if (ASCII.test(bytes)) return bytes;
  try {
    return decoder.decode(toArray(bytes));
  } catch {
    return undefined;
  }
}

/** The text of a byte string; bytes that are not UTF-8 stay as lone surrogates. */
export function decodeText(bytes: string): string {
  return decodeStrictly(bytes) ??
    bytes.replace(SEQUENCE, (part) => (part.length > 1 ? decodeStrictly(part) : undefined) ?? escaped(part));
}

function escaped(bytes: string): string {
  return String.fromCharCode(...Array.from(bytes, (char) => 0xdc00 + char.charCodeAt(0)));
}

/** Bytes of an error message, which just-bash keeps now as text, now as bytes: whatever reads as UTF-8 is bytes. */
export function encodeMessage(message: string): string {
  return !isBytes(message) || decodeStrictly(message) === undefined ? encodeText(message) : message;
}

/** Whether every character is one byte. */
export function isBytes(text: string): boolean {
  // deno-lint-ignore no-control-regex -- any character beyond a byte
  return !/[^\x00-\xff]/.test(text);
}

/** A byte string as an array. */
export function toArray(bytes: string): Uint8Array<ArrayBuffer> {
  // Encoding is native and fast; it returns as many bytes as characters only if all are ASCII.
  const encoded = encoder.encode(bytes);
  if (encoded.length === bytes.length) return encoded;
  const array = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) array[i] = bytes.charCodeAt(i);
  return array;
}

/** An array as a byte string. */
export function fromArray(array: Uint8Array): string {
  const { Buffer } = array.length < LARGE ? {} as Native : globalThis as unknown as Native;
  if (Buffer) return Buffer.from(array.buffer, array.byteOffset, array.length).toString("latin1");
  const text = plainDecoder.decode(array);
  if (text.length === array.length && ASCII.test(text)) return text;
  const parts: string[] = [];
  for (let at = 0; at < array.length; at += CHUNK) {
    parts.push(String.fromCharCode.apply(null, array.subarray(at, at + CHUNK) as unknown as number[]));
  }
  return parts.join("");
}
