/** Dates by format, as GNU's date has it. */
import type { Zone } from "./zones.ts";

/** A moment: seconds since 1970, and what is beyond them. */
export interface Moment {
  seconds: number;
  nanos: number;
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAY_MS = 86_400_000;
const FIELD = /%([-_0^#+]*)(\d*)(:{0,3})([EO]?)([a-zA-Z%])/g;

interface Shown {
  text: string;
  /** What it is filled with, and how wide it is by itself. */
  fill?: string;
  width?: number;
}

export function formatDate(format: string, moment: Moment, zone: Zone): string {
  return format.replace(FIELD, (whole, flags: string, width: string, colons: string, _mode: string, letter: string) => {
    if (colons !== "" && letter !== "z") return whole;
    if (letter === "N") return nanoseconds(moment.nanos, flags, width);
    const shown = fieldOf(letter, colons.length, moment, zone);
    return shown === undefined ? whole : adorn(shown, flags, width);
  });
}

function nanoseconds(nanos: number, flags: string, width: string): string {
  const digits = String(nanos).padStart(9, "0");
  if (width !== "") return digits.slice(0, Number(width)).padEnd(Math.min(Number(width), 99), "0");
  return flags.includes("-") ? digits.replace(/0+$/, "") || "0" : digits;
}

function adorn({ text, fill = " ", width = 0 }: Shown, flags: string, wanted: string): string {
  let shown = text;
  const pad = [...flags].findLast((flag) => "-_0+".includes(flag));
  if (pad === "-") shown = shown.replace(/^([-+]?)[0 ]+(?=.)/, "$1");
  if (flags.includes("^")) shown = shown.toUpperCase();
  if (flags.includes("#")) shown = shown === shown.toUpperCase() ? shown.toLowerCase() : shown.toUpperCase();
  if (pad === "_" && /^0/.test(shown)) shown = shown.replace(/^0+(?=.)/, (zeros) => " ".repeat(zeros.length));
  if (pad === "0" && width > 0) shown = shown.replace(/^ +/, (blanks) => "0".repeat(blanks.length));
  if (wanted === "" || pad === "-") return shown;
  return shown.padStart(Number(wanted), pad === "0" || pad === "+" ? "0" : pad === "_" ? " " : fill);
}

const number = (value: number, width: number, fill = "0"): Shown => ({
  text: String(value).padStart(width, fill),
  fill,
  width,
});

function fieldOf(letter: string, colons: number, moment: Moment, zone: Zone): Shown | undefined {
  const { offset, name } = zone.at(moment.seconds);
  const date = new Date((moment.seconds + offset) * 1000);
  const year = date.getUTCFullYear();
  const hour = date.getUTCHours();
  const start = new Date(0).setUTCFullYear(year, 0, 1);
  const day = Math.floor((date.getTime() - start) / DAY_MS);
  const again = (format: string): Shown => ({ text: formatDate(format, moment, zone) });
  const fields: Record<string, () => Shown> = {
    "%": () => ({ text: "%" }),
    a: () => ({ text: DAYS[date.getUTCDay()].slice(0, 3) }),
    A: () => ({ text: DAYS[date.getUTCDay()] }),
    b: () => ({ text: MONTHS[date.getUTCMonth()].slice(0, 3) }),
    h: () => ({ text: MONTHS[date.getUTCMonth()].slice(0, 3) }),
    B: () => ({ text: MONTHS[date.getUTCMonth()] }),
    c: () => again("%a %b %e %H:%M:%S %Y"),
    C: () => number(Math.floor(year / 100), 2),
    d: () => number(date.getUTCDate(), 2),
    D: () => again("%m/%d/%y"),
    e: () => number(date.getUTCDate(), 2, " "),
    F: () => again("%Y-%m-%d"),
    g: () => number(isoWeek(date)[0] % 100, 2),
    G: () => number(isoWeek(date)[0], 4),
    H: () => number(hour, 2),
    I: () => number(hour % 12 || 12, 2),
    j: () => number(day + 1, 3),
    k: () => number(hour, 2, " "),
    l: () => number(hour % 12 || 12, 2, " "),
    m: () => number(date.getUTCMonth() + 1, 2),
    M: () => number(date.getUTCMinutes(), 2),
    n: () => ({ text: "\n" }),
    p: () => ({ text: hour < 12 ? "AM" : "PM" }),
    P: () => ({ text: hour < 12 ? "am" : "pm" }),
    q: () => number(Math.floor(date.getUTCMonth() / 3) + 1, 1),
    r: () => again("%I:%M:%S %p"),
    R: () => again("%H:%M"),
    s: () => number(moment.seconds, 1),
    S: () => number(date.getUTCSeconds(), 2),
    t: () => ({ text: "\t" }),
    T: () => again("%H:%M:%S"),
    u: () => number(date.getUTCDay() || 7, 1),
    U: () => number(Math.floor((day + 7 - date.getUTCDay()) / 7), 2),
    V: () => number(isoWeek(date)[1], 2),
    w: () => number(date.getUTCDay(), 1),
    W: () => number(Math.floor((day + 7 - ((date.getUTCDay() + 6) % 7)) / 7), 2),
    x: () => again("%m/%d/%y"),
    X: () => again("%H:%M:%S"),
    y: () => number(((year % 100) + 100) % 100, 2),
    Y: () => number(year, 1),
    z: () => ({ text: formatOffset(offset, colons), fill: "0" }),
    Z: () => ({ text: name }),
  };
  return fields[letter]?.();
}

function formatOffset(offset: number, colons: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const all = Math.abs(offset);
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const sign = offset < 0 ? "-" : "+";
  if (colons === 0) return `${sign}${two(hours)}${two(minutes)}`;
  if (colons === 1) return `${sign}${two(hours)}:${two(minutes)}`;
  if (colons === 2) return `${sign}${two(hours)}:${two(minutes)}:${two(seconds)}`;
  return `${sign}${two(hours)}${minutes || seconds ? `:${two(minutes)}` : ""}${seconds ? `:${two(seconds)}` : ""}`;
}

function isoWeek(date: Date): [year: number, week: number] {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * DAY_MS);
  const year = thursday.getUTCFullYear();
  return [year, Math.floor((thursday.getTime() - new Date(0).setUTCFullYear(year, 0, 1)) / (7 * DAY_MS)) + 1];
}
