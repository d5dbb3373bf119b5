/** The difference between two lists of lines. */
import { markEdits, type Sides } from "./split_search.ts";

/** A run of lines [start, end) of the first list that is replaced by a run of the second. */
export interface Change {
  from: [start: number, end: number];
  to: [start: number, end: number];
  /** Whether it does not count: it is shown only where another change is near. */
  ignored?: boolean;
}

/** The changes that lead from one list to the other, in order; equal lines are equal strings. */
export function diffLines(from: string[], to: string[]): Change[] {
  const sides = numberLines(from, to);
  markKept(sides, (line, other) => other[line] > 0);
  return listChanges(sides);
}

/** Gives equal lines equal numbers, from 0 on. */
export function numberLines(from: string[], to: string[]): Sides {
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const [a, b] = [from, to].map((lines) => Int32Array.from(lines, numberOf));
  return { a, b, changedA: new Uint8Array(a.length), changedB: new Uint8Array(b.length) };
}

/** How often each number is in a list. */
export function countLines(lines: Int32Array, kinds: number): Int32Array {
  const counts = new Int32Array(kinds);
  for (const line of lines) counts[line]++;
  return counts;
}

/** Compares only the lines that are kept, by their place and by how often the other list has them; the rest has changed. */
export function markKept(
  sides: Sides,
  keep: (line: number, other: Int32Array, at: number, side: "a" | "b") => boolean,
  exact = false,
): void {
  const { a, b, changedA, changedB } = sides;
  const kinds = 1 + Math.max(largest(a), largest(b));
  const [countsA, countsB] = [countLines(a, kinds), countLines(b, kinds)];
  const [placesA, placesB] = [places(a.length), places(b.length)].map((list, index) =>
    index === 0
      ? list.filter((at) => keep(a[at], countsB, at, "a"))
      : list.filter((at) => keep(b[at], countsA, at, "b"))
  );
  changedA.fill(1);
  changedB.fill(1);
  const kept: Sides = {
    a: placesA.map((at) => a[at]),
    b: placesB.map((at) => b[at]),
    changedA: new Uint8Array(placesA.length),
    changedB: new Uint8Array(placesB.length),
  };
  markEdits(kept, exact);
  for (const [index, at] of placesA.entries()) changedA[at] = kept.changedA[index];
  for (const [index, at] of placesB.entries()) changedB[at] = kept.changedB[index];
}

function places(length: number): Int32Array {
  return Int32Array.from({ length }, (_, at) => at);
}

function largest(lines: Int32Array): number {
  let most = -1;
  for (const line of lines) if (line > most) most = line;
  return most;
}

/** The runs of lines that are marked, `shift` lines further down. */
export function listChanges({ changedA, changedB }: Sides, shift = 0): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < changedA.length || j < changedB.length) {
    const [startA, startB] = [i, j];
    while (changedA[i]) i++;
    while (changedB[j]) j++;
    if (i > startA || j > startB) {
      changes.push({ from: [startA + shift, i + shift], to: [startB + shift, j + shift] });
    } else i++, j++;
  }
  return changes;
}
