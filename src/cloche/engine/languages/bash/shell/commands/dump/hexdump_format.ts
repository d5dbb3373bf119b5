/** Formats of hexdump: `8/1 "%02x " "\n"`. */
import { unescapeText } from "../../../text/escapes.ts";
import { CommandError } from "../tool/errors.ts";
import { CONTROL_ESCAPES, CONTROL_NAMES } from "./control_characters.ts";

/** One conversion of a unit, with the text around it. */
interface Piece {
  before: string;
  /** Without a conversion it is only text. */
  conversion?: Conversion;
}

interface Conversion {
  flags: string;
  width: string;
  precision: number | undefined;
  letter: string;
  size: number;
}

/** Pieces that are applied a number of times. */
interface Unit {
  count: number;
  /** Whether the count was left out: then it fills the block. */
  fills: boolean;
  pieces: Piece[];
  after: string;
  size: number;
}

export interface Format {
  units: Unit[];
  size: number;
}

const SPEC = /%([-+ #0]*)(\d*)(?:\.(\d*))?(_A[dox]|_a[dox]|_[cpu]|[cdiouxXeEfgGs%])/;

export function parseFormat(text: string): Format {
  const units: Unit[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const match = /^(?:(\d+)?(?:\/(\d+)?)?)?\s*"((?:[^"\\]|\\.)*)"\s*/.exec(rest);
    if (!match) throw new CommandError(`bad format {${text}}`);
    const [whole, count, size, body] = match;
    units.push(makeUnit(Number(count ?? 1), count === undefined, Number(size ?? 0), unescapeText(body, "echo").bytes));
    rest = rest.slice(whole.length);
  }
  return { units, size: units.reduce((sum, unit) => sum + unit.size * unit.count, 0) };
}

function makeUnit(count: number, fills: boolean, size: number, body: string): Unit {
  const pieces: Piece[] = [];
  let rest = body;
  for (let match = SPEC.exec(rest); match; match = SPEC.exec(rest)) {
    const [whole, flags, width, precision, letter] = match;
    const digits = precision === undefined ? undefined : Number(precision);
    if (letter === "s" && !size && !digits) throw new CommandError("%s requires a precision or a byte count");
    const bytes = letter.startsWith("_a") || letter.startsWith("_A") || letter === "%"
      ? 0
      : letter === "s"
      ? size || digits || 1
      : size || (/^_?[cpu]$/.test(letter) && letter !== "u" ? 1 : /[eEfgG]/.test(letter) ? 8 : 4);
    pieces.push({
      before: rest.slice(0, match.index),
      conversion: { flags, width, precision: digits, letter, size: bytes },
    });
    rest = rest.slice(match.index + whole.length);
  }
  const total = pieces.reduce((sum, { conversion }) => sum + (conversion?.size ?? 0), 0);
  return { count, fills, pieces, after: rest, size: total };
}

/** Repeats the last unit until the block is full, if its count was left out. */
export function fillBlock(format: Format, size: number): Format {
  const last = format.units.at(-1);
  if (!last || !last.fills || last.size === 0 || format.size >= size) return format;
  const count = last.count + Math.floor((size - format.size) / last.size);
  return { units: [...format.units.slice(0, -1), { ...last, count }], size };
}

/** The text of a block. What is beyond `length` is shown as blanks. */
export function showBlock(format: Format, block: Uint8Array, length: number, start: number): string {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  let out = "";
  let at = 0;
  for (const { count, pieces, after } of format.units) {
    for (let i = 0; i < count; i++) {
      for (const { before, conversion } of pieces) {
        out += before;
        if (!conversion) continue;
        const isEmpty = conversion.size > 0 && at >= length;
        out += isEmpty ? blanks(conversion) : show(conversion, view, at, start + at);
        at += conversion.size;
      }
      // The blank after the last of several is left out.
      out += i === count - 1 && count > 1 ? after.replace(/[ \t]+$/, "") : after;
    }
  }
  return out;
}

/** The address after all data, for formats that ask for it. */
export function showEnd(format: Format, at: number): string {
  let out = "";
  let wanted = false;
  for (const { pieces, after } of format.units) {
    for (const { before, conversion } of pieces) {
      if (!conversion?.letter.startsWith("_A")) continue;
      wanted = true;
      out += before + show(conversion, new DataView(new ArrayBuffer(0)), 0, at);
    }
    if (wanted) out += after;
  }
  return out;
}

function blanks({ width, letter, precision }: Conversion): string {
  if (letter === "_p" || letter === "_c" && width === "") return letter === "_p" ? "" : " ";
  return " ".repeat(Math.max(Number(width || 0), precision ?? 0));
}

function show(conversion: Conversion, view: DataView, at: number, address: number): string {
  const { letter, size } = conversion;
  const rest = view.byteLength - at;
  if (letter === "%") return "%";
  if (/^_[aA]/.test(letter)) return adorn(conversion, toBase(address, letter[2]));
  if (letter === "_p" || letter === "_c" || letter === "_u" || letter === "c") {
    return adorn({ ...conversion, precision: undefined }, character(letter, view.getUint8(at)));
  }
  if (letter === "s") {
    let text = "";
    for (let i = 0; i < Math.min(size, rest) && view.getUint8(at + i) !== 0; i++) {
      text += String.fromCharCode(view.getUint8(at + i));
    }
    return adorn({ ...conversion, precision: undefined }, text);
  }
  if (/[eEfgG]/.test(letter)) return adorn({ ...conversion, precision: undefined }, float(conversion, view, at));
  return adorn(conversion, toBase(readInteger(view, at, size, /[di]/.test(letter)), letter));
}

function readInteger(view: DataView, at: number, size: number, signed: boolean): number | bigint {
  if (size === 1) return signed ? view.getInt8(at) : view.getUint8(at);
  if (size === 2) return signed ? view.getInt16(at, true) : view.getUint16(at, true);
  if (size === 8) return signed ? view.getBigInt64(at, true) : view.getBigUint64(at, true);
  if (size === 4) return signed ? view.getInt32(at, true) : view.getUint32(at, true);
  throw new CommandError(`bad byte count for conversion character ${signed ? "d" : "x"}`);
}

function toBase(value: number | bigint, letter: string): string {
  const text = value.toString(letter === "o" ? 8 : /[xX]/.test(letter) ? 16 : 10);
  return letter === "X" ? text.toUpperCase() : text;
}

function character(letter: string, code: number): string {
  const isPlain = code >= 32 && code < 127;
  if (letter === "c") return String.fromCharCode(code);
  if (isPlain) return String.fromCharCode(code);
  if (letter === "_p") return ".";
  if (letter === "_u") return code === 127 ? "del" : CONTROL_NAMES[code] ?? code.toString(16).padStart(2, "0");
  return CONTROL_ESCAPES[code] ?? code.toString(8).padStart(3, "0");
}

function float({ letter, precision = 6, size }: Conversion, view: DataView, at: number): string {
  const value = size === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true);
  if (letter === "f") return value.toFixed(precision);
  if (/[eE]/.test(letter)) {
    return value.toExponential(precision).replace(/e([-+])(\d)$/, "e$10$2").replace("e", letter);
  }
  return String(Number(value.toPrecision(precision || 1)));
}

function adorn({ flags, width, precision }: Conversion, text: string): string {
  const digits = precision === undefined ? text : text.padStart(precision, "0");
  const size = Number(width || 0);
  if (flags.includes("-")) return digits.padEnd(size);
  return digits.padStart(size, flags.includes("0") && precision === undefined ? "0" : " ");
}
