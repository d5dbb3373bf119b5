/** C's broken-down time, in the memory of a module and in the zone that its environment names. */

import type { Memory } from "../../../../../wasi/memory.ts";

/** The fields of `struct tm` that can be set. */
export interface TimeFields {
  second: number;
  minute: number;
  hour: number;
  day: number;
  month: number;
  /** Years since 1900. */
  year: number;
  weekday: number;
  yearday: number;
  offset: number;
}

const PLACES: (keyof TimeFields)[] = ["second", "minute", "hour", "day", "month", "year", "weekday", "yearday"];
const SUMMER = 32;
const OFFSET = 36;
const ZONE = 40;
const DAY = 86_400_000;
const NAME_ROOM = 17;
const HALF_YEAR = 182 * DAY;
const POSIX_ZONE = /^[A-Za-z]{3,}([+-]?\d{1,2})(?::(\d\d))?$/;

export class Calendar {
  readonly #zone: Zone;
  /** Where the names of zones are: of UTC, of standard time and of summer time. */
  #names = [0, 0, 0];

  constructor(private readonly memory: Memory, zone: string) {
    this.#zone = new Zone(zone);
  }

  /** Where "UTC" is in memory. */
  setName(at: number): void {
    this.#names = [at, at, at];
  }

  calls(): Record<string, (...args: never[]) => unknown> {
    return {
      gmtime_js: (time: bigint, tm: number) => this.#put(tm, Number(time) * 1000, 0, 0),
      localtime_js: (time: bigint, tm: number) => this.#putLocal(tm, Number(time) * 1000),
      timegm_js: (tm: number) => {
        const time = this.#read(tm);
        this.#put(tm, time, 0, 0);
        return BigInt(Math.floor(time / 1000));
      },
      mktime_js: (tm: number) => {
        const wall = this.#read(tm);
        const time = wall - this.#zone.offset(wall - this.#zone.offset(wall));
        this.#putLocal(tm, time);
        return BigInt(Math.floor(time / 1000));
      },
      tzset_js: (zone: number, daylight: number, standard: number, summer: number) => {
        const now = Date.now();
        const offsets = [now, now + HALF_YEAR].map((time) => this.#zone.offset(time));
        this.memory.putU32(zone, -Math.min(...offsets) / 1000);
        this.memory.putU32(daylight, Number(offsets[0] !== offsets[1]));
        const [first, second] = offsets[0] <= offsets[1] ? [now, now + HALF_YEAR] : [now + HALF_YEAR, now];
        this.#names = [this.#names[0], standard, summer];
        for (const [at, time] of [[standard, first], [summer, second]]) {
          this.memory.putText(at, NAME_ROOM, `${this.#zone.name(time).slice(0, NAME_ROOM - 1)}\0`);
        }
      },
    };
  }

  /** Writes what was parsed. */
  putFields(tm: number, fields: Partial<TimeFields>): void {
    for (const [index, name] of PLACES.entries()) {
      const value = fields[name];
      if (value !== undefined) this.memory.putU32(tm + 4 * index, value);
    }
    if (fields.offset !== undefined) this.memory.putU32(tm + OFFSET, fields.offset);
  }

  /** Milliseconds, if the fields are those of UTC. */
  #read(tm: number): number {
    const [second, minute, hour, day, month, year] = PLACES.map((_, index) => this.memory.u32(tm + 4 * index) | 0);
    // Date.UTC takes years below 100 for those of the last century.
    const date = new Date(0);
    date.setUTCFullYear(year + 1900, month, day);
    date.setUTCHours(hour, minute, second, 0);
    return date.getTime();
  }

  #putLocal(tm: number, time: number): void {
    const offset = this.#zone.offset(time);
    const standard = Math.min(offset, this.#zone.offset(time + HALF_YEAR));
    this.#put(tm, time, offset, offset > standard ? 2 : 1);
  }

  /** `name` is the number of the zone's name. */
  #put(tm: number, time: number, offset: number, name: number): void {
    const date = new Date(time + offset);
    const newYear = new Date(date);
    newYear.setUTCMonth(0, 1);
    this.putFields(tm, {
      second: date.getUTCSeconds(),
      minute: date.getUTCMinutes(),
      hour: date.getUTCHours(),
      day: date.getUTCDate(),
      month: date.getUTCMonth(),
      year: date.getUTCFullYear() - 1900,
      weekday: date.getUTCDay(),
      yearday: Math.round((date.getTime() - newYear.getTime()) / DAY),
      offset: offset / 1000,
    });
    this.memory.putU32(tm + SUMMER, Number(name === 2));
    this.memory.putU32(tm + ZONE, this.#names[name]);
  }
}

/** A time zone: UTC, one of the database, or POSIX' name with hours west of Greenwich. */
class Zone {
  readonly #fixed: number | undefined;
  readonly #format: Intl.DateTimeFormat | undefined;

  constructor(private readonly zone: string) {
    const posix = zone.match(POSIX_ZONE);
    if (posix) {
      const hours = Number(posix[1]);
      this.#fixed = -(hours * 60 + Math.sign(hours || 1) * Number(posix[2] ?? 0)) * 60_000;
    } else if (zone !== "") {
      this.#format = formatOf(zone.replace(/^:/, ""));
    }
  }

  /** Milliseconds that clocks there are ahead of UTC. */
  offset(time: number): number {
    if (this.#fixed !== undefined || !this.#format || !Number.isFinite(time)) return this.#fixed ?? 0;
    const parts = Object.fromEntries(this.#format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const wall = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
    return wall - Math.floor(time / 1000) * 1000;
  }

  name(time: number): string {
    if (this.#fixed !== undefined) return this.zone.match(/^[A-Za-z]+/)?.[0] ?? "UTC";
    if (!this.#format) return "UTC";
    const { timeZone } = this.#format.resolvedOptions();
    const named = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "short" }).formatToParts(time);
    return named.find(({ type }) => type === "timeZoneName")?.value ?? "UTC";
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const number = "numeric" as const;
  const fields = { year: number, month: number, day: number, hour: number, minute: number, second: number };
  try {
    return new Intl.DateTimeFormat("en-US", { ...fields, timeZone, hourCycle: "h23" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
