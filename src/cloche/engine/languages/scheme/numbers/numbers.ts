/** The numeric tower: exact integers and rationals, inexact reals. */

import { raiseFailure, wrongType } from "../vm/errors.ts";
import { chargeWords } from "../vm/work_meter.ts";
import type { Value } from "../vm/values.ts";

/** An exact number that is not an integer, in lowest terms with a positive denominator. */
export class Ratio {
  constructor(readonly num: bigint, readonly den: bigint) {}
}

/** An inexact real. */
export class Real {
  constructor(readonly value: number) {}
}

export type Int = number | bigint;
export type Num = Int | Ratio | Real;

const MAX = Number.MAX_SAFE_INTEGER;
/** Exact integers larger than this are refused: their arithmetic could not be interrupted. */
const MAX_BITS = 1 << 22;
const LIMIT = 1n << BigInt(MAX_BITS);
// Negated once: that copies all of their digits.
const SAFE = BigInt(MAX);
const MINUS_SAFE = -SAFE;
const LARGE = 1n << 16384n;
const MINUS_LARGE = -LARGE;
const LARGE_WORDS = 4096;
const HUGE = 1n << 524288n;
const HUGE_WORDS = 1 << 17;
const GCD_WORDS = 32768;

export function isNum(value: Value): value is Num {
  return typeof value === "number" || value instanceof Real || typeof value === "bigint" || value instanceof Ratio;
}

export function checkNumber(value: Value, who: string): Num {
  if (isNum(value)) return value;
  throw wrongType(who, "a number", value);
}

export function isExact(value: Num): value is Int | Ratio {
  return !(value instanceof Real);
}

export function isInteger(value: Value): boolean {
  if (typeof value === "number" || typeof value === "bigint") return true;
  return value instanceof Real && Number.isInteger(value.value);
}

export function makeInteger(value: bigint): Int {
  if (value <= SAFE && value >= MINUS_SAFE) return Number(value);
  if (value >= LARGE || value <= MINUS_LARGE) chargeLarge(value);
  return value;
}

function chargeLarge(value: bigint): void {
  const size = value < 0n ? -value : value;
  if (size >= LIMIT) throw tooLong();
  chargeWords(size >= HUGE ? HUGE_WORDS : LARGE_WORDS);
}

export function makeRatio(n: bigint, d: bigint): Int | Ratio {
  if (d === 0n) throw raiseFailure("DivisionByZero", "division by zero");
  if (d < 0n) [n, d] = [-n, -d];
  const g = bigGcd(n < 0n ? -n : n, d);
  if (g !== 1n) [n, d] = [n / g, d / g];
  if (d === 1n) return makeInteger(n);
  makeInteger(n);
  makeInteger(d);
  return new Ratio(n, d);
}

export function bigGcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) {
    if (a <= SAFE && b <= SAFE) return BigInt(smallGcd(Number(a), Number(b)));
    [a, b] = [b, a % b];
    chargeWords(GCD_WORDS);
  }
  return a;
}

function smallGcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

export function toNumber(value: Num): number {
  if (typeof value === "number") return value;
  if (value instanceof Real) return value.value;
  return typeof value === "bigint" ? Number(value) : quotientAsNumber(value.num, value.den);
}

/** Correctly rounded even when both parts are beyond the range of a double. */
function quotientAsNumber(n: bigint, d: bigint): number {
  const [a, b] = [Number(n), Number(d)];
  if (Math.abs(a) <= MAX && b <= MAX) return a / b;
  const negative = n < 0n;
  const size = negative ? -n : n;
  const shift = bitLength(d) - bitLength(size) + 66;
  const scaled = shift >= 0 ? (size << BigInt(shift)) / d : size / (d << BigInt(-shift));
  // A sticky bit keeps ties from being rounded twice.
  const exact = shift >= 0 ? scaled * d === size << BigInt(shift) : scaled * (d << BigInt(-shift)) === size;
  const result = scaleDown(Number(exact ? scaled : scaled | 1n), shift);
  return negative ? -result : result;
}

function scaleDown(value: number, shift: number): number {
  for (; shift > 1000; shift -= 1000) value /= 2 ** 1000;
  for (; shift < -1000; shift += 1000) value *= 2 ** 1000;
  return value / 2 ** shift;
}

export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(16).length * 4 - Math.clz32(parseInt(value.toString(16)[0], 16)) + 28;
}

/** As a fraction of bigints. */
export function toFraction(value: Int | Ratio): [bigint, bigint] {
  return value instanceof Ratio ? [value.num, value.den] : [BigInt(value), 1n];
}

export function addNumbers(a: Value, b: Value): Num {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    return sum <= MAX && sum >= -MAX ? sum : makeInteger(BigInt(a) + BigInt(b));
  }
  const [x, y] = [checkNumber(a, "+"), checkNumber(b, "+")];
  if (x instanceof Real || y instanceof Real) return new Real(toNumber(x) + toNumber(y));
  if (x instanceof Ratio || y instanceof Ratio) {
    const [[n, d], [m, e]] = [toFraction(x), toFraction(y)];
    return makeRatio(n * e + m * d, d * e);
  }
  return makeInteger(BigInt(x) + BigInt(y));
}

export function subtractNumbers(a: Value, b: Value): Num {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    return difference <= MAX && difference >= -MAX ? difference : makeInteger(BigInt(a) - BigInt(b));
  }
  const [x, y] = [checkNumber(a, "-"), checkNumber(b, "-")];
  if (x instanceof Real || y instanceof Real) return new Real(toNumber(x) - toNumber(y));
  if (x instanceof Ratio || y instanceof Ratio) {
    const [[n, d], [m, e]] = [toFraction(x), toFraction(y)];
    return makeRatio(n * e - m * d, d * e);
  }
  return makeInteger(BigInt(x) - BigInt(y));
}

export function multiplyNumbers(a: Value, b: Value): Num {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // Minus zero is not an exact integer.
    return product <= MAX && product >= -MAX ? product + 0 : makeInteger(BigInt(a) * BigInt(b));
  }
  const [x, y] = [checkNumber(a, "*"), checkNumber(b, "*")];
  if (x === 0 || y === 0) return 0;
  if (x instanceof Real || y instanceof Real) return new Real(toNumber(x) * toNumber(y));
  if (x instanceof Ratio || y instanceof Ratio) {
    const [[n, d], [m, e]] = [toFraction(x), toFraction(y)];
    return makeRatio(n * m, d * e);
  }
  return makeInteger(BigInt(x) * BigInt(y));
}

export function divideNumbers(a: Value, b: Value): Num {
  const [x, y] = [checkNumber(a, "/"), checkNumber(b, "/")];
  if (y === 0) throw raiseFailure("DivisionByZero", "/: division by zero");
  if (x instanceof Real || y instanceof Real) return new Real(toNumber(x) / toNumber(y));
  if (typeof x === "number" && typeof y === "number" && x % y === 0) return x / y + 0;
  const [[n, d], [m, e]] = [toFraction(x), toFraction(y)];
  return makeRatio(n * e, d * m);
}

export function negateNumber(value: Value): Num {
  return value instanceof Real ? new Real(-value.value) : subtractNumbers(0, value);
}

/** Negative, zero or positive; NaN when one of them is. */
export function compareNumbers(a: Value, b: Value, who: string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [x, y] = [checkNumber(a, who), checkNumber(b, who)];
  if (x instanceof Ratio || y instanceof Ratio) return compareRatios(x, y);
  // JavaScript compares bigints and doubles by their mathematical values.
  const [u, v] = [x instanceof Real ? x.value : x, y instanceof Real ? y.value : y];
  return u < v ? -1 : u > v ? 1 : u >= v ? 0 : NaN;
}

function compareRatios(x: Num, y: Num): number {
  for (const side of [x, y]) {
    if (side instanceof Real && !Number.isFinite(side.value)) return toNumber(x) - toNumber(y);
  }
  const [[n, d], [m, e]] = [toFraction(toExact(x)), toFraction(toExact(y))];
  const [left, right] = [n * e, m * d];
  return left < right ? -1 : left > right ? 1 : 0;
}

export function toExact(value: Num): Int | Ratio {
  if (!(value instanceof Real)) return value;
  const v = value.value;
  if (Number.isSafeInteger(v)) return v + 0;
  if (!Number.isFinite(v)) throw wrongType("exact", "a finite number", value);
  if (Number.isInteger(v)) return makeInteger(BigInt(v));
  let [scaled, bits] = [v, 0];
  while (!Number.isInteger(scaled)) [scaled, bits] = [scaled * 2, bits + 1];
  return makeRatio(BigInt(scaled), 1n << BigInt(bits));
}

export function toInexact(value: Num): Real {
  return value instanceof Real ? value : new Real(toNumber(value));
}

export function signOf(value: Num): number {
  if (value instanceof Ratio) return value.num < 0n ? -1 : 1;
  if (typeof value === "bigint") return value < 0n ? -1 : 1;
  const v = toNumber(value);
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

/** Call it before work on a number that may be long. */
export function chargeWork(value: Int): void {
  if (typeof value === "bigint" && (value >= LARGE || value <= MINUS_LARGE)) {
    chargeWords(value >= HUGE ? 4 * HUGE_WORDS : HUGE_WORDS);
  }
}

export function checkBits(bits: number): void {
  if (bits > MAX_BITS) throw tooLong();
}

function tooLong(): Error {
  return raiseFailure("OutOfMemory", "an exact integer would have too many digits");
}
