/** The data of Scheme: what a program can hold in a variable. */

import { wrongType } from "./errors.ts";
import { chargeWords } from "./work_meter.ts";

/**
 * Exact integers are numbers (or bigints outside the safe range), other numbers are Ratio and Real; booleans are booleans;
 * the unspecified value is undefined; everything else is one of the classes here.
 */
export type Value = unknown;

export class Sym {
  constructor(readonly name: string) {}
}

/** Unreferenced symbols are freed; otherwise a program could fill the memory of all later ones. */
const symbols = new Map<string, WeakRef<Sym>>();
const FEW = 50_000;
let swept = 0;

export function internSymbol(name: string): Sym {
  let symbol = symbols.get(name)?.deref();
  if (!symbol) symbols.set(name, new WeakRef(symbol = new Sym(name)));
  return symbol;
}

/** Between programs: what one of them used stays until it has ended. */
export function sweepSymbols(): void {
  if (symbols.size < 2 * swept + FEW) return;
  for (const [name, symbol] of symbols) if (!symbol.deref()) symbols.delete(name);
  swept = symbols.size;
}

export class Pair {
  constructor(public car: Value, public cdr: Value) {}
}

export class Nil {}
export const NIL = new Nil();

export class Eof {}
export const EOF = new Eof();

export class Char {
  private constructor(readonly code: number) {}

  static readonly #known = new Map<number, Char>();

  /** Each character is one object. */
  static of(code: number): Char {
    let char = Char.#known.get(code);
    if (!char) Char.#known.set(code, char = new Char(code));
    return char;
  }

  toString(): string {
    return textOf([this.code]);
  }
}

/** A mutable string of code points: flat text until something must be indexed beyond the basic plane or changed. */
export class Text {
  #flat: string | null;
  #points: number[] | null = null;
  #narrow: boolean | null = null;

  constructor(text: string) {
    this.#flat = text;
  }

  static of(points: number[]): Text {
    const text = new Text("");
    text.#flat = null;
    text.#points = points;
    return text;
  }

  toString(): string {
    return this.#flat ??= textOf(this.#points ?? []);
  }

  get length(): number {
    return this.#indexable() ? this.toString().length : this.points().length;
  }

  at(index: number): number {
    if (this.#points) return this.#points[index];
    return this.#indexable() ? this.toString().charCodeAt(index) : this.points()[index];
  }

  set(index: number, code: number): void {
    this.points()[index] = code;
    this.#flat = null;
  }

  slice(start: number, end: number): string {
    return this.#indexable() ? this.toString().slice(start, end) : textOf(this.points().slice(start, end));
  }

  /** The code points themselves; call `changed` after changing them. */
  points(): number[] {
    if (!this.#points) {
      this.#points = pointsOf(this.toString());
      chargeWords(this.#points.length);
      this.#narrow = false;
    }
    return this.#points;
  }

  changed(): void {
    this.#flat = null;
  }

  #indexable(): boolean {
    if (this.#points) return false;
    return this.#narrow ??= !/[\ud800-\udfff]/.test(this.toString());
  }
}

const PIECE = 4096;

function textOf(points: number[]): string {
  if (points.length <= PIECE) return String.fromCodePoint(...points);
  const parts: string[] = [];
  for (let at = 0; at < points.length; at += PIECE) parts.push(String.fromCodePoint(...points.slice(at, at + PIECE)));
  return parts.join("");
}

function pointsOf(text: string): number[] {
  const points: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code > 0xffff) i++;
    points.push(code);
  }
  return points;
}

/** The result of `(values ...)` if it is not exactly one value. */
export class Values {
  constructor(readonly list: Value[]) {}
}

export class Delayed {
  /** Shared by all promises that are chained by delay-force. */
  constructor(public box: { done: boolean; value: Value }) {}
}

export class RecordType {
  constructor(readonly name: string, readonly fields: string[]) {}
}

export class Instance {
  constructor(readonly type: RecordType, readonly fields: Value[]) {}
}

export function makeList(...items: Value[]): Value {
  return listOf(items);
}

export function listOf(items: Value[], tail: Value = NIL, from = 0): Value {
  chargeWords(items.length);
  let result = tail;
  for (let i = items.length - 1; i >= from; i--) result = new Pair(items[i], result);
  return result;
}

/** The items of a proper list; anything else is an error in the name of `who`. */
export function itemsOf(value: Value, who: string): Value[] {
  const items: Value[] = [];
  let rest = value;
  for (; rest instanceof Pair; rest = rest.cdr) {
    items.push(rest.car);
    if (items.length === LONG && isCyclic(value)) break;
  }
  if (rest !== NIL) throw wrongType(who, "a list", value);
  chargeWords(items.length);
  return items;
}

const LONG = 100_000;

export function isCyclic(value: Value): boolean {
  let [slow, fast] = [value, value];
  while (fast instanceof Pair && fast.cdr instanceof Pair) {
    fast = fast.cdr.cdr;
    slow = (slow as Pair).cdr;
    if (fast === slow) return fast instanceof Pair;
  }
  return false;
}

export function isList(value: Value): boolean {
  if (isCyclic(value)) return false;
  let rest = value;
  while (rest instanceof Pair) rest = rest.cdr;
  return rest === NIL;
}
