/** C's strptime(): reads a time by a format. */

import type { TimeFields } from "./calendar.ts";

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS = [
  ...["january", "february", "march", "april", "may", "june", "july"],
  ...["august", "september", "october", "november", "december"],
];
/** Formats that stand for others. */
const LONGER: Record<string, string> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  x: "%m/%d/%y",
  F: "%Y-%m-%d",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  T: "%H:%M:%S",
  X: "%H:%M:%S",
};
const DAY = 86_400_000;

interface Fields extends Partial<TimeFields> {
  century?: number;
  inCentury?: number;
  afternoon?: boolean;
  hour12?: number;
}

/** Numbers: how many digits at most, the range, and what becomes of them. */
const NUMBERS: Record<
  string,
  [digits: number, least: number, most: number, put: (into: Fields, value: number) => void]
> = {
  C: [2, 0, 99, (into, value) => into.century = value],
  d: [2, 1, 31, (into, value) => into.day = value],
  H: [2, 0, 23, (into, value) => into.hour = value],
  I: [2, 1, 12, (into, value) => into.hour12 = value % 12],
  j: [3, 1, 366, (into, value) => into.yearday = value - 1],
  m: [2, 1, 12, (into, value) => into.month = value - 1],
  M: [2, 0, 59, (into, value) => into.minute = value],
  S: [2, 0, 61, (into, value) => into.second = value],
  u: [1, 1, 7, (into, value) => into.weekday = value % 7],
  U: [2, 0, 53, () => {}],
  V: [2, 0, 53, () => {}],
  w: [1, 0, 6, (into, value) => into.weekday = value],
  W: [2, 0, 53, () => {}],
  y: [2, 0, 99, (into, value) => into.inCentury = value],
  Y: [4, 0, 9999, (into, value) => into.year = value - 1900],
  g: [2, 0, 99, () => {}],
  G: [4, 0, 9999, () => {}],
  s: [18, 0, Infinity, putSeconds],
};
/** By how many there may be. */
const DIGITS = Array.from({ length: 19 }, (_, most) => new RegExp(`[+-]?\\d{1,${Math.max(1, most)}}`, "y"));
const SAME: Record<string, string> = { e: "d", k: "H", l: "I", A: "a", B: "b", h: "b", n: " ", t: " " };

/** What was read, and how many characters of the text that took; undefined if the text does not fit. */
export function parseTime(text: string, format: string): { fields: Partial<TimeFields>; length: number } | undefined {
  const fields: Fields = {};
  const at = new Cursor(text);
  if (!matchFormat(at, format, fields)) return undefined;
  return { fields: settle(fields), length: at.place };
}

class Cursor {
  place = 0;

  constructor(private readonly text: string) {}

  take(pattern: RegExp): RegExpMatchArray | null {
    pattern.lastIndex = this.place;
    const found = pattern.exec(this.text);
    if (found) this.place += found[0].length;
    return found;
  }

  skipSpace(): void {
    this.take(/\s*/y);
  }

  /** The index of the name that stands here, whole or as its first three letters. */
  takeName(names: string[]): number {
    const rest = this.text.slice(this.place).toLowerCase();
    const index = names.findIndex((name) => rest.startsWith(name.slice(0, 3)));
    if (index >= 0) this.place += rest.startsWith(names[index]) ? names[index].length : 3;
    return index;
  }

  takeLiteral(letter: string): boolean {
    const same = this.text[this.place] === letter;
    if (same) this.place++;
    return same;
  }
}

/** The last format is kept: programs read many times by one. */
let last = { format: "", parts: [] as string[] };

function splitFormat(format: string): string[] {
  if (last.format !== format) last = { format, parts: format.match(/%[EO_0^#-]?[\s\S]|\s+|[\s\S]/g) ?? [] };
  return last.parts;
}

function matchFormat(at: Cursor, format: string, fields: Fields): boolean {
  for (const part of splitFormat(format)) {
    if (/^\s/.test(part)) at.skipSpace();
    else if (part.length === 1) {
      if (!at.takeLiteral(part)) return false;
    } else if (!matchField(at, part.at(-1) ?? "", fields)) return false;
  }
  return true;
}

function matchField(at: Cursor, given: string, fields: Fields): boolean {
  const letter = SAME[given] ?? given;
  if (LONGER[letter]) return matchFormat(at, LONGER[letter], fields);
  if (NUMBERS[letter]) return matchNumber(at, letter, fields);
  switch (letter) {
    case " ":
      at.skipSpace();
      return true;
    case "%":
      return at.takeLiteral("%");
    case "a":
      return (fields.weekday = at.takeName(DAYS)) >= 0;
    case "b":
      return (fields.month = at.takeName(MONTHS)) >= 0;
    case "p":
      return matchHalf(at, fields);
    case "z":
      return matchZone(at, fields);
    case "Z":
      return at.take(/\s*\S+/y) !== null;
    default:
      return false;
  }
}

function matchNumber(at: Cursor, letter: string, fields: Fields): boolean {
  const [digits, least, most, put] = NUMBERS[letter];
  at.skipSpace();
  const found = at.take(DIGITS[digits]);
  const value = Number(found?.[0]);
  if (!found || value < least || value > most) return false;
  put(fields, value);
  return true;
}

function matchHalf(at: Cursor, fields: Fields): boolean {
  const half = at.take(/([ap])\.?m\.?/iy)?.[1].toLowerCase();
  if (half) fields.afternoon = half === "p";
  return half !== undefined;
}

function matchZone(at: Cursor, fields: Fields): boolean {
  at.skipSpace();
  const found = at.take(/Z|([+-])(\d\d):?(\d\d)?/y);
  if (!found) return false;
  const [, sign, hours, minutes = "0"] = found;
  fields.offset = sign ? (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60) : 0;
  return true;
}

function putSeconds(into: Fields, value: number): void {
  const date = new Date(value * 1000);
  Object.assign(into, {
    second: date.getUTCSeconds(),
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth(),
    year: date.getUTCFullYear() - 1900,
  });
}

/** Puts together what the parts say, and finds the day of the week and of the year. */
function settle({ century, inCentury, afternoon, hour12, ...fields }: Fields): Partial<TimeFields> {
  if (inCentury !== undefined) {
    fields.year = century !== undefined
      ? (century - 19) * 100 + inCentury
      : inCentury < 69
      ? inCentury + 100
      : inCentury;
  } else if (century !== undefined) fields.year = (century - 19) * 100;
  if (hour12 !== undefined) fields.hour = hour12 + (afternoon ? 12 : 0);
  const { year, month, day, yearday } = fields;
  if (year === undefined) return fields;
  const start = new Date(0);
  start.setUTCFullYear(year + 1900, 0, 1);
  const date = new Date(start);
  if (month !== undefined && day !== undefined) date.setUTCMonth(month, day);
  else if (yearday !== undefined) date.setUTCDate(1 + yearday);
  else return fields;
  return {
    ...fields,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    yearday: Math.round((date.getTime() - start.getTime()) / DAY),
  };
}
