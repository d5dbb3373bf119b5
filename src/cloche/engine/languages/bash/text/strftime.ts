/** Dates by format. */

export interface ZoneTime {
  /** Seconds east of Greenwich. */
  offset: number;
  name: string;
}

const UTC: ZoneTime = { offset: 0, name: "UTC" };

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAY_MS = 86_400_000;

/** The date in the form that C's strftime gives. */
export function strftime(format: string, when: Date, zone = UTC): string {
  // As Greenwich would write it, had it the time of the zone.
  const date = zone.offset === 0 ? when : new Date(when.getTime() + zone.offset * 1000);
  return format.replace(/%([-_0^#]?)([a-zA-Z%])/g, (whole, flag: string, letter: string) => {
    const value = field(letter, date, zone);
    if (value === undefined) return whole;
    if (flag === "-") return value.replace(/^[0 ]+(?=.)/, "");
    if (flag === "_") return value.replace(/^0+(?=.)/, (zeros) => " ".repeat(zeros.length));
    return flag === "^" ? value.toUpperCase() : value;
  });
}

function two(value: number, fill = "0"): string {
  return String(value).padStart(2, fill);
}

function field(letter: string, date: Date, zone: ZoneTime): string | undefined {
  const hour = date.getUTCHours();
  const start = Date.UTC(date.getUTCFullYear(), 0, 1);
  const dayOfYear = Math.floor((date.getTime() - start) / DAY_MS);
  const again = (format: string) => strftime(format, date, { ...zone, offset: 0 });
  const fields: Record<string, () => string> = {
    "%": () => "%",
    a: () => DAYS[date.getUTCDay()].slice(0, 3),
    A: () => DAYS[date.getUTCDay()],
    b: () => MONTHS[date.getUTCMonth()].slice(0, 3),
    h: () => MONTHS[date.getUTCMonth()].slice(0, 3),
    B: () => MONTHS[date.getUTCMonth()],
    c: () => again("%a %b %e %H:%M:%S %Y"),
    C: () => two(Math.floor(date.getUTCFullYear() / 100)),
    d: () => two(date.getUTCDate()),
    D: () => again("%m/%d/%y"),
    e: () => two(date.getUTCDate(), " "),
    F: () => again("%Y-%m-%d"),
    H: () => two(hour),
    I: () => two(hour % 12 || 12),
    j: () => String(dayOfYear + 1).padStart(3, "0"),
    k: () => two(hour, " "),
    l: () => two(hour % 12 || 12, " "),
    m: () => two(date.getUTCMonth() + 1),
    M: () => two(date.getUTCMinutes()),
    n: () => "\n",
    N: () => String(date.getUTCMilliseconds()).padStart(3, "0") + "000000",
    p: () => hour < 12 ? "AM" : "PM",
    P: () => hour < 12 ? "am" : "pm",
    r: () => again("%I:%M:%S %p"),
    R: () => again("%H:%M"),
    s: () => String(Math.floor(date.getTime() / 1000) - zone.offset),
    S: () => two(date.getUTCSeconds()),
    t: () => "\t",
    T: () => again("%H:%M:%S"),
    u: () => String(date.getUTCDay() || 7),
    U: () => two(Math.floor((dayOfYear + 7 - date.getUTCDay()) / 7)),
    V: () => two(isoWeek(date)[1]),
    G: () => String(isoWeek(date)[0]),
    w: () => String(date.getUTCDay()),
    W: () => two(Math.floor((dayOfYear + 7 - ((date.getUTCDay() + 6) % 7)) / 7)),
    x: () => again("%m/%d/%y"),
    X: () => again("%H:%M:%S"),
    y: () => two(date.getUTCFullYear() % 100),
    Y: () => String(date.getUTCFullYear()),
    z: () => offsetText(zone.offset),
    Z: () => zone.name,
  };
  return fields[letter]?.();
}

function offsetText(offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60));
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}

function isoWeek(date: Date): [year: number, week: number] {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * DAY_MS);
  const year = thursday.getUTCFullYear();
  return [year, Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1];
}
