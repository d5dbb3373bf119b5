/** Numbers. */

import { raiseFailure, wrongType } from "../vm/errors.ts";
import {
  addNumbers,
  checkNumber,
  compareNumbers,
  divideNumbers,
  type Int,
  isExact,
  isInteger,
  isNum,
  makeInteger,
  multiplyNumbers,
  negateNumber,
  Ratio,
  Real,
  signOf,
  subtractNumbers,
  toExact,
  toFraction,
  toInexact,
  toNumber,
} from "../numbers/numbers.ts";
import { formatNumber, parseNumber } from "../numbers/numerals.ts";
import {
  checkInteger,
  divideFloored,
  divideTruncated,
  findGcd,
  findLcm,
  notReal,
  raisePower,
  rationalizeNumber,
  type Rounding,
  roundNumber,
  takeIntegerRoot,
  takeModulo,
  takeRemainder,
  takeSquareRoot,
  toAbsolute,
} from "../numbers/rounding.ts";
import { Text, type Value, Values } from "../vm/values.ts";
import { asText, type Registry } from "./registry.ts";

function addComparison(r: Registry, name: string, holds: (order: number) => boolean): void {
  const two = (a: Value, b: Value) => holds(compareNumbers(a, b, name));
  r.rest(name, 1, (args) => {
    checkNumber(args[0], name);
    let result = true;
    for (let i = 1; i < args.length; i++) if (!two(args[i - 1], args[i])) result = false;
    return result;
  }, two);
}

function addOperations(r: Registry): void {
  r.rest("+", 0, (args) => args.reduce(addNumbers, 0), addNumbers);
  r.rest("*", 0, (args) => args.reduce(multiplyNumbers, 1), multiplyNumbers);
  r.rest(
    "-",
    1,
    (args) => args.length === 1 ? negateNumber(checkNumber(args[0], "-")) : args.reduce(subtractNumbers),
    subtractNumbers,
  );
  r.rest("/", 1, (args) => args.length === 1 ? divideNumbers(1, args[0]) : args.reduce(divideNumbers), divideNumbers);
  addComparison(r, "=", (order) => order === 0);
  addComparison(r, "<", (order) => order < 0);
  addComparison(r, ">", (order) => order > 0);
  addComparison(r, "<=", (order) => order <= 0);
  addComparison(r, ">=", (order) => order >= 0);
  r.rest("max", 1, (args) => extreme(args, "max", 1));
  r.rest("min", 1, (args) => extreme(args, "min", -1));
  r.rest("gcd", 0, (args) => args.reduce(findGcd, 0), findGcd);
  r.rest("lcm", 0, (args) => args.reduce(findLcm, 1), findLcm);
  r.fn("abs", 1, toAbsolute);
  r.alias("magnitude", "abs");
  r.fn("square", 1, (x: Value) => multiplyNumbers(x, x));
  r.fn("exact-integer-sqrt", 1, (x: Value) => new Values(takeIntegerRoot(x)));
  r.fn("expt", 2, raisePower);
  r.fn("sqrt", 1, takeSquareRoot);
  r.fn("exact", 1, (x: Value) => toExact(checkNumber(x, "exact")));
  r.fn("inexact", 1, (x: Value) => toInexact(checkNumber(x, "inexact")));
  r.alias("inexact->exact", "exact");
  r.alias("exact->inexact", "inexact");
  r.fn("rationalize", 2, rationalizeNumber);
}

/** One inexact argument makes the result inexact. */
function extreme(args: Value[], who: string, way: number): Value {
  const numbers = args.map((arg) => checkNumber(arg, who));
  let best = numbers[0];
  for (const each of numbers) {
    if (each instanceof Real && Number.isNaN(each.value)) return each;
    if (compareNumbers(each, best, who) * way > 0) best = each;
  }
  return numbers.every(isExact) ? best : toInexact(best);
}

function addDivision(r: Registry): void {
  const both = (first: typeof divideTruncated, second: typeof divideTruncated) => (a: Value, b: Value) =>
    new Values([first(a, b), second(a, b)]);
  for (const name of ["quotient", "truncate-quotient"]) r.fn(name, 2, divideTruncated);
  for (const name of ["remainder", "truncate-remainder"]) r.fn(name, 2, takeRemainder);
  for (const name of ["modulo", "floor-remainder"]) r.fn(name, 2, takeModulo);
  r.fn("floor-quotient", 2, divideFloored);
  r.fn("floor/", 2, both(divideFloored, takeModulo));
  r.fn("truncate/", 2, both(divideTruncated, takeRemainder));
  for (const how of ["floor", "ceiling", "truncate", "round"] as Rounding[]) {
    r.fn(how, 1, (x: Value) => roundNumber(x, how));
    r.fn(`exact-${how}`, 1, (x: Value) => toExact(roundNumber(x, how)));
  }
  const fraction = (x: Value, who: string, part: 0 | 1) => {
    const value = checkNumber(x, who);
    const result = makeInteger(toFraction(toExact(value))[part]);
    return isExact(value) ? result : toInexact(result);
  };
  r.fn("numerator", 1, (x: Value) => fraction(x, "numerator", 0));
  r.fn("denominator", 1, (x: Value) => fraction(x, "denominator", 1));
}

function addPredicates(r: Registry): void {
  for (const name of ["number?", "complex?", "real?"]) r.fn(name, 1, isNum);
  r.fn("rational?", 1, (x: Value) => isNum(x) && Number.isFinite(x instanceof Real ? x.value : 0));
  r.fn("integer?", 1, isInteger);
  r.fn("exact?", 1, (x: Value) => isExact(checkNumber(x, "exact?")));
  r.fn("inexact?", 1, (x: Value) => !isExact(checkNumber(x, "inexact?")));
  r.fn("exact-integer?", 1, (x: Value) => typeof x === "number" || typeof x === "bigint");
  r.fn("exact-rational?", 1, (x: Value) => isNum(x) && isExact(x));
  r.fn("nan?", 1, (x: Value) => Number.isNaN(toNumber(checkNumber(x, "nan?"))));
  r.fn("finite?", 1, (x: Value) => isExact(checkNumber(x, "finite?")) || Number.isFinite((x as Real).value));
  r.fn(
    "infinite?",
    1,
    (x: Value) => checkNumber(x, "infinite?") instanceof Real && Math.abs((x as Real).value) === Infinity,
  );
  r.fn("zero?", 1, (x: Value) => compareNumbers(x, 0, "zero?") === 0);
  r.fn("positive?", 1, (x: Value) => signOf(checkNumber(x, "positive?")) > 0);
  r.fn("negative?", 1, (x: Value) => signOf(checkNumber(x, "negative?")) < 0);
  r.fn("odd?", 1, (x: Value) => toNumber(takeRemainder(checkInteger(x, "odd?"), 2)) !== 0);
  r.fn("even?", 1, (x: Value) => toNumber(takeRemainder(checkInteger(x, "even?"), 2)) === 0);
}

function addTranscendental(r: Registry): void {
  const real = (name: string, fn: (x: number) => number, fixed?: [Value, Value]) =>
    r.fn(name, 1, (x: Value) => {
      if (fixed && x === fixed[0]) return fixed[1];
      const value = toNumber(checkNumber(x, name));
      const result = fn(value);
      if (Number.isNaN(result) && !Number.isNaN(value) && Number.isFinite(value)) throw notReal(name, x);
      return new Real(result);
    });
  real("exp", Math.exp, [0, 1]);
  real("sin", Math.sin, [0, 0]);
  real("cos", Math.cos, [0, 1]);
  real("tan", Math.tan, [0, 0]);
  real("asin", Math.asin, [0, 0]);
  real("acos", Math.acos, [1, 0]);
  r.fn("atan", [1, 2], (y: Value, x: Value) => {
    if (y === 0 && (x === undefined || isNum(x) && isExact(x) && signOf(x) > 0)) return 0;
    const top = toNumber(checkNumber(y, "atan"));
    return new Real(x === undefined ? Math.atan(top) : Math.atan2(top, toNumber(checkNumber(x, "atan"))));
  });
  r.fn("log", [1, 2], (x: Value, base: Value) => {
    if (x === 1 && base === undefined) return 0;
    const result = logarithm(x);
    return new Real(base === undefined ? result : base === 2 ? log2(x, result) : result / logarithm(base));
  });
}

function logarithm(x: Value): number {
  const value = checkNumber(x, "log");
  if (signOf(value) < 0) throw notReal("log", x);
  if (value === 0) throw raiseFailure("DivisionByZero", "log: the logarithm of exact 0 is not defined");
  const double = toNumber(value);
  if (Number.isFinite(double) || value instanceof Real || value instanceof Ratio) return Math.log(double);
  const digits = value.toString(16);
  return Math.log(parseInt(digits.slice(0, 12), 16)) + (digits.length - 12) * Math.log(16);
}

function log2(x: Value, natural: number): number {
  const double = toNumber(checkNumber(x, "log"));
  return Number.isFinite(double) ? Math.log2(double) : natural / Math.LN2;
}

function addText(r: Registry): void {
  r.fn(
    "number->string",
    [1, 2],
    (x: Value, radix: Value = 10) => new Text(formatNumber(checkNumber(x, "number->string"), base(radix))),
  );
  r.fn("string->number", [1, 2], (s: Value, radix: Value = 10) => {
    return parseNumber(asText(s, "string->number").toString(), base(radix)) ?? false;
  });
}

function base(radix: Value): number {
  if (typeof radix === "number" && radix >= 2 && radix <= 36) return radix;
  throw wrongType("radix", "an integer from 2 to 36", radix);
}

function addBits(r: Registry): void {
  const exactInt = (x: Value, who: string): bigint => BigInt(checkInteger(x, who) as Int);
  const fold = (name: string, start: bigint, fn: (a: bigint, b: bigint) => bigint) =>
    r.rest(name, 0, (args) => makeInteger(args.reduce((sum: bigint, x) => fn(sum, exactInt(x, name)), start)));
  fold("bitwise-and", -1n, (a, b) => a & b);
  fold("bitwise-or", 0n, (a, b) => a | b);
  fold("bitwise-xor", 0n, (a, b) => a ^ b);
  r.fn("bitwise-not", 1, (x: Value) => makeInteger(~exactInt(x, "bitwise-not")));
  r.fn("arithmetic-shift", 2, (x: Value, by: Value) => {
    if (typeof by !== "number") throw wrongType("arithmetic-shift", "an exact integer", by);
    if (by > 0) return multiplyNumbers(checkInteger(x, "arithmetic-shift"), raisePower(2, by));
    return makeInteger(exactInt(x, "arithmetic-shift") >> BigInt(-by));
  });
}

function addComplex(r: Registry): void {
  const refuse = (name: string) => () => {
    throw raiseFailure("NotSupported", `${name}: complex numbers are not supported`);
  };
  r.fn(
    "make-rectangular",
    2,
    (x: Value, y: Value) => y === 0 ? checkNumber(x, "make-rectangular") : refuse("make-rectangular")(),
  );
  r.fn("make-polar", 2, (x: Value, y: Value) => y === 0 ? checkNumber(x, "make-polar") : refuse("make-polar")());
  r.fn("real-part", 1, (x: Value) => checkNumber(x, "real-part"));
  r.fn("imag-part", 1, (x: Value) => multiplyNumbers(0, checkNumber(x, "imag-part")));
  r.fn("angle", 1, (x: Value) => signOf(checkNumber(x, "angle")) < 0 ? new Real(Math.PI) : 0);
}

export function addArithmetic(r: Registry): void {
  for (const add of [addOperations, addDivision, addPredicates, addTranscendental, addText, addBits, addComplex]) {
    add(r);
  }
}
