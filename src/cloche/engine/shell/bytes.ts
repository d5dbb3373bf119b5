/** Byte strings: strings whose every character is one byte, the form in which data passes through pipes. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// deno-lint-ignore no-control-regex -- "only ASCII" is what is asked
const ASCII = /^[\x00-\x7f]*$/;
const CHUNK = 8192;

/** The UTF-8 bytes of a text, as a byte string. */
export function encodeText(text: string): string {
  return ASCII.test(text) ? text : fromArray(encoder.encode(text));
}

/** The text that a byte string holds, or undefined if it is not valid UTF-8. */
export function decodeText(bytes: string): string | undefined {
  if (ASCII.test(bytes)) return bytes;
  try {
    return decoder.decode(toArray(bytes));
  } catch {
    return undefined;
  }
}

/** Bytes of an error message, which just-bash keeps now as text, now as bytes: whatever reads as UTF-8 is bytes. */
export function encodeMessage(message: string): string {
  // deno-lint-ignore no-control-regex -- any character beyond a byte
  if (/[^\x00-\xff]/.test(message) || decodeText(message) === undefined) return encodeText(message);
  return message;
}

/** A byte string as an array. */
export function toArray(bytes: string): Uint8Array<ArrayBuffer> {
  const array = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) array[i] = bytes.charCodeAt(i);
  return array;
}

/** An array as a byte string. */
export function fromArray(array: Uint8Array): string {
  if (array.length <= CHUNK) return String.fromCharCode(...array);
  const parts: string[] = [];
  for (let at = 0; at < array.length; at += CHUNK) parts.push(String.fromCharCode(...array.subarray(at, at + CHUNK)));
  return parts.join("");
}

/** Joins arrays into one. */
export function concat(arrays: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(arrays.reduce((sum, array) => sum + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    whole.set(array, at);
    at += array.length;
  }
  return whole;
}
