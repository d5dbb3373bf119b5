/** Which lines diff leaves out of its search, as GNU's does: those of which the other file has none, or very many. */
import { countLines } from "../../../text/diff/line_diff.ts";
import type { Sides } from "../../../text/diff/split_search.ts";

/** A line takes part; it cannot be in the other file; it can, but there it stands so often that it says little. */
const [KEPT, ABSENT, COMMON] = [0, 1, 2];
const NEAR = 8;
const IN_A_ROW = 3;

/** For each line of both files, whether it is left out. */
export function findConfusing({ a, b }: Sides): { a: Uint8Array; b: Uint8Array } {
  let kinds = 0;
  for (const lines of [a, b]) for (const line of lines) kinds = Math.max(kinds, line + 1);
  const [countsA, countsB] = [countLines(a, kinds), countLines(b, kinds)];
  return { a: settle(rate(a, countsB)), b: settle(rate(b, countsA)) };
}

function rate(lines: Int32Array, others: Int32Array): Uint8Array {
  let many = 5;
  for (let rest = Math.floor(lines.length / 64) >> 2; rest > 0; rest >>= 2) many *= 2;
  return Uint8Array.from(lines, (line) => others[line] === 0 ? ABSENT : others[line] > many ? COMMON : KEPT);
}

/** Common lines are left out only within runs that begin and end with absent ones, and are mostly made of those. */
function settle(marks: Uint8Array): Uint8Array {
  for (let at = 0; at < marks.length; at++) {
    if (marks[at] === COMMON) marks[at] = KEPT;
    else if (marks[at] === ABSENT) at = settleRun(marks, at);
  }
  return marks;
}

/** Returns the last line that was looked at. */
function settleRun(marks: Uint8Array, start: number): number {
  let end = start;
  let common = 0;
  for (; end < marks.length && marks[end] !== KEPT; end++) if (marks[end] === COMMON) common++;
  for (; end > start && marks[end - 1] === COMMON; common--) marks[--end] = KEPT;
  const length = end - start;
  if (common * 4 > length) {
    for (let at = start; at < end; at++) if (marks[at] === COMMON) marks[at] = KEPT;
    return start;
  }
  keepGroups(marks, start, length);
  keepEdge(marks, length, (offset) => start + offset);
  keepEdge(marks, length, (offset) => end - 1 - offset);
  return end - 1;
}

/** Keeps common lines of which too many stand together. */
function keepGroups(marks: Uint8Array, start: number, length: number): void {
  let least = 1;
  for (let rest = length >> 4; rest > 0; rest >>= 2) least <<= 1;
  least++;
  let group = 0;
  for (let offset = 0; offset < length; offset++) {
    if (marks[start + offset] !== COMMON) group = 0;
    else if (++group === least) offset -= group;
    else if (group > least) marks[start + offset] = KEPT;
  }
}

/** Keeps the common lines at an end of a run, until several absent ones stand together. */
function keepEdge(marks: Uint8Array, length: number, place: (offset: number) => number): void {
  let absent = 0;
  for (let offset = 0; offset < length && absent < IN_A_ROW; offset++) {
    const at = place(offset);
    if (offset >= NEAR && marks[at] === ABSENT) return;
    absent = marks[at] === ABSENT ? absent + 1 : 0;
    if (marks[at] === COMMON) marks[at] = KEPT;
  }
}
