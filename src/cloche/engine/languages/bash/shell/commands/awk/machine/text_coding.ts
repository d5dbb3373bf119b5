/** Text from bytes and bytes from text; bytes that are no UTF-8 pass through both unchanged. */
import { concatBytes } from "../../../../../../text/bytes.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../../../text/byte_strings.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
/** Bytes that were no UTF-8, as `decodeText` keeps them. */
const KEPT_BYTE = /[\udc80-\udcff]/u;
const BEYOND_ASCII = /[\x80-\xff]/g;

function keepBytes(bytes: string): string {
  return bytes.replace(BEYOND_ASCII, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
}

/** A text of which every byte is a character of its own. */
export function splitBytes(text: string): string {
  return keepBytes(encodeText(text));
}

/** The text of which these were the bytes. */
export function joinBytes(text: string): string {
  return KEPT_BYTE.test(text) ? decodeText(encodeText(text)) : text;
}

function decodeWhole(data: Uint8Array): string {
  try {
    return strict.decode(data);
  } catch {
    return decodeText(fromArray(data));
  }
}

/** Decodes parts, also where a part ends inside of a character. */
export class TextDecoding {
  #begun: Uint8Array = new Uint8Array(0);

  /** `bytes`: each of them becomes a character. */
  constructor(private readonly bytes: boolean) {}

  decode(data: Uint8Array): string {
    if (this.bytes) return keepBytes(fromArray(data));
    const whole = this.#begun.length > 0 ? concatBytes([this.#begun, data]) : data;
    const end = whole.length - unfinished(whole);
    this.#begun = whole.slice(end);
    return decodeWhole(end === whole.length ? whole : whole.subarray(0, end));
  }

  /** What is left at the end. */
  end(): string {
    const rest = this.#begun;
    this.#begun = new Uint8Array(0);
    return rest.length > 0 ? decodeWhole(rest) : "";
  }
}

/** How many bytes at the end begin a character that needs more. */
function unfinished(data: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, data.length); back++) {
    const byte = data[data.length - back];
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

export function encodeBytes(text: string): Uint8Array {
  return KEPT_BYTE.test(text) ? toArray(encodeText(text)) : encoder.encode(text);
}
