/** Dates as C's library has them, on JavaScript's clock. */

import type { Vm } from "./vm.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];
const DAY = 86_400_000;
/** The fields of C's `struct tm`, each a word. */
const FIELDS = ["second", "minute", "hour", "day", "month", "year", "weekday", "yearday", "summer", "offset"] as const;

type Time = Record<typeof FIELDS[number], number>;

export class Clock {
  constructor(private readonly vm: Vm) {}

  imports() {
    return {
      emscripten_date_now: () => Date.now(),
      _emscripten_get_now_is_monotonic: () => 1,
      _gmtime_js: (time: bigint, at: number) => this.#put(at, universal(new Date(Number(time) * 1000))),
      _localtime_js: (time: bigint, at: number) => this.#put(at, local(new Date(Number(time) * 1000))),
      _mktime_js: (at: number) => this.#make(at),
      _tzset_js: (zone: number, summer: number) => this.#setZone(zone, summer),
      strftime: (at: number, most: number, format: number, time: number) => {
        const text = new TextEncoder().encode(formatTime(this.vm.text(format), this.#get(time)));
        if (text.length >= most) return 0;
        this.vm.bytes.set([...text, 0], at);
        return text.length;
      },
    };
  }

  #get(at: number): Time {
    const view = this.vm.view;
    return Object.fromEntries(FIELDS.map((name, index) => [name, view.getInt32(at + 4 * index, true)])) as Time;
  }

  #put(at: number, time: Time): void {
    const view = this.vm.view;
    FIELDS.forEach((name, index) => view.setInt32(at + 4 * index, time[name], true));
  }

  #make(at: number): bigint {
    const { second, minute, hour, day, month, year } = this.#get(at);
    const date = new Date(0);
    date.setFullYear(year + 1900, month, day);
    date.setHours(hour, minute, second, 0);
    if (Number.isNaN(date.getTime())) return -1n;
    this.#put(at, local(date));
    return BigInt(Math.floor(date.getTime() / 1000));
  }

  #setZone(zone: number, summer: number): void {
    const year = new Date().getFullYear();
    const [winter, middle] = [0, 6].map((month) => new Date(year, month, 1).getTimezoneOffset());
    this.vm.view.setInt32(zone, Math.max(winter, middle) * 60, true);
    this.vm.view.setInt32(summer, Number(winter !== middle), true);
  }
}

function universal(date: Date): Time {
  const start = Date.UTC(date.getUTCFullYear(), 0, 1);
  return {
    second: date.getUTCSeconds(),
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth(),
    year: date.getUTCFullYear() - 1900,
    weekday: date.getUTCDay(),
    yearday: Math.floor((date.getTime() - start) / DAY),
    summer: 0,
    offset: 0,
  };
}

function local(date: Date): Time {
  const offset = -date.getTimezoneOffset() * 60;
  const standard = -Math.max(...[0, 6].map((month) => new Date(date.getFullYear(), month, 1).getTimezoneOffset())) * 60;
  const shifted = universal(new Date(date.getTime() + offset * 1000));
  return { ...shifted, summer: Number(offset > standard), offset };
}

/** The replacement of one letter after `%`. */
const LETTERS: Record<string, (time: Time) => string> = {
  a: (t) => name(DAYS, t.weekday).slice(0, 3),
  A: (t) => name(DAYS, t.weekday),
  b: (t) => name(MONTHS, t.month).slice(0, 3),
  B: (t) => name(MONTHS, t.month),
  c: (t) => formatTime("%a %b %e %H:%M:%S %Y", t),
  C: (t) => two(Math.floor((t.year + 1900) / 100)),
  d: (t) => two(t.day),
  D: (t) => formatTime("%m/%d/%y", t),
  e: (t) => String(t.day).padStart(2),
  F: (t) => formatTime("%Y-%m-%d", t),
  g: (t) => two(weekOf(t).year % 100),
  G: (t) => String(weekOf(t).year),
  h: (t) => name(MONTHS, t.month).slice(0, 3),
  H: (t) => two(t.hour),
  I: (t) => two(t.hour % 12 || 12),
  j: (t) => String(t.yearday + 1).padStart(3, "0"),
  m: (t) => two(t.month + 1),
  M: (t) => two(t.minute),
  n: () => "\n",
  p: (t) => t.hour < 12 ? "AM" : "PM",
  r: (t) => formatTime("%I:%M:%S %p", t),
  R: (t) => formatTime("%H:%M", t),
  S: (t) => two(t.second),
  t: () => "\t",
  T: (t) => formatTime("%H:%M:%S", t),
  u: (t) => String(t.weekday || 7),
  U: (t) => two(Math.floor((t.yearday + 7 - t.weekday) / 7)),
  V: (t) => two(weekOf(t).week),
  w: (t) => String(t.weekday),
  W: (t) => two(Math.floor((t.yearday + 7 - (t.weekday + 6) % 7) / 7)),
  x: (t) => formatTime("%m/%d/%y", t),
  X: (t) => formatTime("%H:%M:%S", t),
  y: (t) => two((t.year + 1900) % 100),
  Y: (t) => String(t.year + 1900),
  z: (t) => (t.offset < 0 ? "-" : "+") + two(Math.abs(t.offset) / 3600) + two(Math.abs(t.offset) / 60 % 60),
  Z: (t) => t.offset === 0 ? "UTC" : formatTime("%z", t),
  "%": () => "%",
};

export function formatTime(format: string, time: Time): string {
  return format.replace(/%[EO]?(.)/gs, (all, letter: string) => LETTERS[letter]?.(time) ?? all);
}

/** The week of ISO 8601, and the year that it belongs to. */
function weekOf({ year, yearday, weekday }: Time): { week: number; year: number } {
  const thursday = new Date(Date.UTC(year + 1900, 0, 1 + yearday + 4 - (weekday || 7)));
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return { week: Math.floor((thursday.getTime() - first) / (7 * DAY)) + 1, year: thursday.getUTCFullYear() };
}

function name(names: string[], index: number): string {
  return names[index] ?? "?";
}

function two(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}
