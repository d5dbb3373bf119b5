/** Numbers as text, both ways. */

import { chargeWork, divideNumbers, makeInteger, type Num, Ratio, Real, toExact, toInexact } from "./numbers.ts";

const DIGITS: Record<number, string> = { 2: "[01]+", 8: "[0-7]+", 10: "[0-9]+", 16: "[0-9a-f]+" };
const PREFIXES: Record<string, number> = { b: 2, o: 8, d: 10, x: 16 };
const SPECIAL: Record<string, number> = { "+inf.0": Infinity, "-inf.0": -Infinity, "+nan.0": NaN, "-nan.0": NaN };
const MAX_EXPONENT = 100_000;

/** Null if the text is not a number. */
export function parseNumber(text: string, radix = 10): Num | null {
  let [rest, exactness] = [text.toLowerCase(), ""];
  for (let i = 0; i < 2 && rest[0] === "#"; i++) {
    const mark = rest[1];
    if (mark === "e" || mark === "i") exactness = mark;
    else if (Object.hasOwn(PREFIXES, mark ?? "")) radix = PREFIXES[mark];
    else return null;
    rest = rest.slice(2);
  }
  return parseReal(rest, radix, exactness);
}

function parseReal(text: string, radix: number, exactness: string): Num | null {
  if (Object.hasOwn(SPECIAL, text)) return exactness === "e" ? null : new Real(SPECIAL[text]);
  const whole = new RegExp(`^([+-]?)(${digits(radix)})(?:/(${digits(radix)}))?$`).exec(text);
  if (whole) {
    const [, sign, top, bottom] = whole;
    if (bottom !== undefined && /^0+$/.test(bottom)) return null;
    const value = bottom === undefined
      ? integer(sign, top, radix)
      : divideNumbers(integer(sign, top, radix), integer("", bottom, radix));
    if (exactness !== "i") return value;
    return value === 0 && sign === "-" ? new Real(-0) : toInexact(value);
  }
  return radix === 10 ? parseDecimal(text, exactness) : null;
}

const digits = (radix: number) => DIGITS[radix] ?? `[${"0123456789abcdefghijklmnopqrstuvwxyz".slice(0, radix)}]+`;

function integer(sign: string, text: string, radix: number): Num {
  if (text.length < 10) return parseInt(sign + text, radix) + 0;
  const value = parseBig(text, radix);
  return makeInteger(sign === "-" ? -value : value);
}

function parseBig(text: string, radix: number): bigint {
  if (radix === 10) return BigInt(text);
  const prefix = { 2: "0b", 8: "0o", 16: "0x" }[radix];
  if (prefix) return BigInt(prefix + text);
  return [...text].reduce((sum, digit) => sum * BigInt(radix) + BigInt(parseInt(digit, radix)), 0n);
}

function parseDecimal(text: string, exactness: string): Num | null {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/.exec(text);
  if (!parts || (parts[2] === "" && (parts[3] ?? "") === "")) return null;
  if (exactness !== "e") return new Real(Number(text));
  const [, sign, whole, fraction = "", exponent = "0"] = parts;
  const shift = Number(exponent) - fraction.length;
  if (Math.abs(shift) > MAX_EXPONENT) return null;
  const value = integer(sign, (whole + fraction).replace(/^0+(?=\d)/, ""), 10);
  const scale = makeInteger(10n ** BigInt(Math.abs(shift)));
  return shift < 0 ? divideNumbers(value, scale) : toExact(divideNumbers(value, divideNumbers(1, scale)));
}

export function formatNumber(value: Num, radix = 10): string {
  if (value instanceof Real) return formatReal(value.value, radix);
  for (const part of value instanceof Ratio ? [value.num, value.den] : [value]) chargeWork(part);
  if (value instanceof Ratio) return `${value.num.toString(radix)}/${value.den.toString(radix)}`;
  return value.toString(radix);
}

function formatReal(value: number, radix: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "+nan.0" : value > 0 ? "+inf.0" : "-inf.0";
  if (Object.is(value, -0)) return "-0.0";
  const text = value.toString(radix).replace("e+", "e");
  if (radix !== 10) return text.includes(".") ? text : text + ".0";
  return /[.e]/.test(text) ? text : text + ".0";
}
