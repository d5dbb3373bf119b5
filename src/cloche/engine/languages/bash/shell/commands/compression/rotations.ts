/** The Burrows-Wheeler transform: the last bytes of all rotations in order. */
import type { Breathe } from "./bits.ts";

/** Sorts by prefixes that double in length, by counting: its time does not depend on how the data repeats. */
export async function sortRotations(
  data: Uint8Array,
  breathe: Breathe,
): Promise<{ last: Uint8Array; origin: number }> {
  const size = data.length;
  let order = new Uint32Array(size);
  let ranks = new Uint32Array(size);
  let classes = sortBytes(data, order, ranks);
  let [spareOrder, spareRanks] = [new Uint32Array(size), new Uint32Array(size)];
  for (let length = 1; length < size && classes < size; length *= 2) {
    const starts = new Uint32Array(classes);
    for (let i = 0; i < size; i++) starts[ranks[i]]++;
    for (let i = 0, sum = 0; i < classes; i++) {
      const count = starts[i];
      starts[i] = sum;
      sum += count;
    }
    // Shifted back, the order is already that of the second halves.
    for (let i = 0; i < size; i++) {
      const at = order[i] >= length ? order[i] - length : order[i] - length % size + size;
      const place = at >= size ? at - size : at;
      spareOrder[starts[ranks[place]]++] = place;
    }
    [order, spareOrder] = [spareOrder, order];
    classes = rankAgain(order, ranks, spareRanks, length);
    [ranks, spareRanks] = [spareRanks, ranks];
    await breathe();
  }
  const last = new Uint8Array(size);
  let origin = 0;
  for (let i = 0; i < size; i++) {
    if (order[i] === 0) origin = i;
    last[i] = data[order[i] === 0 ? size - 1 : order[i] - 1];
  }
  return { last, origin };
}

function sortBytes(data: Uint8Array, order: Uint32Array, ranks: Uint32Array): number {
  const starts = new Uint32Array(257);
  for (const byte of data) starts[byte + 1]++;
  const names = new Uint32Array(256);
  let classes = 0;
  for (let i = 0; i < 256; i++) {
    if (starts[i + 1] > 0) names[i] = classes++;
    starts[i + 1] += starts[i];
  }
  for (let i = 0; i < data.length; i++) {
    order[starts[data[i]]++] = i;
    ranks[i] = names[data[i]];
  }
  return classes;
}

function rankAgain(order: Uint32Array, before: Uint32Array, after: Uint32Array, length: number): number {
  const size = order.length;
  const second = (at: number) => before[(at + length) % size];
  let rank = 0;
  after[order[0]] = 0;
  for (let i = 1; i < size; i++) {
    const [a, b] = [order[i - 1], order[i]];
    if (before[a] !== before[b] || second(a) !== second(b)) rank++;
    after[b] = rank;
  }
  return rank + 1;
}
