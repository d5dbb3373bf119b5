/** Characters. */

import { wrongType } from "../vm/errors.ts";
import { Char, type Value } from "../vm/values.ts";
import { asChar, type Registry } from "./registry.ts";

function upcase(code: number): number {
  return single(String.fromCodePoint(code).toUpperCase(), code);
}

function downcase(code: number): number {
  return single(String.fromCodePoint(code).toLowerCase(), code);
}

/** Case folding, as far as JavaScript knows it. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

function single(text: string, otherwise: number): number {
  const code = text.codePointAt(0) ?? otherwise;
  return text.length === (code > 0xffff ? 2 : 1) ? code : otherwise;
}

/** The value of a decimal digit of any script; digits are in runs of ten. */
function digitValue(code: number): number | false {
  if (code >= 48 && code <= 57) return code - 48;
  if (code < 128 || !isDigit(code)) return false;
  let start = code;
  while (start > code - 10 && isDigit(start - 1)) start--;
  return (code - start) % 10;
}

const isDigit = (code: number) => /^\p{Nd}$/u.test(String.fromCodePoint(code));

export function addChars(r: Registry): void {
  r.fn("char?", 1, (x: Value) => x instanceof Char);
  r.fn("char->integer", 1, (c: Value) => asChar(c, "char->integer").code);
  r.fn("integer->char", 1, (n: Value) => {
    if (typeof n === "number" && n >= 0 && n <= 0x10ffff && !(n >= 0xd800 && n <= 0xdfff)) return Char.of(n);
    throw wrongType("integer->char", "a Unicode scalar value", n);
  });
  r.fn("char-upcase", 1, (c: Value) => Char.of(upcase(asChar(c, "char-upcase").code)));
  r.fn("char-downcase", 1, (c: Value) => Char.of(downcase(asChar(c, "char-downcase").code)));
  r.fn("char-foldcase", 1, (c: Value) => Char.of(downcase(upcase(asChar(c, "char-foldcase").code))));
  r.fn("digit-value", 1, (c: Value) => digitValue(asChar(c, "digit-value").code));
  const test = (name: string, pattern: RegExp) => r.fn(name, 1, (c: Value) => pattern.test(asChar(c, name).toString()));
  test("char-alphabetic?", /^\p{Alphabetic}$/u);
  test("char-numeric?", /^\p{Nd}$/u);
  test("char-whitespace?", /^\s$/u);
  test("char-upper-case?", /^\p{Uppercase}$/u);
  test("char-lower-case?", /^\p{Lowercase}$/u);
  addComparisons(r);
}

function addComparisons(r: Registry): void {
  const compare = (name: string, holds: (a: number, b: number) => boolean, fold: boolean) => {
    r.rest(name, 1, (args) => {
      const codes = args.map((arg) => asChar(arg, name).code).map((code) => fold ? downcase(upcase(code)) : code);
      return codes.every((code, i) => i === 0 || holds(codes[i - 1], code));
    });
  };
  for (const [sign, holds] of Object.entries(ORDERS)) {
    compare(`char${sign}?`, holds, false);
    compare(`char-ci${sign}?`, holds, true);
  }
}

export const ORDERS: Record<string, (a: number, b: number) => boolean> = {
  "=": (a, b) => a === b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
};
