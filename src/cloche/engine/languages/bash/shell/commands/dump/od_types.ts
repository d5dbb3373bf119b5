/** The forms in which od shows data. */
import { CommandError } from "../tool/errors.ts";
import { CONTROL_ESCAPES, CONTROL_NAMES } from "./control_characters.ts";

export interface DumpType {
  size: number;
  width: number;
  show(view: DataView, at: number, little: boolean): string;
  /** Followed by the bytes as characters. */
  shown: boolean;
}

const NAMES = [...CONTROL_NAMES.with(10, "nl"), "sp"];
const SIZES: Record<string, number> = { C: 1, S: 2, I: 4, L: 8 };
const FLOAT_SIZES: Record<string, number> = { F: 4, D: 8, L: 16 };
/** The widest number of 1, 2, 4 and 8 bytes. */
const WIDTHS: Record<string, number[]> = {
  d: [4, 6, 11, 20],
  o: [3, 6, 11, 22],
  u: [3, 5, 10, 20],
  x: [2, 4, 8, 16],
};

/** The types of one word, such as `x1z` or `d2u4`. */
export function parseTypes(word: string): DumpType[] {
  const types: DumpType[] = [];
  let rest = word;
  while (rest !== "") {
    const match = /^(?:([ac])|([doux])([CSIL]|\d+)?|f([FDL]|\d+)?)(z?)/.exec(rest);
    if (!match) throw new CommandError(`invalid character '${rest[0]}' in type string '${word}'`);
    const [whole, named, integer, size, float, z] = match;
    rest = rest.slice(whole.length);
    const shown = z === "z";
    if (named) types.push({ ...named === "a" ? NAMED : CHARACTER, shown });
    else if (integer) types.push({ ...makeInteger(integer, readSize(size ?? "I", SIZES, [1, 2, 4, 8], word)), shown });
    else types.push({ ...makeFloat(readSize(float ?? "D", FLOAT_SIZES, [4, 8], word)), shown });
  }
  return types;
}

function readSize(text: string, names: Record<string, number>, allowed: number[], word: string): number {
  const size = names[text] ?? Number(text);
  if (allowed.includes(size)) return size;
  const kind = names === SIZES ? "integral" : "floating point";
  throw new CommandError(
    `invalid type string '${word}';\nthis system doesn't provide a ${size}-byte ${kind} type`,
  );
}

const NAMED: Omit<DumpType, "shown"> = {
  size: 1,
  width: 3,
  show: (view, at) => {
    const code = view.getUint8(at) & 127;
    return code === 127 ? "del" : NAMES[code] ?? String.fromCharCode(code);
  },
};

const CHARACTER: Omit<DumpType, "shown"> = {
  size: 1,
  width: 3,
  show: (view, at) => {
    const code = view.getUint8(at);
    return CONTROL_ESCAPES[code] ??
      (code >= 32 && code < 127 ? String.fromCharCode(code) : code.toString(8).padStart(3, "0"));
  },
};

function makeInteger(kind: string, size: number): Omit<DumpType, "shown"> {
  const width = WIDTHS[kind][Math.log2(size)];
  const base = kind === "o" ? 8 : kind === "x" ? 16 : 10;
  const fill = kind === "o" || kind === "x" ? width : 0;
  const read = kind === "d" ? readSigned : readUnsigned;
  return { size, width, show: (view, at, little) => read(view, at, size, little).toString(base).padStart(fill, "0") };
}

function readSigned(view: DataView, at: number, size: number, little: boolean): number | bigint {
  if (size === 1) return view.getInt8(at);
  if (size === 2) return view.getInt16(at, little);
  return size === 4 ? view.getInt32(at, little) : view.getBigInt64(at, little);
}

export function readUnsigned(view: DataView, at: number, size: number, little: boolean): number | bigint {
  if (size === 1) return view.getUint8(at);
  if (size === 2) return view.getUint16(at, little);
  return size === 4 ? view.getUint32(at, little) : view.getBigUint64(at, little);
}

function makeFloat(size: number): Omit<DumpType, "shown"> {
  if (size === 4) return { size, width: 15, show: (view, at, little) => shortest(view.getFloat32(at, little), true) };
  return { size, width: 24, show: (view, at, little) => shortest(view.getFloat64(at, little), false) };
}

/** The fewest digits that give the number again, in the manner of C's %g. */
function shortest(value: number, single: boolean): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  const same = (text: string) => single ? Math.fround(Number(text)) === value : Number(text) === value;
  const least = single ? 2 ** -126 : 2 ** -1022;
  let digits = Math.abs(value) < least ? 1 : single ? 6 : 15;
  while (digits < 17 && !same(value.toPrecision(digits))) digits++;
  return formatGeneral(value, digits);
}

function formatGeneral(value: number, digits: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  const trim = (text: string) => text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  if (power >= -4 && power < digits) return trim(value.toFixed(Math.max(0, digits - 1 - power)));
  return `${trim(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
