import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parseTime } from "./strptime.ts";

const DATE = { day: 30, month: 11, year: 124, weekday: 1, yearday: 364 };

Deno.test("a time is read by its format", () => {
  const expected: [string, string, object][] = [
    ["2024-12-30T15:04:05Z", "%Y-%m-%dT%H:%M:%SZ", { ...DATE, hour: 15, minute: 4, second: 5 }],
    ["Mon Dec 30 15:04:05 2024", "%c", { ...DATE, hour: 15, minute: 4, second: 5 }],
    ["monday, 30 december 24", "%A, %d %B %y", DATE],
    ["12/30/24", "%D", DATE],
    ["2024 365", "%Y %j", DATE],
    ["12:30 am", "%I:%M %p", { hour: 0, minute: 30 }],
    ["10:00 +01:30", "%R %z", { hour: 10, minute: 0, offset: 5400 }],
    ["86400", "%s", { second: 0, minute: 0, hour: 0, day: 2, month: 0, year: 70, weekday: 5, yearday: 1 }],
  ];
  for (const [text, format, fields] of expected) {
    deepStrictEqual(parseTime(text, format), { fields, length: text.length }, text);
  }
});

Deno.test("what does not fit is refused, and what follows is left", () => {
  for (const [text, format] of [["2024-13-01", "%F"], ["x", "%Y"], ["10:61", "%R"], ["Foo", "%b"], ["1", "%Q"]]) {
    strictEqual(parseTime(text, format), undefined, text);
  }
  strictEqual(parseTime("2024-12-30 and more", "%F")?.length, 10);
});
