/** Moves runs of changed lines among equal ones to where GNU's diff shows them: together, and as far down as they go. */
import type { Sides } from "../../../text/diff/split_search.ts";

export function shiftBoundaries({ a, b, changedA, changedB }: Sides): void {
  shift(a, changedA, changedB);
  shift(b, changedB, changedA);
}

/** `at` and `there` are the places in this file and in the other: both go over lines that are common together. */
function shift(lines: Int32Array, changed: Uint8Array, others: Uint8Array): void {
  let [at, there] = [0, 0];
  for (;;) {
    for (; at < lines.length && !changed[at]; at++) {
      while (others[there]) there++;
      there++;
    }
    if (at >= lines.length) return;
    let start = at;
    while (changed[at]) at++;
    while (others[there]) there++;
    let length: number;
    /** The last place at which a run of the other file stands beside this one; the end if there is none. */
    let beside: number;
    do {
      length = at - start;
      while (start > 0 && lines[start - 1] === lines[at - 1]) {
        changed[--start] = 1;
        changed[--at] = 0;
        while (start > 0 && changed[start - 1]) start--;
        do there--; while (others[there]);
      }
      beside = there > 0 && others[there - 1] ? at : lines.length;
      while (at < lines.length && lines[start] === lines[at]) {
        changed[start++] = 0;
        changed[at++] = 1;
        while (changed[at]) at++;
        for (there++; others[there]; there++) beside = at;
      }
    } while (length !== at - start);
    while (beside < at) {
      changed[--start] = 1;
      changed[--at] = 0;
      do there--; while (others[there]);
    }
  }
}
