import { strictEqual } from "node:assert/strict";
import { formatTime } from "./clock.ts";

Deno.test("dates are written as C's library does", () => {
  // Monday, 30 December 2024, the first week of 2025.
  const time = { second: 5, minute: 4, hour: 15, day: 30, month: 11, year: 124, weekday: 1, yearday: 364 };
  const full = { ...time, summer: 0, offset: 5400 };
  const expected: Record<string, string> = {
    "%c": "Mon Dec 30 15:04:05 2024",
    "%D %F %T %R %r": "12/30/24 2024-12-30 15:04:05 15:04 03:04:05 PM",
    "%G-W%V-%u %g": "2025-W01-1 25",
    "%U %W %j %C %e": "52 53 365 20 30",
    "%z %Z %%%n%t": "+0130 +0130 %\n\t",
    "%Ey %Od %I": "24 30 03",
  };
  for (const [format, text] of Object.entries(expected)) strictEqual(formatTime(format, full), text);
});
