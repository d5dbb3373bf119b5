/** The dates that people write, as GNU's date reads them: "2024-01-15 10:00", "3 days ago", "next friday", "@0". */
import type { Moment } from "./format.ts";
import { findZone, fromLocal, type Zone } from "./zones.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAY =
  "sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nes(?:day)?)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?";
const UNIT = "secs?|seconds?|mins?|minutes?|hours?|days?|weeks?|fortnights?|months?|years?";
const ORDINALS: Record<string, number> = {
  last: -1,
  this: 0,
  next: 1,
  first: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
};
const ORDINAL = Object.keys(ORDINALS).join("|");
/** Hours east of Greenwich. */
const ZONES: Record<string, number> = {
  utc: 0,
  ut: 0,
  gmt: 0,
  z: 0,
  wet: 0,
  west: 1,
  bst: 1,
  cet: 1,
  met: 1,
  mez: 1,
  cest: 2,
  mest: 2,
  mesz: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  ist: 5.5,
  sgt: 8,
  jst: 9,
  nzst: 12,
  nzdt: 13,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  akst: -9,
  akdt: -8,
  hst: -10,
};
// The letters of the military: A to M without J are east, N to Y west.
[..."abcdefghiklm"].forEach((letter, i) => ZONES[letter] = i + 1);
[..."nopqrstuvwxy"].forEach((letter, i) => ZONES[letter] = -i - 1);
const ZONE_NAMES = Object.keys(ZONES).sort((a, b) => b.length - a.length).join("|");
const SECONDS: Record<string, number> = { sec: 1, second: 1, min: 60, minute: 60, hour: 3600 };
const DAYS_OF: Record<string, number> = { day: 1, week: 7, fortnight: 14 };

interface Parts {
  date?: [year: number, month: number, day: number];
  time?: [hour: number, minute: number, second: number, nanos: number];
  /** Seconds east of Greenwich. */
  offset?: number;
  seconds: number;
  days: number;
  months: number;
  weekday?: [day: number, ordinal: number];
  epoch?: Moment;
  year: number;
  /** A phrase that keeps the time of day. */
  relative: boolean;
}

type Rule = [pattern: RegExp, act: (parts: Parts, match: string[]) => boolean | void];

const count = (word: string | undefined) => Number(word ?? 0);
const nanosOf = (digits: string | undefined) => Number((digits ?? "").padEnd(9, "0").slice(0, 9));
const fullYear = (word: string) => word.length > 2 ? count(word) : count(word) + (count(word) < 69 ? 2000 : 1900);

function setDate(parts: Parts, year: number, month: number, day: number): boolean {
  if (parts.date) return false;
  parts.date = [year, month, day];
  return true;
}

function setTime(parts: Parts, hour: number, minute: number, second: number, nanos: number, half?: string): boolean {
  if (parts.time || half !== undefined && (hour < 1 || hour > 12)) return false;
  const whole = half === undefined ? hour : hour % 12 + (half.startsWith("p") ? 12 : 0);
  parts.time = [whole, minute, second, nanos];
  return true;
}

function setOffset(parts: Parts, sign: string, hours: string, minutes: string | undefined): void {
  const [h, m] = minutes === undefined && hours.length > 2
    ? [count(hours.slice(0, -2)), count(hours.slice(-2))]
    : [count(hours), count(minutes)];
  parts.offset = (sign === "-" ? -1 : 1) * (h * 3600 + m * 60);
}

function shift(parts: Parts, amount: number, unit: string): void {
  const name = unit.replace(/s$/, "");
  parts.relative = true;
  if (name in SECONDS) parts.seconds += amount * SECONDS[name];
  else if (name in DAYS_OF) parts.days += amount * DAYS_OF[name];
  else parts.months += amount * (name === "year" ? 12 : 1);
}

const monthOf = (word: string) => MONTHS.indexOf(word.slice(0, 3)) + 1;

const RULES: Rule[] = [
  [/^(\d{4,})-(\d{1,2})-(\d{1,2})(?:t(?=\d)|(?!\d))/, (p, m) => setDate(p, count(m[1]), count(m[2]), count(m[3]))],
  [/^(\d{1,2})-(\d{1,2})-(\d{1,2})(?!\d)/, (p, m) => setDate(p, fullYear(m[1]), count(m[2]), count(m[3]))],
  [/^(\d{4})\/(\d{1,2})\/(\d{1,2})(?!\d)/, (p, m) => setDate(p, count(m[1]), count(m[2]), count(m[3]))],
  [
    /^(\d{1,2})\/(\d{1,2})(?:\/(\d{2,}))?(?!\d)/,
    (p, m) => setDate(p, m[3] ? fullYear(m[3]) : p.year, count(m[1]), count(m[2])),
  ],
  [
    new RegExp(`^(\\d{1,2})(?:st|nd|rd|th)?[ -]?(${MONTH})\\b\\.?(?:,?[ -](\\d{4}|\\d{2}(?![:\\d])))?`),
    (p, m) => setDate(p, m[3] ? fullYear(m[3]) : p.year, monthOf(m[2]), count(m[1])),
  ],
  [
    new RegExp(`^(${MONTH})\\b\\.?[ -](\\d{1,2})(?:st|nd|rd|th)?(?!\\d|:)(?:,? ?(\\d{4})(?![:\\d]))?`),
    (p, m) => setDate(p, m[3] ? count(m[3]) : p.year, monthOf(m[1]), count(m[2])),
  ],
  [
    /^t?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)? ?([ap]\.?m\.?(?![a-z]))?/,
    (p, m) => setTime(p, count(m[1]), count(m[2]), count(m[3]), nanosOf(m[4]), m[5]),
  ],
  [/^(\d{1,2}) ?([ap]\.?m\.?)(?![a-z])/, (p, m) => setTime(p, count(m[1]), 0, 0, 0, m[2])],
  [/^(\d{4})(\d{2})(\d{2})(?:t(?=\d)|(?!\d))/, (p, m) => setDate(p, count(m[1]), count(m[2]), count(m[3]))],
  [/^(?:now|today)\b/, (p) => void (p.relative = true)],
  [/^yesterday\b/, (p) => shift(p, -1, "day")],
  [/^tomorrow\b/, (p) => shift(p, 1, "day")],
  [
    new RegExp(`^([-+]*) ?(\\d+) ?(${UNIT})\\b( ago\\b)?`),
    (p, m) => shift(p, (m[1].split("-").length % 2 === 0 ? -1 : 1) * (m[4] ? -1 : 1) * count(m[2]), m[3]),
  ],
  [new RegExp(`^(${ORDINAL}) (${UNIT})\\b( ago\\b)?`), (p, m) => shift(p, ORDINALS[m[1]] * (m[3] ? -1 : 1), m[2])],
  [new RegExp(`^([-+]?)(?:an? )?(${UNIT})\\b( ago\\b)?`), (p, m) => shift(p, m[3] || m[1] === "-" ? -1 : 1, m[2])],
  [
    new RegExp(`^(?:(${ORDINAL}) )?(${DAY})\\b[.,]?`),
    (p, m) => {
      if (p.weekday) return false;
      p.weekday = [DAYS.indexOf(m[2].slice(0, 3)), m[1] === undefined ? 0 : ORDINALS[m[1]]];
    },
  ],
  [
    new RegExp(`^(?:${ZONE_NAMES})\\b(?: ?([-+])(\\d{1,2}):?(\\d{2})?(?!\\d))?( dst\\b)?`),
    (p, m) => {
      if (p.offset !== undefined) return false;
      const [name] = /^[a-z]+/.exec(m[0]) ?? ["utc"];
      p.offset = ZONES[name] * 3600;
      if (m[1]) p.offset += (m[1] === "-" ? -1 : 1) * (count(m[2]) * 3600 + count(m[3]) * 60);
    },
  ],
  [
    /^(\d{2})(\d{2})(?!\d)/,
    (p, m) => {
      if (p.date && !p.time && count(m[1]) < 24) return setTime(p, count(m[1]), count(m[2]), 0, 0);
      if (p.date && p.time) return void (p.date[0] = count(m[1] + m[2]));
      return setTime(p, count(m[1]), count(m[2]), 0, 0);
    },
  ],
];

/** After a time, a signed number is a zone. */
const OFFSET = /^ ?([-+])(\d{1,4})(?::(\d{2}))?(?!\d)/;

/** The moment that a text names in a zone; undefined if it makes no sense. */
export function parseDate(text: string, now: Moment, around: Zone): Moment | undefined {
  const [, prefix, quoted] = /^\s*(TZ="((?:[^"\\]|\\.)*)"\s*)/.exec(text) ?? [];
  const zone = quoted === undefined ? around : findZone(quoted);
  const plain = text.slice(prefix?.length ?? 0).replace(/\([^)]*\)/g, " ");
  let rest = plain.trim().toLowerCase().replace(/\s+/g, " ");
  const [epoch, seconds, fraction] = /^@(-?\d+)(?:[.,](\d+))?$/.exec(rest) ?? [];
  if (epoch !== undefined) return epochOf(seconds, fraction);
  const today = new Date((now.seconds + zone.at(now.seconds).offset) * 1000);
  const parts: Parts = { seconds: 0, days: 0, months: 0, year: today.getUTCFullYear(), relative: false };
  const empty = rest === "";
  while (rest !== "") {
    const length = readPhrase(parts, rest);
    if (length === undefined) return undefined;
    rest = rest.slice(length).replace(/^[, ]+/, "");
  }
  return assemble(parts, now, zone, today, empty);
}

function epochOf(seconds: string, fraction: string | undefined): Moment {
  const nanos = nanosOf(fraction);
  const negative = seconds.startsWith("-") && nanos > 0;
  return { seconds: Number(seconds) - (negative ? 1 : 0), nanos: negative ? 1e9 - nanos : nanos };
}

/** How much of the text was understood. */
function readPhrase(parts: Parts, rest: string): number | undefined {
  const hadTime = parts.time !== undefined;
  for (const [pattern, act] of RULES) {
    const match = pattern.exec(rest);
    if (!match || act(parts, match) === false) continue;
    let { length } = match[0];
    const offset = !hadTime && parts.time && parts.offset === undefined ? OFFSET.exec(rest.slice(length)) : null;
    if (offset) {
      setOffset(parts, offset[1], offset[2], offset[3]);
      length += offset[0].length;
    }
    return length;
  }
  return undefined;
}

function assemble(parts: Parts, now: Moment, zone: Zone, today: Date, empty: boolean): Moment | undefined {
  const given = parts.date ?? [today.getUTCFullYear(), today.getUTCMonth() + 1, today.getUTCDate()];
  const [year, month, day] = given;
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(2000 + year % 400, month, 0)).getUTCDate()) {
    return undefined;
  }
  const midnight = empty || parts.date !== undefined || parts.offset !== undefined || parts.weekday !== undefined;
  const keeps = !midnight && parts.time === undefined;
  const clock = [today.getUTCHours(), today.getUTCMinutes(), today.getUTCSeconds()];
  const [hour, minute, second] = parts.time ?? (keeps ? clock : [0, 0, 0]);
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  let shifted = day + parts.days;
  if (parts.weekday && !parts.date) {
    const [weekday, ordinal] = parts.weekday;
    const ahead = (weekday - today.getUTCDay() + 7) % 7;
    shifted += ahead + 7 * (ordinal - (ordinal > 0 && ahead !== 0 ? 1 : 0));
  }
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1 + parts.months, shifted);
  date.setUTCHours(hour, minute, second);
  const local = date.getTime() / 1000;
  if (Number.isNaN(local)) return undefined;
  const moment = parts.offset === undefined ? fromLocal(zone, local) : local - parts.offset;
  if (moment === undefined) return undefined;
  return { seconds: moment + parts.seconds, nanos: parts.time?.[3] ?? (keeps ? now.nanos : 0) };
}
