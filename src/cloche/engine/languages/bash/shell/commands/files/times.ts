/** Times of files, which are milliseconds, as people write and read them in the zone that TZ names. */
import { formatDate, type Moment } from "../dates/format.ts";
import { parseDate } from "../dates/parse.ts";
import { findZone, fromLocal } from "../dates/zones.ts";

function momentOf(ms: number): Moment {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: Math.min(Math.round((ms - seconds * 1000) * 1e6), 999_999_999) };
}

/** A time by a format of date. */
export function formatTime(format: string, ms: number, zone: string | undefined): string {
  return formatDate(format, momentOf(ms), findZone(zone));
}

/** The nine digits after the second. */
export function nanoseconds(ms: number): string {
  return String(momentOf(ms).nanos).padStart(9, "0");
}

/** The moment that a text names, read in the zone; undefined if it makes no sense. */
export function parseTime(text: string, now: number, zone: string | undefined): number | undefined {
  const found = parseDate(text, momentOf(now), findZone(zone));
  return found && found.seconds * 1000 + found.nanos / 1e6;
}

/** [[CC]YY]MMDDhhmm[.ss], as touch -t takes it. */
export function parseStamp(text: string, now: number, zone: string | undefined): number | undefined {
  const match = /^(?:(\d{2})?(\d{2}))?(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{2}))?$/.exec(text);
  if (!match) return undefined;
  const [, century, short, month, day, hour, minute, second = "0"] = match;
  const year = short === undefined
    ? new Date(now).getUTCFullYear()
    : century === undefined
    ? Number(short) + (Number(short) < 69 ? 2000 : 1900)
    : Number(century + short);
  const local = Date.UTC(year, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const valid = new Date(Date.UTC(year, Number(month) - 1, Number(day)));
  if (valid.getUTCMonth() !== Number(month) - 1 || valid.getUTCDate() !== Number(day)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const seconds = fromLocal(findZone(zone), local / 1000);
  return seconds === undefined ? undefined : seconds * 1000;
}
