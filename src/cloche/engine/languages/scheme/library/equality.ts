/** eq?, eqv? and equal?. */

import { chargeWords } from "../vm/work_meter.ts";
import { isNum, Ratio, Real } from "../numbers/numbers.ts";
import { Pair, Text, type Value } from "../vm/values.ts";
import type { Registry } from "./registry.ts";

export function isEqv(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a instanceof Real) return b instanceof Real && Object.is(a.value, b.value);
  if (a instanceof Ratio) return b instanceof Ratio && a.num === b.num && a.den === b.den;
  return a instanceof Text && b instanceof Text && a.length === 0 && b.length === 0;
}

/** Structures that contain themselves are compared too: what is being compared counts as equal. */
export function isEqual(a: Value, b: Value): boolean {
  const todo: [Value, Value][] = [[a, b]];
  let seen: Map<object, Set<object>> | null = null;
  for (let steps = 0, next = todo.pop(); next; next = todo.pop()) {
    const [x, y] = next;
    if (isEqv(x, y)) continue;
    if (!isContainer(x)) {
      if (!sameAtom(x, y)) return false;
      continue;
    }
    if (++steps > LONG) {
      chargeWords(COMPARISON);
      seen ??= new Map();
      const partners = seen.get(x) ?? new Set();
      if (partners.has(y as object)) continue;
      seen.set(x, partners.add(y as object));
    }
    if (!pushParts(x, y, todo)) return false;
  }
  return true;
}

const LONG = 1_000_000;
const COMPARISON = 64;

function isContainer(value: Value): value is Pair | Value[] {
  return value instanceof Pair || Array.isArray(value);
}

function pushParts(x: Pair | Value[], y: Value, todo: [Value, Value][]): boolean {
  if (x instanceof Pair) {
    if (!(y instanceof Pair)) return false;
    todo.push([x.cdr, y.cdr], [x.car, y.car]);
    return true;
  }
  if (!Array.isArray(y) || x.length !== y.length) return false;
  for (let i = 0; i < x.length; i++) todo.push([x[i], y[i]]);
  return true;
}

function sameAtom(x: Value, y: Value): boolean {
  if (x instanceof Text) return y instanceof Text && x.toString() === y.toString();
  if (x instanceof Uint8Array) {
    return y instanceof Uint8Array && x.length === y.length && x.every((byte, i) => byte === y[i]);
  }
  return false;
}

/** A key under which everything that is equal is found in a Map; compound data have none. */
export function equalKey(value: Value): Value {
  if (value instanceof Text) return `s${value}`;
  if (isNum(value) && typeof value === "object") {
    return value instanceof Real ? `r${realKey(value.value)}` : `q${value.num}/${value.den}`;
  }
  return value;
}

function realKey(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

export function addEquality(r: Registry): void {
  r.fn("eq?", 2, isEqv);
  r.fn("eqv?", 2, isEqv);
  r.fn("equal?", 2, isEqual);
}
