/** The dates that people write: "2024-01-15 10:00", "3 days ago", "next friday", "@0". */

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const SECONDS: Record<string, number> = {
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3600,
  day: 86400,
  week: 604800,
  fortnight: 1209600,
};
const UNIT = "sec|second|min|minute|hour|day|week|fortnight|month|year";
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAY =
  "sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?";

interface Parts {
  date?: [year: number, month: number, day: number];
  time?: [hour: number, minute: number, second: number, ms: number];
  zone: number;
  shifts: [amount: number, unit: string][];
  weekday?: [day: number, weeks: number];
  epoch?: number;
}

type Rule = [pattern: RegExp, act: (parts: Parts, match: RegExpMatchArray, now: Date) => void];

const number = (word: string | undefined) => Number(word ?? 0);

const RULES: Rule[] = [
  [/^@(-?\d+(?:\.\d+)?)/, (parts, m) => parts.epoch = number(m[1])],
  [/^(\d{4})-(\d{1,2})-(\d{1,2})(?=t|\b)/, (parts, m) => parts.date = [number(m[1]), number(m[2]), number(m[3])]],
  [/^(\d{4})(\d{2})(\d{2})(?!\d)/, (parts, m) => parts.date = [number(m[1]), number(m[2]), number(m[3])]],
  [/^(\d{1,2})\/(\d{1,2})\/(\d{4})/, (parts, m) => parts.date = [number(m[3]), number(m[1]), number(m[2])]],
  [/^(\d{4})\/(\d{1,2})\/(\d{1,2})/, (parts, m) => parts.date = [number(m[1]), number(m[2]), number(m[3])]],
  [
    new RegExp(`^(\\d{1,2})(?:st|nd|rd|th)?[ -](${MONTH})\\b\\.?(?:,?[ -](\\d{4}))?`),
    (parts, m, now) => parts.date = [m[3] ? number(m[3]) : now.getUTCFullYear(), monthOf(m[2]), number(m[1])],
  ],
  [
    new RegExp(`^(${MONTH})\\b\\.? (\\d{1,2})(?:st|nd|rd|th)?(?!\\d|:)(?:,? (\\d{4})(?!:))?`),
    (parts, m, now) => parts.date = [m[3] ? number(m[3]) : now.getUTCFullYear(), monthOf(m[1]), number(m[2])],
  ],
  [
    /^t?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)? ?([ap]m\b)?/,
    (parts, m) =>
      parts.time = [
        hourOf(number(m[1]), m[5]),
        number(m[2]),
        number(m[3]),
        Math.floor(Number(`0.${m[4] ?? 0}`) * 1000),
      ],
  ],
  [/^(\d{1,2}) ?([ap]m)\b/, (parts, m) => parts.time = [hourOf(number(m[1]), m[2]), 0, 0, 0]],
  [/^(?:z|utc|gmt)\b/, (parts) => parts.zone = 0],
  [
    /^([-+])(\d{2}):?(\d{2})(?!\d| *[a-z])/,
    (parts, m) => parts.zone = (m[1] === "-" ? -1 : 1) * (number(m[2]) * 60 + number(m[3])),
  ],
  [/^(?:now|today)\b/, () => {}],
  [/^yesterday\b/, (parts) => parts.shifts.push([-1, "day"])],
  [/^tomorrow\b/, (parts) => parts.shifts.push([1, "day"])],
  [/^midnight\b/, (parts) => parts.time = [0, 0, 0, 0]],
  [/^noon\b/, (parts) => parts.time = [12, 0, 0, 0]],
  [
    new RegExp(`^([-+]?) ?(\\d+) ?(${UNIT})s?\\b( ago\\b)?`),
    (parts, m) => shift(parts, (m[1] === "-" ? -1 : 1) * number(m[2]), m[3], m[4]),
  ],
  [
    new RegExp(`^(next|last|this|a|an) (${UNIT})\\b( ago\\b)?`),
    (parts, m) => shift(parts, { last: -1, this: 0 }[m[1]] ?? 1, m[2], m[3]),
  ],
  [
    new RegExp(`^(?:(next|last|this) )?(${DAY})\\b,?`),
    (parts, m) => parts.weekday = [dayOf(m[2]), m[1] === "next" ? 1 : m[1] === "last" ? -1 : 0],
  ],
];

function shift(parts: Parts, amount: number, unit: string, ago: string | undefined): void {
  parts.shifts.push([ago ? -amount : amount, unit]);
}

function monthOf(word: string): number {
  return MONTHS.indexOf(word.slice(0, 3)) + 1;
}

function dayOf(word: string): number {
  return DAYS.indexOf(word.slice(0, 3));
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return hour % 12 + (half.startsWith("p") ? 12 : 0);
}

/** The moment that a text names, in UTC; undefined if it makes no sense. */
export function parseDate(text: string, now: Date): Date | undefined {
  const parts: Parts = { zone: 0, shifts: [] };
  let rest = text.trim().toLowerCase().replace(/\s+/g, " ");
  while (rest !== "") {
    const rule = RULES.map(([pattern, act]) => ({ match: rest.match(pattern), act })).find(({ match }) =>
      match !== null
    );
    if (!rule?.match) return undefined;
    rule.act(parts, rule.match, now);
    rest = rest.slice(rule.match[0].length).replace(/^,? */, "");
  }
  return assemble(parts, now, text.trim() === "");
}

function assemble(parts: Parts, now: Date, empty: boolean): Date | undefined {
  if (parts.epoch !== undefined) return new Date(parts.epoch * 1000);
  const [year, month, day] = parts.date ?? [now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()];
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const midnight = empty || parts.date !== undefined || parts.weekday !== undefined;
  const current: [number, number, number, number] = [
    now.getUTCHours(),
    now.getUTCMinutes(),
    now.getUTCSeconds(),
    now.getUTCMilliseconds(),
  ];
  const [hour, minute, second, ms] = parts.time ?? (midnight ? [0, 0, 0, 0] : current);
  if (hour > 24 || minute > 59 || second > 60) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute - parts.zone, second, ms));
  if (parts.weekday && !parts.date) {
    const [weekday, weeks] = parts.weekday;
    const ahead = (weekday - date.getUTCDay() + 7) % 7;
    const more = weeks === 1 && ahead === 0 ? 7 : weeks === -1 ? -7 : 0;
    date.setUTCDate(date.getUTCDate() + ahead + more);
  }
  for (const [amount, unit] of parts.shifts) {
    if (unit === "month") date.setUTCMonth(date.getUTCMonth() + amount);
    else if (unit === "year") date.setUTCFullYear(date.getUTCFullYear() + amount);
    else date.setTime(date.getTime() + amount * SECONDS[unit] * 1000);
  }
  return Number.isNaN(date.getTime()) ? undefined : date;
}
