/** cal: a month, three months or a year. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { print } from "../tool/tool.ts";
import { findZone } from "./zones.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Su Mo Tu We Th Fr Sa".split(" ");
const WIDTH = 20;

function center(text: string, width = WIDTH): string {
  const left = Math.floor((width - text.length) / 2);
  return (" ".repeat(Math.max(0, left)) + text).padEnd(width);
}

/** The lines of a month, each as wide as all. */
function monthLines(year: number, month: number, monday: boolean, withYear: boolean): string[] {
  const names = monday ? [...DAYS.slice(1), DAYS[0]] : DAYS;
  const first = new Date(0);
  first.setUTCFullYear(year, month, 1);
  const last = new Date(0);
  last.setUTCFullYear(year, month + 1, 0);
  const blank = (first.getUTCDay() + (monday ? 6 : 0)) % 7;
  const cells = [
    ...new Array<string>(blank).fill("  "),
    ...Array.from({ length: last.getUTCDate() }, (_, i) => String(i + 1).padStart(2)),
  ];
  const lines = [center(withYear ? `${MONTHS[month]} ${year}` : MONTHS[month]), names.join(" ")];
  for (let row = 0; row < 6; row++) lines.push(cells.slice(row * 7, row * 7 + 7).join(" ").padEnd(WIDTH));
  return lines;
}

function beside(months: string[][]): string {
  return months[0].map((_, i) => months.map((lines) => lines[i]).join("  ")).join("\n");
}

function parseMonth(word: string): number {
  const named = MONTHS.findIndex((month) => word.length >= 3 && month.toLowerCase().startsWith(word.toLowerCase()));
  const month = named >= 0 ? named : Number(word) - 1;
  if (!Number.isInteger(month) || month < 0 || month > 11) {
    throw new CommandError(`${word} is not a month number (1..12)`);
  }
  return month;
}

export const cal = defineTool(
  "cal",
  { letters: "13ymsjm:hN", long: { year: "y", three: "3", one: "1", monday: "M" } },
  ({ context, given }) => {
    const now = Math.floor(Date.now() / 1000);
    const today = new Date((now + findZone(context.env.TZ).at(now).offset) * 1000);
    const [first, second] = given.operands;
    if (given.operands.length > 2) throw new CommandError("extra operand");
    if (given.has("j")) throw new CommandError("-j is not supported");
    const monday = false;
    const yearWord = second ?? (first !== undefined && given.operands.length === 1 ? first : undefined);
    const year = yearWord === undefined ? today.getUTCFullYear() : Number(yearWord);
    if (!Number.isInteger(year) || year < 1 || year > 9999) {
      throw new CommandError(
        `year '${yearWord}' not in range 1..9999`,
      );
    }
    const whole = given.has("y") || given.operands.length === 1 && !given.has("m");
    if (whole) return print(context, yearText(year, monday));
    const month = second !== undefined
      ? parseMonth(first ?? "")
      : given.has("m")
      ? parseMonth(given.get("m") ?? "")
      : today.getUTCMonth();
    const around = given.has("3") ? [-1, 0, 1] : [0];
    const months = around.map((step) => {
      const index = year * 12 + month + step;
      return monthLines(Math.floor(index / 12), index % 12, monday, true);
    });
    return print(context, `${beside(months)}\n`);
  },
);

function yearText(year: number, monday: boolean): string {
  const rows = [0, 3, 6, 9].map((start) => beside([0, 1, 2].map((i) => monthLines(year, start + i, monday, false))));
  return `${center(String(year), 64).trimEnd()}\n${rows.join("\n\n")}\n`;
}
