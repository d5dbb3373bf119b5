import { strictEqual } from "node:assert/strict";
import {
  addNumbers,
  compareNumbers,
  divideNumbers,
  multiplyNumbers,
  type Num,
  Ratio,
  Real,
  subtractNumbers,
  toExact,
  toNumber,
} from "./numbers.ts";
import { formatNumber, parseNumber } from "./numerals.ts";
import { divideTruncated, roundNumber, takeIntegerRoot, takeModulo, takeRemainder } from "./rounding.ts";

function parsed(text: string): Num {
  const value = parseNumber(text);
  if (value === null) throw new Error(`no number: ${text}`);
  return value;
}

/** Numbers of every kind and size, the same each time. */
function samples(count: number): Num[] {
  let seed = 12345;
  const next = () => seed = (seed * 1103515245 + 12345) % 2147483648;
  return Array.from({ length: count }, (_, i) => {
    const big = BigInt(next()) ** BigInt(1 + i % 4) * (next() % 2 ? 1n : -1n);
    const whole = parsed(String(big));
    if (i % 5 === 3) return divideNumbers(whole, next() + 1);
    return i % 5 === 4 ? new Real((next() - 1e9) / 2 ** (i % 40)) : whole;
  });
}

Deno.test("what is written is read back as the same number", () => {
  for (const value of samples(400)) {
    for (const radix of value instanceof Real ? [10] : [2, 8, 10, 16, 36]) {
      const text = formatNumber(value, radix);
      const back = parseNumber(text, radix);
      strictEqual(back === null ? null : formatNumber(back, radix), text);
      strictEqual(back === null ? null : compareNumbers(back, value, "="), 0);
    }
  }
});

Deno.test("exact arithmetic obeys its laws", () => {
  const values = samples(120).filter((value) => !(value instanceof Real));
  for (let i = 2; i < values.length; i++) {
    const [a, b, c] = [values[i - 2], values[i - 1], values[i]];
    strictEqual(compareNumbers(subtractNumbers(addNumbers(a, b), b), a, "="), 0);
    strictEqual(
      compareNumbers(
        multiplyNumbers(a, addNumbers(b, c)),
        addNumbers(multiplyNumbers(a, b), multiplyNumbers(a, c)),
        "=",
      ),
      0,
    );
    if (b !== 0) strictEqual(compareNumbers(multiplyNumbers(divideNumbers(a, b), b), a, "="), 0);
  }
});

Deno.test("quotient and remainder make up the number again", () => {
  const whole = samples(200).filter((value) => !(value instanceof Real || value instanceof Ratio));
  for (let i = 1; i < whole.length; i++) {
    const [n, d] = [whole[i - 1], whole[i]];
    if (d === 0) continue;
    strictEqual(compareNumbers(addNumbers(multiplyNumbers(divideTruncated(n, d), d), takeRemainder(n, d)), n, "="), 0);
    const rest = takeModulo(n, d);
    strictEqual(rest === 0 || (toNumber(rest) < 0) === (toNumber(d) < 0), true);
  }
});

Deno.test("an inexact number is exactly what it is", () => {
  for (const value of samples(200).filter((value) => value instanceof Real)) {
    strictEqual(toNumber(toExact(value)), (value as Real).value);
  }
  strictEqual(formatNumber(roundNumber(toExact(new Real(2.5)), "round")), "2");
});

Deno.test("roots of large integers are right to the last digit", () => {
  for (const n of [0n, 1n, 2n, 15n, 16n, 2n ** 53n - 1n, 10n ** 50n, 10n ** 50n - 1n, 3n ** 999n]) {
    const [root, rest] = takeIntegerRoot(n <= 2n ** 53n - 1n ? Number(n) : n).map(BigInt);
    strictEqual(root * root + rest, n);
    strictEqual(rest >= 0n && rest <= 2n * root, true);
  }
});
