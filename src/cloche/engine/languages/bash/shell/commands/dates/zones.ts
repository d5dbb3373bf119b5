/** Time zones: names of the database, as the engine's Intl knows them, and POSIX forms such as EST5EDT. */
import type { ZoneTime } from "../../../text/strftime.ts";

export interface Zone {
  at(seconds: number): ZoneTime;
}

/** Abbreviations that Intl does not give in English: in winter and in summer. */
const NAMES: Record<string, [string, string?]> = {
  "Asia/Tokyo": ["JST"],
  "Asia/Seoul": ["KST"],
  "Asia/Shanghai": ["CST"],
  "Asia/Taipei": ["CST"],
  "Asia/Hong_Kong": ["HKT"],
  "Asia/Kolkata": ["IST"],
  "Asia/Calcutta": ["IST"],
  "Asia/Karachi": ["PKT"],
  "Asia/Manila": ["PST"],
  "Asia/Jakarta": ["WIB"],
  "Asia/Jerusalem": ["IST", "IDT"],
  "Australia/Sydney": ["AEST", "AEDT"],
  "Australia/Melbourne": ["AEST", "AEDT"],
  "Australia/Hobart": ["AEST", "AEDT"],
  "Australia/Brisbane": ["AEST"],
  "Australia/Adelaide": ["ACST", "ACDT"],
  "Australia/Darwin": ["ACST"],
  "Australia/Perth": ["AWST"],
  "Pacific/Auckland": ["NZST", "NZDT"],
  "Pacific/Honolulu": ["HST"],
  "Europe/Moscow": ["MSK"],
  "Europe/London": ["GMT", "BST"],
  "Europe/Dublin": ["GMT", "IST"],
  "Europe/Lisbon": ["WET", "WEST"],
  "Africa/Johannesburg": ["SAST"],
  "Africa/Nairobi": ["EAT"],
  "Africa/Lagos": ["WAT"],
  "Africa/Cairo": ["EET", "EEST"],
};
const CENTRAL = /^Europe\/|^Arctic\/|^(CET|MET)$/;
const POSIX =
  /^([A-Za-z]{3,}|<[^>]+>)([-+]?\d{1,2}(?::\d{2}){0,2})(?:([A-Za-z]{3,}|<[^>]+>)([-+]?\d{1,2}(?::\d{2}){0,2})?(,.*)?)?$/;

export const UTC: Zone = { at: () => ({ offset: 0, name: "UTC" }) };
const known = new Map<string, Zone>();

/** The zone that TZ names; what cannot be understood is UTC, as in C. */
export function findZone(tz: string | undefined): Zone {
  const name = (tz ?? "").replace(/^:/, "").replace(/^\/usr\/share\/zoneinfo\//, "");
  if (name === "") return UTC;
  let zone = known.get(name);
  if (!zone) known.set(name, zone = makeZone(name));
  return zone;
}

function makeZone(name: string): Zone {
  const posix = POSIX.exec(name);
  if (posix) return posixZone(posix);
  try {
    return namedZone(name);
  } catch {
    const [word] = /^[A-Za-z]{3,}/.exec(name) ?? ["UTC"];
    return { at: () => ({ offset: 0, name: word }) };
  }
}

function namedZone(name: string): Zone {
  const fields = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    era: "short",
  });
  const short = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "short" });
  const offsetAt = (seconds: number): number => {
    const parts: Record<string, string> = {};
    for (const { type, value } of fields.formatToParts(new Date(seconds * 1000))) parts[type] = value;
    const year = parts.era === "BC" ? 1 - Number(parts.year) : Number(parts.year);
    const date = new Date(0);
    date.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    date.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    return Math.round(date.getTime() / 1000 - Math.floor(seconds));
  };
  return {
    at(seconds) {
      const offset = offsetAt(seconds);
      return { offset, name: nameAt(name, offset, seconds, offsetAt, short) };
    },
  };
}

function nameAt(
  zone: string,
  offset: number,
  seconds: number,
  offsetAt: (seconds: number) => number,
  short: Intl.DateTimeFormat,
): string {
  if (/^(Etc\/)?(UTC|UCT|Zulu|Universal)$/i.test(zone)) return "UTC";
  const part = short.formatToParts(new Date(seconds * 1000)).find(({ type }) => type === "timeZoneName")?.value ?? "";
  if (NAMES[zone]) {
    const [winter, summer] = NAMES[zone];
    const year = new Date(seconds * 1000).getUTCFullYear();
    const usual = Math.min(offsetAt(Date.UTC(year, 0, 1) / 1000), offsetAt(Date.UTC(year, 6, 1) / 1000));
    return offset > usual ? summer ?? winter : winter;
  }
  if (/^[A-Z]{3,5}$/.test(part) && part !== "GMT") return part;
  if (CENTRAL.test(zone) && [3600, 7200, 10800].includes(offset)) return europeanName(zone, offset, seconds, offsetAt);
  return part === "GMT" || part === "UTC" ? part : numericName(offset);
}

function europeanName(zone: string, offset: number, seconds: number, offsetAt: (seconds: number) => number): string {
  const winter = offsetAt(Date.UTC(new Date(seconds * 1000).getUTCFullYear(), 0, 1) / 1000);
  if (winter === 10800 || /Istanbul|Minsk/.test(zone)) return numericName(offset);
  if (winter === 3600) return offset === winter ? "CET" : "CEST";
  return offset === winter ? "EET" : "EEST";
}

function numericName(offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60));
  const two = (value: number) => String(value).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${minutes % 60 ? two(minutes % 60) : ""}`;
}

function posixZone([, name, offset, summer, summerOffset, rules]: RegExpExecArray): Zone {
  const plain = (word: string) => word.replace(/^<|>$/g, "");
  const winter = { offset: -secondsOf(offset), name: plain(name) };
  if (summer === undefined) return { at: () => winter };
  const other = {
    offset: summerOffset === undefined ? winter.offset + 3600 : -secondsOf(summerOffset),
    name: plain(summer),
  };
  const [start, end] = (rules ?? ",M3.2.0,M11.1.0").slice(1).split(",");
  return {
    at(seconds) {
      const year = new Date((seconds + winter.offset) * 1000).getUTCFullYear();
      const from = ruleTime(start, year) - winter.offset;
      const to = ruleTime(end ?? "", year) - other.offset;
      const isSummer = from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to;
      return isSummer ? other : winter;
    },
  };
}

function secondsOf(text: string): number {
  const [, sign, hours, minutes = "0", seconds = "0"] = /^([-+]?)(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** Local seconds of `M3.2.0/2`, `J60` or `59` in a year. */
function ruleTime(rule: string, year: number): number {
  const [day, time = "2"] = rule.split("/");
  const [, month, week, weekday] = /^M(\d+)\.(\d)\.(\d)$/.exec(day) ?? [];
  if (month === undefined) {
    const number = Number(day.replace(/^J/, ""));
    const leap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
    const days = day.startsWith("J") ? number - 1 + (leap && number > 59 ? 1 : 0) : number;
    return Date.UTC(year, 0, 1) / 1000 + days * 86400 + secondsOf(time);
  }
  const first = new Date(Date.UTC(year, Number(month) - 1, 1));
  const last = new Date(Date.UTC(year, Number(month), 0)).getUTCDate();
  let date = 1 + (Number(weekday) - first.getUTCDay() + 7) % 7 + (Number(week) - 1) * 7;
  if (date > last) date -= 7;
  return Date.UTC(year, Number(month) - 1, date) / 1000 + secondsOf(time);
}

/** The moment at which clocks in a zone show this time, the first of two; undefined if they skip it. */
export function fromLocal(zone: Zone, local: number): number | undefined {
  const guesses = [zone.at(local - 86400), zone.at(local + 86400), zone.at(local)].map(({ offset }) => local - offset);
  const fits = guesses.filter((seconds) => seconds + zone.at(seconds).offset === local);
  return fits.length > 0 ? Math.min(...fits) : undefined;
}
