/** The conversions of printf, such as `%-5.2f`. */
import { characterCount } from "./characters.ts";
import { formatDouble } from "./doubles.ts";

/** One conversion. */
export interface Conversion {
  letter: string;
  /** Where the value stands, counted from 1; 0 takes the next. */
  position: number;
  minus: boolean;
  plus: boolean;
  space: boolean;
  alternate: boolean;
  zero: boolean;
  width: number | "next";
  precision: number | "next" | undefined;
}

type Piece = string | Conversion;

const CONVERSION = /%(?:(\d+)\$)?([-+ #0']*)(\*|\d+)?(?:\.(\*|-?\d+)?)?(?:hh|ll|[hlLjzt])?([a-zA-Z%])/y;
const KEPT = 200;
const parsed = new Map<string, Piece[]>();

/** The pieces of a format. */
export function parseFormat(format: string): Piece[] {
  const known = parsed.get(format);
  if (known) return known;
  const pieces: Piece[] = [];
  for (let at = 0; at < format.length;) {
    const percent = format.indexOf("%", at);
    if (percent < 0) {
      pieces.push(format.slice(at));
      break;
    }
    if (percent > at) pieces.push(format.slice(at, percent));
    CONVERSION.lastIndex = percent;
    const match = CONVERSION.exec(format);
    if (!match || !"diouxXcsfFeEgGaA%".includes(match[5])) {
      // What is no conversion is printed as it is.
      const end = match ? percent + match[0].length : percent + 1;
      pieces.push(format.slice(percent, end));
      at = end;
      continue;
    }
    pieces.push(conversionOf(match));
    at = percent + match[0].length;
  }
  if (parsed.size >= KEPT) parsed.clear();
  parsed.set(format, pieces);
  return pieces;
}

function conversionOf([whole, position, flags, width, precision, letter]: RegExpExecArray): Piece {
  if (letter === "%") return "%";
  const exact = precision === "*"
    ? "next"
    : precision !== undefined
    ? Number(precision)
    : whole.includes(".")
    ? 0
    : undefined;
  return {
    letter,
    position: Number(position ?? 0),
    minus: flags.includes("-"),
    plus: flags.includes("+"),
    space: flags.includes(" "),
    alternate: flags.includes("#"),
    zero: flags.includes("0"),
    width: width === "*" ? "next" : Number(width ?? 0),
    precision: typeof exact === "number" && exact < 0 ? undefined : exact,
  };
}

/** A number as the conversion prints it. */
export function convertNumber(number: number, conversion: Conversion): string {
  const { letter } = conversion;
  if (!Number.isFinite(number)) return padText(specialText(number, conversion), conversion);
  if ("di".includes(letter)) return padNumber(integerText(number, 10, conversion), conversion, true);
  if ("ouxX".includes(letter)) return unsigned(number, conversion);
  return padNumber(floatText(number, conversion), conversion, false);
}

function specialText(number: number, { plus, space, letter }: Conversion): string {
  const upper = "FEGA".includes(letter);
  if (number !== number) return upper ? "-NAN" : "-nan";
  const sign = number < 0 ? "-" : plus || "di".includes(letter) ? "+" : space ? " " : "+";
  return sign + (upper ? "INF" : "inf");
}

function integerText(number: number, base: number, { precision }: Conversion): string {
  const whole = Math.trunc(number);
  const sign = whole < 0 ? "-" : "";
  const size = Math.abs(whole);
  const digits = size < 2 ** 53 ? size.toString(base) : BigInt(size).toString(base);
  if (precision === 0 && size === 0) return "";
  return sign + (typeof precision === "number" ? digits.padStart(precision, "0") : digits);
}

const BASES: Record<string, number> = { o: 8, u: 10, x: 16, X: 16 };
const WORD = 1n << 64n;

function unsigned(number: number, conversion: Conversion): string {
  const { letter, alternate } = conversion;
  const whole = Math.trunc(number);
  // A negative number is shown as the machine word that it is.
  const size = whole < 0 ? Number(0) : whole;
  let text = whole < 0 && -whole <= 2 ** 63
    ? (WORD + BigInt(whole)).toString(BASES[letter])
    : integerText(size, BASES[letter], conversion);
  if (alternate && letter === "o" && !text.startsWith("0")) text = `0${text}`;
  if (alternate && "xX".includes(letter) && whole !== 0) text = `0x${text}`;
  return padNumber(letter === "X" ? text.toUpperCase() : text, { ...conversion, plus: false, space: false }, true);
}

function floatText(number: number, conversion: Conversion): string {
  const { letter, alternate } = conversion;
  const precision = typeof conversion.precision === "number" ? conversion.precision : 6;
  const lower = letter.toLowerCase();
  const text = lower === "a"
    ? hexadecimal(number, typeof conversion.precision === "number" ? conversion.precision : undefined)
    : formatDouble(number, lower as "f", precision, alternate);
  const pointed = alternate && !text.includes(".") ? text.replace(/(?=e|$)/, ".") : text;
  return letter === lower ? pointed : pointed.toUpperCase();
}

/** %a */
function hexadecimal(number: number, precision: number | undefined): string {
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  let size = Math.abs(number);
  if (size === 0) return `${sign}0x0${precision ? "." + "0".repeat(precision) : ""}p+0`;
  let power = 0;
  for (; size >= 2; size /= 2) power++;
  for (; size < 1; size *= 2) power--;
  let bits = BigInt(size * 2 ** 52);
  let digits = 13;
  if (precision !== undefined && precision < 13) {
    const dropped = BigInt(4 * (13 - precision));
    bits = (bits + (1n << (dropped - 1n))) >> dropped;
    digits = precision;
  }
  const text = bits.toString(16).padStart(digits + 1, "0");
  let fraction = text.slice(text.length - digits);
  if (precision === undefined) fraction = fraction.replace(/0+$/, "");
  else fraction = fraction.padEnd(precision, "0");
  return `${sign}0x${text.slice(0, text.length - digits)}${fraction ? "." + fraction : ""}p${power < 0 ? "-" : "+"}${
    Math.abs(power)
  }`;
}

/** Adds sign and width to a number; a precision stops zeros from filling whole numbers. */
function padNumber(text: string, conversion: Conversion, whole: boolean): string {
  const { plus, space, minus } = conversion;
  const negative = text.startsWith("-");
  const sign = negative ? "-" : plus ? "+" : space ? " " : "";
  const digits = negative ? text.slice(1) : text;
  const width = conversion.width as number;
  const zeros = conversion.zero && !minus && !(whole && conversion.precision !== undefined);
  if (zeros) {
    const prefix = /^0[xX]/.test(digits) ? digits.slice(0, 2) : "";
    return sign + prefix + digits.slice(prefix.length).padStart(width - sign.length - prefix.length, "0");
  }
  return padText(sign + digits, conversion);
}

/** A text in the width of a conversion. */
export function padText(text: string, { minus, width }: Conversion): string {
  const missing = (width as number) - (width === 0 ? 0 : characterCount(text));
  if (missing <= 0) return text;
  return minus ? text + " ".repeat(missing) : " ".repeat(missing) + text;
}
