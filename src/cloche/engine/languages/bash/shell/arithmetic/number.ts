/** 64-bit integers: JavaScript numbers while these are exact, else bigints. */

export type Int = number | bigint;

/** The number itself if it is exact, else wrapped to 64 bits. */
export function wrap(value: bigint): Int {
  const wrapped = BigInt.asIntN(64, value);
  return wrapped >= -0x1fffffffffffffn && wrapped <= 0x1fffffffffffffn ? Number(wrapped) : wrapped;
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
    if (Number.isSafeInteger(product)) return product === 0 ? 0 : product;
  }
  return wrap(BigInt(a) * BigInt(b));
}

export function divide(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return Math.trunc(a / b) || 0;
  return wrap(BigInt(a) / BigInt(b));
}

export function remainder(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return a % b || 0;
  return wrap(BigInt(a) % BigInt(b));
}

/** By squaring, wrapped at each step. */
export function power(base: Int, exponent: Int): Int {
  let result = 1n;
  let factor = BigInt(base);
  for (let left = BigInt(exponent); left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asIntN(64, result * factor);
    factor = BigInt.asIntN(64, factor * factor);
  }
  return wrap(result);
}

export function shift(a: Int, b: Int, left: boolean): Int {
  const count = BigInt.asUintN(6, BigInt(b));
  return wrap(left ? BigInt(a) << count : BigInt(a) >> count);
}

const SMALL = 0x7fffffff;

export function combine(a: Int, b: Int, operator: "&" | "|" | "^"): Int {
  if (typeof a === "number" && typeof b === "number" && Math.abs(a) <= SMALL && Math.abs(b) <= SMALL) {
    return operator === "&" ? a & b : operator === "|" ? a | b : a ^ b;
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  return wrap(operator === "&" ? x & y : operator === "|" ? x | y : x ^ y);
}

/** A constant: decimal, 0 octal, 0x, base#digits. Undefined if a digit is too great for the base. */
export function parseNumber(text: string): Int | undefined {
  const hash = text.indexOf("#");
  if (hash >= 0) return parseBase(Number(text.slice(0, hash)), text.slice(hash + 1));
  if (/^0[xX]/.test(text)) return parseBase(16, text.slice(2));
  if (text.length > 1 && text[0] === "0") return parseBase(8, text.slice(1));
  if (text.length < 16) return /^\d+$/.test(text) ? Number(text) : undefined;
  return /^\d+$/.test(text) ? wrap(BigInt(text)) : undefined;
}

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_";

function parseBase(base: number, text: string): Int | undefined {
  if (base < 2 || base > 64) return undefined;
  let value = 0n;
  for (const char of base <= 36 ? text.toLowerCase() : text) {
    const digit = DIGITS.indexOf(char);
    if (digit < 0 || digit >= base) return undefined;
    value = value * BigInt(base) + BigInt(digit);
  }
  return wrap(value);
}
