/**
 * awk's values. A number is a number and a string a string; text that came from outside (`Input`) is a number too if it
 * looks like one; a variable that was never set is undefined: "" and 0 at once.
 */
import { AwkError } from "../errors.ts";
import { formatNumber, looksNumeric, parseNumber } from "./numbers.ts";

export type Value = number | string | Input | undefined;
/** What a variable or an element holds. */
export type Slot = Value | AwkArray;

/** An array; the keys are strings. */
export class AwkArray {
  readonly map = new Map<string, Slot>();
}

/** Text from outside: a field, a line, an argument. */
export class Input {
  #numeric: boolean | undefined;
  #number: number | undefined;

  constructor(readonly text: string) {}

  get isNumeric(): boolean {
    return this.#numeric ??= looksNumeric(this.text);
  }

  get number(): number {
    return this.#number ??= parseNumber(this.text);
  }
}

/** The variables that conversions and comparisons depend on. */
export interface Conventions {
  /** CONVFMT */
  convert: string;
  /** OFMT */
  output: string;
  /** IGNORECASE */
  ignoreCase: boolean;
  /** Whether every byte is a character. */
  bytes: boolean;
}

export function toNumber(value: Slot): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  if (typeof value === "string") return parseNumber(value);
  if (value instanceof Input) return value.number;
  throw arrayUsed();
}

export function toText(value: Slot, conventions: Conventions): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatNumber(value, conventions.convert);
  if (value === undefined) return "";
  if (value instanceof Input) return value.text;
  throw arrayUsed();
}

export function toBoolean(value: Slot): boolean {
  if (typeof value === "number") return value !== 0;
  if (typeof value === "string") return value !== "";
  if (value === undefined) return false;
  if (value instanceof Input) return value.isNumeric ? value.number !== 0 : value.text !== "";
  throw arrayUsed();
}

/** The value itself, if it is not an array. */
export function asScalar(slot: Slot): Value {
  if (slot instanceof AwkArray) throw arrayUsed();
  return slot;
}

export function isNumeric(value: Slot): boolean {
  return typeof value === "number" || value === undefined || value instanceof Input && value.isNumeric;
}

/** Negative, zero or positive; not a number if one of two numbers is none. */
export function compareValues(a: Slot, b: Slot, conventions: Conventions): number {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(toNumber(a), toNumber(b));
  return compareTexts(toText(a, conventions), toText(b, conventions), conventions);
}

export function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN;
}

export function compareTexts(a: string, b: string, conventions: Conventions): number {
  if (conventions.ignoreCase) [a, b] = [a.toLowerCase(), b.toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}

function arrayUsed(): AwkError {
  return new AwkError("attempt to use an array in a scalar context");
}
