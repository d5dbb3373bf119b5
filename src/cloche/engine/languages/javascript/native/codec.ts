/** Encodes and decodes text, in the encodings that programs name. */

import { decodeLatin1, encodeLatin1 as fromLatin1 } from "../../../text/bytes.ts";
import { checkBytes, checkText } from "../file_calls.ts";
import { GuestError, type HostFunction } from "../quickjs/vm.ts";

const encoder = new TextEncoder();
const DIGITS = "0123456789abcdef";

const ENCODE: Record<string, (value: string) => Uint8Array> = {
  utf8: (value) => encoder.encode(value),
  latin1: (value) => fromLatin1(value),
  hex: (value) => fromHex(value),
  base64: (value) => fromBase64(value),
  utf16le: (value) => toUnits(value),
};

const DECODE: Record<string, (data: Uint8Array) => string> = {
  utf8: (data) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(data),
  latin1: (data) => decodeLatin1(data),
  ascii: (data) => decodeLatin1(data.map((byte) => byte & 127)),
  hex: (data) => toHex(data),
  base64: (data) => btoa(decodeLatin1(data)),
  base64url: (data) => btoa(decodeLatin1(data)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
  utf16le: (data) => new TextDecoder("utf-16le", { ignoreBOM: true }).decode(data.subarray(0, data.length & ~1)),
};

export const codec: Record<string, HostFunction> = {
  encode: (value, encoding) => chosen(ENCODE, encoding)(String(value)),
  decode: (data, encoding) => chosen(DECODE, encoding)(checkBytes(data)),
  /** Any encoding that the web knows. */
  decodeAs: (data, label, fatal, ignoreBOM) => {
    try {
      return new TextDecoder(checkText(label), { fatal: fatal === true, ignoreBOM: ignoreBOM === true }).decode(
        checkBytes(data),
      );
    } catch (error) {
      const known = error instanceof TypeError;
      throw new GuestError(
        known ? "TypeError" : "RangeError",
        known ? "The encoded data was not valid" : `The "${label}" encoding is not supported`,
        known ? "ERR_ENCODING_INVALID_ENCODED_DATA" : "ERR_ENCODING_NOT_SUPPORTED",
      );
    }
  },
};

function chosen<T>(table: Record<string, T>, name: unknown): T {
  if (typeof name !== "string" || !Object.hasOwn(table, name)) throw new GuestError("TypeError", "no such encoding");
  return table[name];
}

function toUnits(value: string): Uint8Array {
  const units = new Uint16Array(value.length);
  for (let at = 0; at < value.length; at++) units[at] = value.charCodeAt(at);
  return new Uint8Array(units.buffer);
}

/** Built as bytes first: a list of all pairs would take a hundred times the memory. */
function toHex(data: Uint8Array): string {
  const text = new Uint8Array(2 * data.length);
  for (let at = 0; at < data.length; at++) {
    text[2 * at] = DIGITS.charCodeAt(data[at] >> 4);
    text[2 * at + 1] = DIGITS.charCodeAt(data[at] & 15);
  }
  return decodeLatin1(text);
}

function fromHex(value: string): Uint8Array {
  const digits = /^(?:[\da-fA-F]{2})*/.exec(value)?.[0] ?? "";
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** Accepts both alphabets and any padding, and never fails. */
function fromBase64(value: string): Uint8Array {
  const [clean] = value.replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z\d+/=]/g, "").split("=");
  return fromLatin1(atob(clean.length % 4 === 1 ? clean.slice(0, -1) : clean));
}
