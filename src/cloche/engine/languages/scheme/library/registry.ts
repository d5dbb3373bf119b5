/** The table of primitives, and the checks they share. */

import { outOfRange, raiseFailure, wrongType } from "../vm/errors.ts";
import { chargeWords } from "../vm/work_meter.ts";
import { type Native, Primitive } from "../vm/procedures.ts";
import { Char, Pair, Sym, Text, type Value } from "../vm/values.ts";

type Count = number | [number, number];

export class Registry {
  readonly primitives = new Map<string, Primitive>();

  /** Takes its arguments one by one; those that are missing are undefined. */
  fn(name: string, count: Count, call: Native): void {
    this.#add(name, count, call, false, false);
  }

  /** Takes any number of arguments, as an array. */
  rest(name: string, min: number, call: (args: Value[]) => Value, two: Native | null = null): void {
    this.primitives.set(name, new Primitive(name, min, Infinity, call, true, false, two));
  }

  /** May call procedures of the program in tail position, or give up the stack. */
  control(name: string, count: Count, call: Native): void {
    this.#add(name, count, call, false, true);
  }

  alias(name: string, of: string): void {
    this.primitives.set(name, this.primitives.get(of) as Primitive);
  }

  #add(name: string, count: Count, call: Native, spread: boolean, control: boolean): void {
    const [min, max] = typeof count === "number" ? [count, count] : count;
    this.primitives.set(name, new Primitive(name, min, max, call, spread, control));
  }
}

/** More than this in one vector, string or list made at once is refused. */
export const MAX_LENGTH = 1 << 24;

export function asPair(value: Value, who: string): Pair {
  if (value instanceof Pair) return value;
  throw wrongType(who, "a pair", value);
}

export function asSymbol(value: Value, who: string): Sym {
  if (value instanceof Sym) return value;
  throw wrongType(who, "a symbol", value);
}

export function asText(value: Value, who: string): Text {
  if (value instanceof Text) return value;
  throw wrongType(who, "a string", value);
}

export function asChar(value: Value, who: string): Char {
  if (value instanceof Char) return value;
  throw wrongType(who, "a character", value);
}

export function asVector(value: Value, who: string): Value[] {
  if (Array.isArray(value)) return value;
  throw wrongType(who, "a vector", value);
}

export function asBytevector(value: Value, who: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw wrongType(who, "a bytevector", value);
}

export function asByte(value: Value, who: string): number {
  if (typeof value === "number" && value >= 0 && value < 256) return value;
  throw wrongType(who, "a byte", value);
}

/** A count that is not negative. */
export function asSize(value: Value, who: string): number {
  if (typeof value !== "number" || value < 0) throw wrongType(who, "a non-negative exact integer", value);
  if (value > MAX_LENGTH) throw raiseFailure("OutOfMemory", `${who}: more than ${MAX_LENGTH} elements:`, value);
  chargeWords(value);
  return value;
}

export function asIndex(value: Value, length: number, who: string): number {
  if (typeof value !== "number") throw wrongType(who, "an index", value);
  if (value < 0 || value >= length) throw outOfRange(who, value);
  return value;
}

/** Optional start and end. */
export function asRange(start: Value, end: Value, length: number, who: string): [number, number] {
  const to = end === undefined ? length : asIndex(end, length + 1, who);
  const from = start === undefined ? 0 : asIndex(start, to + 1, who);
  return [from, to];
}
