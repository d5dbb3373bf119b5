/** What the codes of zstd's sequences stand for, and the tables that need not be sent. */
import { buildFse } from "./zstd_entropy.ts";

/** Bases and extra bits. */
export interface CodeValues {
  bases: number[];
  bits: number[];
}

function fill(bits: number[], start: number): CodeValues {
  const bases: number[] = [];
  let base = start;
  for (const count of bits) {
    bases.push(base);
    base += 2 ** count;
  }
  return { bases, bits };
}

const zeros = (count: number) => new Array<number>(count).fill(0);

export const LITERAL_LENGTHS = fill(
  [...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  0,
);
export const MATCH_LENGTHS = fill(
  [...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  3,
);

const LITERAL_COUNTS = [
  ...[4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2],
  ...[2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
];
const MATCH_COUNTS = [
  ...[1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ...[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ...[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1],
];
const OFFSET_COUNTS = [
  ...[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ...[1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
];

export const DEFAULT_TABLES = {
  literal: buildFse(LITERAL_COUNTS, 6),
  offset: buildFse(OFFSET_COUNTS, 5),
  match: buildFse(MATCH_COUNTS, 6),
};
