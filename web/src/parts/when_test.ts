import { describeAge, describeDuration, describeSize } from "./when.ts";

function equal(found: string, wanted: string): void {
  if (found !== wanted) throw new Error(`${found}, not ${wanted}`);
}

Deno.test("an age is told in the largest unit that fits", () => {
  equal(describeAge(98, 100), "now");
  equal(describeAge(70, 100), "30 sec. ago");
  equal(describeAge(0, 3599), "59 min. ago");
  equal(describeAge(0, 7300), "2 hr. ago");
  equal(describeAge(0, 90_000), "yesterday");
});

Deno.test("durations and sizes have two or three digits", () => {
  equal(describeDuration(0.0123), "12 ms");
  equal(describeDuration(1.24), "1.2 s");
  equal(describeDuration(184), "3 min");
  equal(describeSize(999), "999 B");
  equal(describeSize(1536), "1.5 KB");
  equal(describeSize(5 * 1024 ** 3), "5.0 GB");
});
