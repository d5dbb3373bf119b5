/** The functions of bc -l, step by step as GNU's bc computes them: also the last digits are the same. */
import { CommandError } from "../../tool/errors.ts";
import {
  add,
  compare,
  type Decimal,
  divide,
  multiply,
  ONE,
  power10,
  raise,
  remainder,
  squareRoot,
  subtract,
  truncate,
  ZERO,
} from "../decimal.ts";

/** Larger numbers would have results without end. */
const MOST = 1_000_000n;
const TWO: Decimal = { digits: 2n, scale: 0 };
const FIFTH: Decimal = { digits: 2n, scale: 1 };
const HALF: Decimal = { digits: 5n, scale: 1 };
/** An eighth of a turn and the angle whose tangent is 1/5, each with the places that are enough up to a scale. */
const ANGLES: [tangent: Decimal, digits: string][] = [
  [ONE, "785398163397448309615660845819875721049292349843776455243736"],
  [FIFTH, "197395559849880758370049765194790293447585103787852101517688"],
];
const ANGLE_PLACES = [25, 40, 60];

function whole(value: number | bigint): Decimal {
  return { digits: BigInt(value), scale: 0 };
}

function negate(value: Decimal): Decimal {
  return { digits: -value.digits, scale: value.scale };
}

function absolute(value: Decimal): Decimal {
  return value.digits < 0n ? negate(value) : value;
}

function sizeOf(value: Decimal): bigint {
  const size = truncate(absolute(value));
  if (size > MOST) throw new CommandError("number too large for a function of the math library");
  return size;
}

/** Adds terms until one is zero in all its places. */
function sumSeries(first: Decimal, next: (i: number) => Decimal): Decimal {
  let sum = first;
  for (let i = 1;; i++) {
    const term = next(i);
    if (term.digits === 0n) return sum;
    sum = add(sum, term);
  }
}

function exponential(given: Decimal, scale: number): Decimal {
  sizeOf(given);
  let x = absolute(given);
  const grown = multiply({ digits: 44n, scale: 2 }, x, scale);
  const wide = Number(truncate(add(whole(6 + scale), grown)));
  let halvings = 0;
  for (let places = x.scale + 1; compare(x, ONE) > 0; places++, halvings++) x = divide(x, TWO, places);
  let power = x;
  let factorial = 1n;
  let result = sumSeries(add(ONE, x), (i) => {
    power = multiply(power, x, wide);
    factorial *= BigInt(i + 1);
    return divide(power, whole(factorial), wide);
  });
  for (; halvings > 0; halvings--) result = multiply(result, result, wide);
  return given.digits < 0n ? divide(ONE, result, scale) : divide(result, ONE, scale);
}

function logarithm(given: Decimal, scale: number): Decimal {
  if (given.digits <= 0n) return divide(whole(1n - power10(scale)), ONE, scale);
  const wide = scale + 6;
  let x = given;
  let factor = 2n;
  for (; compare(x, TWO) >= 0; factor *= 2n) x = squareRoot(x, wide);
  for (; compare(x, HALF) <= 0; factor *= 2n) x = squareRoot(x, wide);
  const ratio = divide(subtract(x, ONE), add(x, ONE), wide);
  const square = multiply(ratio, ratio, wide);
  let power = ratio;
  const sum = sumSeries(ratio, (i) => {
    power = multiply(power, square, wide);
    return divide(power, whole(2 * i + 1), wide);
  });
  return divide(multiply(whole(factor), sum, wide), ONE, scale);
}

function arctangent(given: Decimal, scale: number): Decimal {
  const sign = given.digits < 0n ? whole(-1) : ONE;
  let x = absolute(given);
  const places = ANGLE_PLACES.find((each) => scale <= each);
  const known = ANGLES.find(([tangent]) => compare(tangent, x) === 0);
  if (known && places !== undefined) {
    return divide({ digits: BigInt(known[1].slice(0, places)), scale: places }, sign, scale);
  }
  const step = compare(x, FIFTH) > 0 ? arctangent(FIFTH, scale + 5) : ZERO;
  const wide = scale + 3;
  let steps = 0;
  for (; compare(x, FIFTH) > 0; steps++) {
    x = divide(subtract(x, FIFTH), add(ONE, multiply(x, FIFTH, wide)), wide);
  }
  const square = multiply(negate(x), x, wide);
  let power = x;
  const sum = sumSeries(x, (i) => {
    power = multiply(power, square, wide);
    return divide(power, whole(2 * i + 1), wide);
  });
  return divide(add(multiply(whole(steps), step, scale), sum), sign, scale);
}

function sine(given: Decimal, scale: number): Decimal {
  const eighth = arctangent(ONE, Math.trunc(scale * 11 / 10) + 2);
  let x = absolute(given);
  const quarters = divide(add(divide(x, eighth, 0), TWO), whole(4), 0);
  x = subtract(x, multiply(multiply(whole(4), quarters, 0), eighth, 0));
  if (remainder(quarters, TWO, 0).digits !== 0n) x = negate(x);
  const wide = scale + 2;
  const square = multiply(negate(x), x, wide);
  let term = x;
  const sum = sumSeries(x, (i) => {
    term = multiply(term, divide(square, whole((2 * i + 1) * (2 * i)), wide), wide);
    return term;
  });
  return divide(given.digits < 0n ? negate(sum) : sum, ONE, scale);
}

function cosine(x: Decimal, scale: number): Decimal {
  const wide = Math.trunc(scale * 12 / 10);
  return divide(sine(add(x, multiply(arctangent(ONE, wide), TWO, wide)), wide), ONE, scale);
}

function lengthOf({ digits, scale }: Decimal): number {
  return Math.max(String(digits).replace("-", "").length, scale);
}

/** The Bessel function of an order that is a whole number. */
export function bessel(order: Decimal, x: Decimal, scale: number): Decimal {
  const given = truncate(order);
  const n = sizeOf(whole(given));
  let factorial = 1n;
  for (let i = 2n; i <= n; i++) factorial *= i;
  const wide = Math.trunc(scale * 3 / 2);
  const power = divide(raise(x, n, wide), whole(2n ** n), wide);
  const factor = divide(power, whole(factorial), wide);
  const square = divide(multiply(negate(x), x, wide), whole(4), wide);
  const places = wide + lengthOf(factor) - factor.scale;
  let term = ONE;
  const sum = sumSeries(ONE, (i) => {
    term = divide(divide(multiply(term, square, places), whole(i), places), whole(n + BigInt(i)), places);
    return term;
  });
  const signed = given < 0n && n % 2n === 1n ? negate(factor) : factor;
  return divide(multiply(signed, sum, scale), ONE, scale);
}

export const FUNCTIONS: Record<string, (x: Decimal, scale: number) => Decimal> = {
  e: exponential,
  l: logarithm,
  a: arctangent,
  s: sine,
  c: cosine,
};
