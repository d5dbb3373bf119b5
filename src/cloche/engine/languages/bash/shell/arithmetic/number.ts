/** Integers of 64 bits: JavaScript's numbers while they are exact, else bigints. */

export type Int = number | bigint;

const BITS = 64;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** A bigint wrapped to 64 bits; a number if it is small. */
export function wrap(value: bigint): Int {
  const wrapped = BigInt.asIntN(BITS, value);
  return wrapped <= SAFE && wrapped >= -SAFE ? Number(wrapped) : wrapped;
}

export function add(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return wrap(BigInt(a) + BigInt(b));
}

export function subtract(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return wrap(BigInt(a) - BigInt(b));
}

export function multiply(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return wrap(BigInt(a) * BigInt(b));
}

/** Rounds towards zero; the divisor is not 0. */
export function divide(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return Math.trunc(a / b) + 0;
  return wrap(BigInt(a) / BigInt(b));
}

export function remainder(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  return wrap(BigInt(a) % BigInt(b));
}

/** The exponent is not negative. */
export function power(base: Int, exponent: Int): Int {
  let result = 1n;
  let factor = BigInt(base);
  for (let rest = BigInt(exponent); rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asIntN(BITS, result * factor);
    factor = BigInt.asIntN(BITS, factor * factor);
  }
  return wrap(result);
}

export function shiftLeft(a: Int, by: Int): Int {
  return wrap(BigInt(a) << (BigInt(by) & 63n));
}

export function shiftRight(a: Int, by: Int): Int {
  return wrap(BigInt(a) >> (BigInt(by) & 63n));
}

const INT32 = 2 ** 31;

function isSmall(value: Int): value is number {
  return typeof value === "number" && value >= -INT32 && value < INT32;
}

export function and(a: Int, b: Int): Int {
  return isSmall(a) && isSmall(b) ? a & b : wrap(BigInt(a) & BigInt(b));
}

export function or(a: Int, b: Int): Int {
  return isSmall(a) && isSmall(b) ? a | b : wrap(BigInt(a) | BigInt(b));
}

export function xor(a: Int, b: Int): Int {
  return isSmall(a) && isSmall(b) ? a ^ b : wrap(BigInt(a) ^ BigInt(b));
}

export function complement(a: Int): Int {
  return subtract(-1, a);
}

export function isTrue(value: Int): boolean {
  return value !== 0 && value !== 0n;
}
