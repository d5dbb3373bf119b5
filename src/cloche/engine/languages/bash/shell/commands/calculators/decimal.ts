/** Decimal numbers of any size for bc and dc: a whole number and how many of its digits are behind the point. */
import { CommandError } from "../tool/errors.ts";

export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };
export const ONE: Decimal = { digits: 1n, scale: 0 };
/** So long may the result of a power be. */
const MOST_BITS = 2 ** 25;

export function power10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

export function rescale({ digits, scale }: Decimal, to: number): Decimal {
  if (to === scale) return { digits, scale };
  return { digits: to > scale ? digits * power10(to - scale) : digits / power10(scale - to), scale: to };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: rescale(a, scale).digits + rescale(b, scale).digits, scale };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { digits: -b.digits, scale: b.scale });
}

export function multiply(a: Decimal, b: Decimal, scale: number): Decimal {
  const whole = { digits: a.digits * b.digits, scale: a.scale + b.scale };
  return rescale(whole, Math.min(whole.scale, Math.max(scale, a.scale, b.scale)));
}

export function divide(a: Decimal, b: Decimal, scale: number): Decimal {
  return { digits: a.digits * power10(scale + b.scale) / power10(a.scale) / b.digits, scale };
}

export function remainder(a: Decimal, b: Decimal, scale: number): Decimal {
  const quotient = divide(a, b, scale);
  const size = Math.max(a.scale, b.scale + scale);
  const product = { digits: quotient.digits * b.digits, scale: quotient.scale + b.scale };
  return rescale(subtract(a, product), size);
}

export function raise(base: Decimal, exponent: bigint, scale: number): Decimal {
  const size = exponent < 0n ? -exponent : exponent;
  const bits = Math.max(base.digits.toString(2).length - 1, base.scale * 3);
  if (Number(size) * bits > MOST_BITS) throw new CommandError("exponent too large in raise");
  const whole = { digits: base.digits ** size, scale: base.scale * Number(size) };
  if (exponent < 0n) return divide(ONE, whole, scale);
  return rescale(whole, Math.min(whole.scale, Math.max(scale, base.scale)));
}

export function squareRoot(value: Decimal, scale: number): Decimal {
  if (value.digits === 0n) return ZERO;
  if (compare(value, ONE) === 0) return ONE;
  const places = Math.max(scale, value.scale);
  const target = rescale(value, places * 2).digits;
  let root = 1n << BigInt(Math.ceil(target.toString(2).length / 2));
  for (;;) {
    const next = root + target / root >> 1n;
    if (next >= root) return { digits: root, scale: places };
    root = next;
  }
}

export function compare(a: Decimal, b: Decimal): number {
  const { digits } = subtract(a, b);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

export function truncate(value: Decimal): bigint {
  return rescale(value, 0).digits;
}

/** Reads digits in a base, each counting for `most` at most; `_` stands for a minus. */
export function parseDecimal(text: string, base: number, most = 15): Decimal {
  const negative = text.startsWith("_") || text.startsWith("-");
  const [whole, fraction = ""] = text.replace(/^[_-]/, "").split(".");
  const valueOf = (digits: string) => {
    let value = 0n;
    for (const digit of digits) value = value * BigInt(base) + BigInt(Math.min(parseInt(digit, 36), most));
    return value;
  };
  const scale = fraction.length;
  if (base === 10 && /^\d*$/.test(whole + fraction)) {
    const digits = BigInt(whole + fraction);
    return { digits: negative ? -digits : digits, scale };
  }
  const part = valueOf(fraction) * power10(scale) / BigInt(base) ** BigInt(scale);
  const digits = valueOf(whole) * power10(scale) + part;
  return { digits: negative ? -digits : digits, scale };
}

export function formatDecimal({ digits, scale }: Decimal, base: number): string {
  const sign = digits < 0n ? "-" : "";
  const size = digits < 0n ? -digits : digits;
  const unit = power10(scale);
  const [whole, fraction] = [size / unit, size % unit];
  if (base === 10) {
    const tail = scale > 0 ? `.${String(fraction).padStart(scale, "0")}` : "";
    return `${sign}${whole === 0n && tail !== "" ? "" : whole}${tail}`;
  }
  return sign + wholeIn(whole, base, scale > 0) + (scale > 0 ? `.${fractionIn(fraction, unit, base, scale)}` : "");
}

function showDigit(digit: bigint, base: number): string {
  if (base <= 16) return digit.toString(16).toUpperCase();
  return ` ${String(digit).padStart(String(base - 1).length, "0")}`;
}

function wholeIn(value: bigint, base: number, hasFraction: boolean): string {
  if (value === 0n) return hasFraction ? "" : showDigit(0n, base);
  let text = "";
  for (let left = value; left > 0n; left /= BigInt(base)) text = showDigit(left % BigInt(base), base) + text;
  return text;
}

function fractionIn(fraction: bigint, unit: bigint, base: number, scale: number): string {
  let text = "";
  let left = fraction;
  // As many digits as are needed to tell so many decimals apart.
  for (let reach = 1n; reach < power10(scale); reach *= BigInt(base)) {
    left *= BigInt(base);
    text += showDigit(left / unit, base);
    left %= unit;
  }
  // The point stands in the place of a blank.
  return text.trimStart();
}
