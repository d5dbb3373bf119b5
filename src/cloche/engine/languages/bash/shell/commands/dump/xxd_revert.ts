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
  /** How many bytes a line has at most. */
  columns: number;
}

export function readBack(text: string, { plain, bits, offset, columns }: Revert): Piece[] {
  if (plain) return [{ start: 0, bytes: toArray(readPlain(text)) }];
  const pieces: Piece[] = [];
  for (const line of text.split("\n")) {
    const [, address, rest] = /^\s*([0-9a-fA-F]+):?\s*([^]*)$/.exec(line) ?? [];
    if (rest === undefined) continue;
    const start = parseInt(address, 16) + offset;
    if (!bits) {
      pieces.push({ start, bytes: toArray(readPlain(rest, false).slice(0, columns)) });
      continue;
    }
    // Two blanks end the digits; what follows is the text.
    const [digits] = rest.split(/ {2,}/);
    const cells = digits.split(" ").filter((part) => /^[01]+$/.test(part));
    pieces.push({ start, bytes: fromBits(cells.join("")) });
  }
  return pieces;
}

/** One character that is no digit is passed over; after two in a row the rest of the line is. */
function readPlain(text: string, skipsBlanks = true): string {
  let bytes = "";
  let [one, two, three] = [-1, -1, -1];
  for (let at = 0; at < text.length; at++) {
    if (skipsBlanks && /\s/.test(text[at])) continue;
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

function fromBits(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
}
