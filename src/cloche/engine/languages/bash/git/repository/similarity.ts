/** How much two files have in common, counted as git counts it. */

/** The score of files that are the same. */
export const WHOLE = 60_000;
/** From this score on a file is taken for another under a new name. */
export const HALF = WHOLE / 2;
const BUCKETS = 107_927;
const LONGEST = 64;

/** A file cut into lines, or pieces of them: how many bytes have each hash. */
export type Spans = ReadonlyMap<number, number>;

export function readSpans(data: Uint8Array): Spans {
  const spans = new Map<number, number>();
  const text = !data.subarray(0, 8000).includes(0);
  let [a, b, length] = [0, 0, 0];
  const add = () => {
    const hash = ((a + Math.imul(b, 0x61)) >>> 0) % BUCKETS;
    spans.set(hash, (spans.get(hash) ?? 0) + length);
    a = b = length = 0;
  };
  for (let i = 0; i < data.length; i++) {
    const byte = data[i];
    if (text && byte === 13 && data[i + 1] === 10) continue;
    const old = a;
    a = (((a << 7) ^ (b >>> 25)) + byte) >>> 0;
    b = ((b << 7) ^ (old >>> 25)) >>> 0;
    if (++length === LONGEST || byte === 10) add();
  }
  if (length > 0) add();
  return spans;
}

interface Measured {
  size: number;
  spans: Spans;
}

/** 0 to WHOLE; 0 too where the sizes alone say that it is less than `minimum`. */
export function compareSpans(from: Measured, to: Measured, minimum: number): number {
  const largest = Math.max(from.size, to.size);
  const difference = largest - Math.min(from.size, to.size);
  if (to.size === 0 || largest * (WHOLE - minimum) < difference * WHOLE) return 0;
  let copied = 0;
  for (const [hash, count] of from.spans) copied += Math.min(count, to.spans.get(hash) ?? 0);
  return Math.floor(copied * WHOLE / largest);
}
