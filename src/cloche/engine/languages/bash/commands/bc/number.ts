/** Decimal numbers of any size with a fixed count of places, as bc has them. */
import { CommandError } from "../command.ts";

/** `digits` / 10^`scale`. */
export interface Num {
  digits: bigint;
  scale: number;
}

export const ZERO: Num = { digits: 0n, scale: 0 };
export const ONE: Num = { digits: 1n, scale: 0 };

const MAX_EXPONENT = 1_000_000;

function power10(n: number): bigint {
  return 10n ** BigInt(n);
}

export function int(value: number | bigint): Num {
  return { digits: BigInt(value), scale: 0 };
}

/** The same number with another count of places; places that go are cut off. */
export function rescale(a: Num, scale: number): Num {
  if (scale === a.scale) return a;
  const digits = scale > a.scale ? a.digits * power10(scale - a.scale) : a.digits / power10(a.scale - scale);
  return { digits, scale };
}

export function toInteger(a: Num): bigint {
  return rescale(a, 0).digits;
}

export function add(a: Num, b: Num, sign = 1n): Num {
  const scale = Math.max(a.scale, b.scale);
  return { digits: rescale(a, scale).digits + sign * rescale(b, scale).digits, scale };
}

export function multiply(a: Num, b: Num, scale: number): Num {
  const full = { digits: a.digits * b.digits, scale: a.scale + b.scale };
  return rescale(full, Math.min(full.scale, Math.max(scale, a.scale, b.scale)));
}

export function divide(a: Num, b: Num, scale: number): Num {
  if (b.digits === 0n) throw new CommandError("Divide by zero");
  const shift = scale + b.scale - a.scale;
  const top = shift >= 0 ? a.digits * power10(shift) : a.digits / power10(-shift);
  return { digits: top / b.digits, scale };
}

export function modulo(a: Num, b: Num, scale: number): Num {
  const wide = Math.max(scale + b.scale, a.scale);
  const quotient = divide(a, b, scale);
  const product = { digits: quotient.digits * b.digits, scale: quotient.scale + b.scale };
  return rescale(add(a, product, -1n), wide);
}

export function raise(a: Num, b: Num, scale: number): Num {
  const exponent = Number(toInteger(b));
  if (Math.abs(exponent) > MAX_EXPONENT) throw new CommandError("exponent too large in raise");
  const size = Math.abs(exponent);
  const full = { digits: a.digits ** BigInt(size), scale: a.scale * size };
  if (exponent < 0) return divide(ONE, full, scale);
  return rescale(full, Math.min(full.scale, Math.max(scale, a.scale)));
}

export function squareRoot(a: Num, scale: number): Num {
  if (a.digits < 0n) throw new CommandError("Square root of a negative number");
  const places = Math.max(scale, a.scale);
  const target = rescale(a, places * 2).digits;
  if (target < 2n) return { digits: target, scale: places };
  let guess = 1n << BigInt(Math.ceil(target.toString(2).length / 2));
  for (;;) {
    const next = (guess + target / guess) >> 1n;
    if (next >= guess) return { digits: guess, scale: places };
    guess = next;
  }
}

export function compare(a: Num, b: Num): number {
  const { digits } = add(a, b, -1n);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** A number from its digits in a base. */
export function parseNumber(text: string, base: number): Num {
  const [whole, fraction = ""] = text.split(".");
  const value = (char: string) => Math.min(parseInt(char, 36), base === 10 && text.length > 1 ? 9 : 35);
  const cap = (char: string) => text.length === 1 ? value(char) : Math.min(value(char), base - 1);
  if (base === 10 && /^[0-9.]+$/.test(text)) return { digits: BigInt(whole + fraction || "0"), scale: fraction.length };
  let digits = 0n;
  for (const char of whole) digits = digits * BigInt(base) + BigInt(cap(char));
  let part = 0n;
  for (const char of fraction) part = part * BigInt(base) + BigInt(cap(char));
  const scaled = part * power10(fraction.length) / BigInt(base) ** BigInt(fraction.length);
  return { digits: digits * power10(fraction.length) + scaled, scale: fraction.length };
}

/** The number as bc prints it: no zero before the point. */
export function formatNumber(a: Num, base: number): string {
  const negative = a.digits < 0n;
  const size = negative ? -a.digits : a.digits;
  const unit = power10(a.scale);
  const [whole, part] = [size / unit, size % unit];
  if (whole === 0n && part === 0n) return "0";
  const sign = negative ? "-" : "";
  if (base === 10) {
    const fraction = a.scale > 0 ? `.${part.toString().padStart(a.scale, "0")}` : "";
    return sign + (whole === 0n ? "" : whole.toString()) + fraction;
  }
  return sign + (whole === 0n && a.scale > 0 ? "" : wholeIn(whole, base)) + fractionIn(part, unit, base, a.scale);
}

function digitIn(value: number, base: number): string {
  if (base <= 16) return value.toString(16).toUpperCase();
  return ` ${String(value).padStart(String(base - 1).length, "0")}`;
}

function wholeIn(value: bigint, base: number): string {
  let text = "";
  for (let rest = value; rest > 0n || text === ""; rest /= BigInt(base)) {
    text = digitIn(Number(rest % BigInt(base)), base) + text;
  }
  return text;
}

function fractionIn(part: bigint, unit: bigint, base: number, scale: number): string {
  if (scale === 0) return "";
  let text = ".";
  let rest = part;
  for (let reached = 1n; reached < power10(scale); reached *= BigInt(base)) {
    rest *= BigInt(base);
    text += digitIn(Number(rest / unit), base);
    rest %= unit;
  }
  return text;
}
