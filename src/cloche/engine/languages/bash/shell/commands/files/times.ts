/** Times of files as people write and read them, in the zone that TZ names. */
import { strftime } from "../../../text/strftime.ts";
import { parseDate } from "../../../commands/date_parse.ts";

const NANOSECONDS = 1e6;

/** Minutes by which a zone is ahead of UTC at a moment, and its short name. */
export function zoneAt(zone: string | undefined, ms: number): { minutes: number; name: string } {
  const text = zone?.replace(/^:/, "") ?? "";
  if (text === "" || /^(UTC|GMT|Etc\/UTC)0?$/.test(text)) return { minutes: 0, name: "UTC" };
  const [, name, sign, hours, more] = /^<?([A-Za-z]{3,}|[-+\d]+)>?([-+]?)(\d{1,2})(?::(\d{2}))?/.exec(text) ?? [];
  if (hours !== undefined && !text.includes("/")) {
    return { minutes: (sign === "-" ? 1 : -1) * (Number(hours) * 60 + Number(more ?? 0)), name };
  }
  try {
    const parts = new Intl.DateTimeFormat("en-US", {
      timeZone: text,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      timeZoneName: "short",
    }).formatToParts(ms);
    const part = (type: string) => parts.find((each) => each.type === type)?.value ?? "";
    const [year, month, day, hour, minute, second] = ["year", "month", "day", "hour", "minute", "second"].map((type) =>
      Number(part(type))
    );
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    return { minutes: Math.round((local - Math.floor(ms / 1000) * 1000) / 60_000), name: part("timeZoneName") };
  } catch {
    return { minutes: 0, name: text };
  }
}

/** A time by a format of strftime. */
export function formatTime(format: string, ms: number, zone: string | undefined): string {
  const { minutes, name } = zoneAt(zone, ms);
  const sign = minutes < 0 ? "-" : "+";
  const two = (value: number) => String(value).padStart(2, "0");
  const offset = `${sign}${two(Math.floor(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`;
  const filled = format.replace(/%(%|N|z|Z|s)/g, (whole, letter: string) => {
    if (letter === "N") return nanoseconds(ms);
    if (letter === "z") return offset;
    if (letter === "Z") return name;
    return letter === "s" ? String(Math.floor(ms / 1000)) : whole;
  });
  return strftime(filled, new Date(ms + minutes * 60_000));
}

/** The nine digits after the second. */
export function nanoseconds(ms: number): string {
  const rest = Math.round((ms - Math.floor(ms / 1000) * 1000) * NANOSECONDS);
  return String(Math.min(rest, 999_999_999)).padStart(9, "0");
}

/** The moment that a text names, read in the zone; undefined if it makes no sense. */
export function parseTime(text: string, now: number, zone: string | undefined): number | undefined {
  const epoch = /^\s*@(-?\d+)(?:[.,](\d+))?\s*$/.exec(text);
  if (epoch) return Number(epoch[1]) * 1000 + Number(`0.${epoch[2] ?? 0}`) * 1000;
  const fraction = /(:\d{2})[.,](\d+)/.exec(text);
  const plain = fraction ? text.replace(fraction[0], fraction[1]) : text;
  const { minutes } = zoneAt(zone, now);
  const found = parseDate(plain, new Date(now + minutes * 60_000))?.getTime();
  if (found === undefined) return undefined;
  const explicit = /(?:\d|\b)(?:z|utc|gmt)\s*$|:\d{2}\s*[-+]\d{2}:?\d{2}\s*$/i.test(plain);
  const ms = found + Number(`0.${fraction?.[2] ?? 0}`) * 1000;
  return explicit ? ms : ms - zoneAt(zone, found - minutes * 60_000).minutes * 60_000;
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
  return local - zoneAt(zone, local).minutes * 60_000;
}
