/** Dumps of xxd read back. */
import { toArray } from "../../../text/byte_strings.ts";

export interface Piece {
  start: number;
  bytes: Uint8Array;
}

export interface Revert {
  plain: boolean;
  bits: boolean;
  offset: number;
}

export function readBack(text: string, { plain, bits, offset }: Revert): Piece[] {
  if (plain) return [{ start: 0, bytes: toArray(readPlain(text)) }];
  const pieces: Piece[] = [];
  for (const line of text.split("\n")) {
    const [, address, rest] = /^\s*([0-9a-fA-F]+):?\s?(.*)$/.exec(line) ?? [];
    if (rest === undefined) continue;
    // Two blanks end the digits; what follows is the text.
    const [digits] = rest.split(/ {2,}/);
    const cells = digits.split(" ").filter((part) => bits ? /^[01]+$/.test(part) : /^[0-9a-fA-F]+$/.test(part));
    pieces.push({ start: parseInt(address, 16) + offset, bytes: fromDigits(cells.join(""), bits) });
  }
  return pieces;
}

/** One character that is no digit is passed over; after two in a row the rest of the line is. */
function readPlain(text: string): string {
  let bytes = "";
  let [one, two, three] = [-1, -1, -1];
  for (let at = 0; at < text.length; at++) {
    if (/\s/.test(text[at])) continue;
    [three, two] = [two, one];
    one = /[0-9a-fA-F]/.test(text[at]) ? parseInt(text[at], 16) : -1;
    if (two >= 0 && one >= 0) {
      bytes += String.fromCharCode(two * 16 + one);
      one = -1;
    } else if (one < 0 && two < 0 && three < 0) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    }
  }
  return bytes;
}

function fromDigits(digits: string, bits: boolean): Uint8Array {
  const size = bits ? 8 : 2;
  let bytes = "";
  for (let at = 0; at + size <= digits.length; at += size) {
    bytes += String.fromCharCode(parseInt(digits.slice(at, at + size), bits ? 2 : 16));
  }
  return toArray(bytes);
}
