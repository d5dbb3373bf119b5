/** The functions of bc -l: e, l, s, c, a. */
import { add, compare, divide, int, multiply, type Num, ONE, rescale, squareRoot, toInteger, ZERO } from "./number.ts";
import { CommandError } from "../command.ts";

/** Places worked with beyond those asked for. */
const GUARD = 12;

/** Adds terms until they vanish. */
function series(first: Num, scale: number, next: (term: Num, n: number) => Num): Num {
  let sum = first;
  let term = first;
  for (let n = 1; term.digits !== 0n; n++) {
    term = rescale(next(term, n), scale);
    sum = add(sum, term);
  }
  return sum;
}

function exponential(x: Num, scale: number): Num {
  const size = Number(toInteger(x.digits < 0n ? { ...x, digits: -x.digits } : x));
  const wide = scale + GUARD + Math.ceil(size / 2);
  let halvings = 0;
  let part = rescale({ ...x, digits: x.digits < 0n ? -x.digits : x.digits }, wide);
  while (compare(part, ONE) > 0) {
    part = divide(part, int(2), wide);
    halvings++;
  }
  let result = series(rescale(ONE, wide), wide, (term, n) => divide(multiply(term, part, wide), int(n), wide));
  for (; halvings > 0; halvings--) result = multiply(result, result, wide);
  return rescale(x.digits < 0n ? divide(ONE, result, wide) : result, scale);
}

function logarithm(x: Num, scale: number): Num {
  if (x.digits <= 0n) return rescale({ digits: -1n * 10n ** BigInt(scale) + 1n, scale: 0 }, 0);
  const wide = scale + GUARD;
  let roots = 1n;
  let part = rescale(x, wide + x.scale);
  const [high, low] = [{ digits: 11n, scale: 1 }, { digits: 9n, scale: 1 }];
  while (compare(part, high) > 0 || compare(part, low) < 0) {
    part = squareRoot(part, wide + 8);
    roots *= 2n;
  }
  const ratio = divide(add(part, ONE, -1n), add(part, ONE), wide + 8);
  const square = multiply(ratio, ratio, wide + 8);
  const sum = oddSeries(ratio, square, wide + 8, 1n);
  return rescale(multiply(sum, int(roots * 2n), wide), scale);
}

// ratio + ratio^3/3 + ratio^5/5 ..., with alternating signs if `sign` is -1.
function oddSeries(first: Num, square: Num, scale: number, sign: bigint): Num {
  let sum = first;
  let power = first;
  for (let n = 3; power.digits !== 0n; n += 2) {
    power = rescale(multiply(power, square, scale), scale);
    if (sign < 0n) power = { ...power, digits: -power.digits };
    sum = add(sum, divide(power, int(n), scale));
  }
  return sum;
}

function arctangent(x: Num, scale: number): Num {
  const wide = scale + GUARD;
  let part = rescale(x, wide);
  let doublings = 1n;
  while (compare({ ...part, digits: part.digits < 0n ? -part.digits : part.digits }, { digits: 2n, scale: 1 }) > 0) {
    const root = squareRoot(add(ONE, multiply(part, part, wide)), wide);
    part = divide(part, add(ONE, root), wide);
    doublings *= 2n;
  }
  return rescale(multiply(oddSeries(part, multiply(part, part, wide), wide, -1n), int(doublings), wide), scale);
}

function sine(x: Num, scale: number): Num {
  const wide = scale + GUARD + String(toInteger(x)).length;
  const pi = multiply(arctangent(ONE, wide + 4), int(4), wide + 4);
  const turn = multiply(pi, int(2), wide);
  const turns = toInteger(divide(x, turn, 0));
  const part = rescale(add(x, multiply(turn, int(turns), wide), -1n), wide);
  const square = multiply(part, part, wide);
  const sum = series(part, wide, (term, n) => {
    const next = divide(multiply(term, square, wide), int((2 * n) * (2 * n + 1)), wide);
    return { ...next, digits: -next.digits };
  });
  return rescale(sum, scale);
}

function cosine(x: Num, scale: number): Num {
  const half = divide(multiply(arctangent(ONE, scale + GUARD), int(4), scale + GUARD), int(2), scale + GUARD);
  return rescale(sine(add(x, half), scale + 6), scale);
}

export function call(name: string, x: Num, scale: number): Num {
  const known: Record<string, (x: Num, scale: number) => Num> = {
    e: exponential,
    l: logarithm,
    a: arctangent,
    s: sine,
    c: cosine,
  };
  const found = known[name];
  if (!found) throw new CommandError(`Function ${name} not defined.`);
  return x.digits === 0n && name === "a" ? rescale(ZERO, scale) : found(x, scale);
}
