/** Integer division, rounding, roots and powers. */

import { raiseFailure, wrongType } from "../vm/errors.ts";
import {
  addNumbers,
  bigGcd,
  bitLength,
  chargeWork,
  checkBits,
  checkNumber,
  compareNumbers,
  divideNumbers,
  type Int,
  isExact,
  makeInteger,
  makeRatio,
  multiplyNumbers,
  type Num,
  Ratio,
  Real,
  signOf,
  subtractNumbers,
  toExact,
  toFraction,
  toInexact,
  toNumber,
} from "./numbers.ts";
import type { Value } from "../vm/values.ts";

type Division = (a: Value, b: Value) => Num;

/** Makes a division from what it does to small integers, doubles and bigints. */
function division(
  who: string,
  small: (a: number, b: number) => number,
  big: (a: bigint, b: bigint) => bigint,
): Division {
  return (a, b) => {
    const [x, y] = [checkInteger(a, who), checkInteger(b, who)];
    if (signOf(y) === 0) throw raiseFailure("DivisionByZero", `${who}: division by zero`);
    if (typeof x === "number" && typeof y === "number") return small(x, y) + 0;
    if (x instanceof Real || y instanceof Real) return wide(x, y, small, big);
    return makeInteger(big(BigInt(x), BigInt(y)));
  };
}

function wide(
  x: Int | Real,
  y: Int | Real,
  small: (a: number, b: number) => number,
  big: (a: bigint, b: bigint) => bigint,
) {
  const [u, v] = [toNumber(x), toNumber(y)];
  if (Number.isSafeInteger(u) && Number.isSafeInteger(v)) return new Real(small(u, v));
  return new Real(Number(big(BigInt(u), BigInt(v))));
}

export function checkInteger(value: Value, who: string): Int | Real {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Real && Number.isInteger(value.value)) return value;
  throw wrongType(who, "an integer", value);
}

const bigModulo = (a: bigint, b: bigint) => {
  const rest = a % b;
  return rest !== 0n && (rest < 0n) !== (b < 0n) ? rest + b : rest;
};
const smallModulo = (a: number, b: number) => {
  const rest = a % b;
  return rest !== 0 && (rest < 0) !== (b < 0) ? rest + b : rest;
};

export const divideTruncated = division("quotient", (a, b) => (a - a % b) / b, (a, b) => a / b);
export const takeRemainder = division("remainder", (a, b) => a % b, (a, b) => a % b);
export const takeModulo = division("modulo", smallModulo, bigModulo);
export const divideFloored = division(
  "floor-quotient",
  (a, b) => (a - smallModulo(a, b)) / b,
  (a, b) => (a - bigModulo(a, b)) / b,
);

export function findGcd(a: Value, b: Value): Num {
  const [x, y] = [checkInteger(a, "gcd"), checkInteger(b, "gcd")];
  const [u, v] = [BigInt(toBig(x)), BigInt(toBig(y))];
  const result = makeInteger(bigGcd(u < 0n ? -u : u, v < 0n ? -v : v));
  return isExact(x) && isExact(y) ? result : toInexact(result);
}

export function findLcm(a: Value, b: Value): Num {
  const divisor = findGcd(a, b);
  if (signOf(divisor) === 0) return divisor;
  return toAbsolute(multiplyNumbers(a, divideTruncated(b, divisor)));
}

const toBig = (value: Int | Real) => value instanceof Real ? value.value : value;

export function toAbsolute(value: Value): Num {
  if (value instanceof Real) return new Real(Math.abs(value.value));
  const number = checkNumber(value, "abs");
  return signOf(number) < 0 ? subtractNumbers(0, number) : number;
}

export type Rounding = "floor" | "ceiling" | "truncate" | "round";

const ROUND: Record<Rounding, (value: number) => number> = {
  floor: Math.floor,
  ceiling: Math.ceil,
  truncate: Math.trunc,
  round: (value) => {
    const down = Math.floor(value);
    const rest = value - down;
    const result = rest < 0.5 || rest === 0.5 && down % 2 === 0 ? down : down + 1;
    return result === 0 && value < 0 ? -0 : result;
  },
};

export function roundNumber(value: Value, how: Rounding): Num {
  const number = checkNumber(value, how);
  if (number instanceof Real) return new Real(ROUND[how](number.value));
  return number instanceof Ratio ? makeInteger(roundRatio(number, how)) : number;
}

function roundRatio({ num: n, den: d }: Ratio, how: Rounding): bigint {
  const down = (n - bigModulo(n, d)) / d;
  if (how === "floor" || how === "truncate" && n > 0n) return down;
  if (how !== "round") return down + 1n;
  const twice = 2n * (n - down * d);
  return twice < d || twice === d && down % 2n === 0n ? down : down + 1n;
}

/** The root rounded down, and the remainder. */
export function takeIntegerRoot(value: Value): [Int, Int] {
  if (typeof value !== "number" && typeof value !== "bigint" || value < 0) {
    throw wrongType("exact-integer-sqrt", "a non-negative exact integer", value);
  }
  const n = BigInt(value);
  let root = BigInt(Math.floor(Math.sqrt(Number(value) < 2 ** 1000 ? Number(value) : 0)));
  if (root === 0n && n > 0n) root = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const next = root === 0n ? 0n : (root + n / root) >> 1n;
    if (next === root || root * root <= n && n < (root + 1n) * (root + 1n)) break;
    root = next;
    chargeWork(root);
  }
  while (root * root > n) root--;
  while ((root + 1n) * (root + 1n) <= n) root++;
  return [makeInteger(root), makeInteger(n - root * root)];
}

export function takeSquareRoot(value: Value): Num {
  const number = checkNumber(value, "sqrt");
  if (signOf(number) < 0) throw notReal("sqrt", value);
  if (number instanceof Real) return new Real(Math.sqrt(number.value));
  if (typeof number === "number") {
    const root = Math.sqrt(number);
    return Number.isInteger(root) ? root : new Real(root);
  }
  const [n, d] = toFraction(number);
  const [[top, rest], [bottom, rest2]] = [takeIntegerRoot(makeInteger(n)), takeIntegerRoot(makeInteger(d))];
  if (rest === 0 && rest2 === 0) return divideNumbers(top, bottom);
  return new Real(Math.sqrt(toNumber(number)));
}

export function notReal(who: string, value: Value): Error {
  return raiseFailure("NotSupported", `${who}: the result is a complex number, and these are not supported:`, value);
}

export function raisePower(base: Value, exponent: Value): Num {
  const [b, e] = [checkNumber(base, "expt"), checkNumber(exponent, "expt")];
  if (isExact(e) && !(e instanceof Ratio)) return integerPower(b, e);
  if (signOf(b) < 0 && !(e instanceof Real && Number.isInteger(e.value))) throw notReal("expt", base);
  if (b === 0) return signOf(e) > 0 ? 0 : integerPower(b, -1);
  if (e instanceof Ratio && e.den === 2n) return integerPower(takeSquareRoot(b), makeInteger(e.num));
  return new Real(toNumber(b) ** toNumber(e));
}

function integerPower(base: Num, exponent: Int): Num {
  if (base instanceof Real) return new Real(base.value ** Number(exponent));
  if (exponent < 0) return divideNumbers(1, integerPower(base, makeInteger(-BigInt(exponent))));
  const [n, d] = toFraction(base);
  const size = bitLength(n < 0n ? -n : n);
  if (size > 1 || d > 1n) checkBits(Number(exponent) * Math.max(size - 1, bitLength(d) - 1));
  if (d === 1n && (size <= 1)) {
    return n === -1n && BigInt(exponent) % 2n === 0n ? 1 : exponent === 0 ? 1 : makeInteger(n);
  }
  return makeRatio(n ** BigInt(exponent), d ** BigInt(exponent));
}

/** The simplest rational within `slack` of the value. */
export function rationalizeNumber(value: Value, slack: Value): Num {
  const [x, y] = [checkNumber(value, "rationalize"), toAbsolute(checkNumber(slack, "rationalize"))];
  if (!isExact(x) || !isExact(y)) {
    const [u, v] = [toNumber(x), toNumber(y)];
    if (!Number.isFinite(v)) return new Real(Number.isFinite(u) ? 0 : NaN);
    return Number.isFinite(u)
      ? toInexact(simplest(toExact(subtractNumbers(x, y)), toExact(addNumbers(x, y))))
      : new Real(u);
  }
  return simplest(subtractNumbers(x, y), addNumbers(x, y));
}

function simplest(low: Num, high: Num): Num {
  if (signOf(low) > 0) return simplestPositive(low, high);
  return signOf(high) < 0 ? subtractNumbers(0, simplestPositive(subtractNumbers(0, high), subtractNumbers(0, low))) : 0;
}

function simplestPositive(low: Num, high: Num): Num {
  const floor = roundNumber(low, "floor");
  if (compareNumbers(floor, low, "rationalize") === 0) return floor;
  if (compareNumbers(floor, roundNumber(high, "floor"), "rationalize") < 0) return addNumbers(floor, 1);
  return addNumbers(
    floor,
    divideNumbers(
      1,
      simplestPositive(divideNumbers(1, subtractNumbers(high, floor)), divideNumbers(1, subtractNumbers(low, floor))),
    ),
  );
}
