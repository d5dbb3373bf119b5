/** Counts what is made in large pieces, so that memory is looked at before too much of it is taken. */

/** Words that may be taken between two looks. */
const PIECE = 4 << 20;

let left = PIECE;
let alarm = () => {};

export function charge(words: number): void {
  left -= words;
  if (left >= 0) return;
  left = PIECE;
  alarm();
}

/** Whose program runs now. */
export function onCharge(act: () => void): void {
  alarm = act;
}
