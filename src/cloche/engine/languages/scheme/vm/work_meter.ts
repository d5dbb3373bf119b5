/** Counts large allocations and long work, and calls the running program's check every so often. */

/** Words that may be allocated between two checks. */
const PIECE = 4 << 20;

let left = PIECE;
let alarm = () => {};

export function chargeWords(words: number): void {
  left -= words;
  if (left >= 0) return;
  left = PIECE;
  alarm();
}

/** The check of the running program; what it throws ends the work. */
export function onCharge(act: () => void): void {
  alarm = act;
}
