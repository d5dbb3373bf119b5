/** Random numbers below a limit, from the system or from the bytes of a file as GNU's tools draw them. */
import { CommandError } from "../tool/errors.ts";

const POOL = 4096;

/** A function that gives a number from 0 to `count` - 1. */
export function makeChooser(source?: Uint8Array): (count: number) => number {
  return source ? chooseFrom(source) : chooseFreely();
}

function chooseFreely(): (count: number) => number {
  const pool = new Uint32Array(POOL);
  let used = POOL;
  const next = () => {
    if (used === POOL) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    return pool[used++];
  };
  return (count) => {
    if (count <= 0x1_0000_0000) {
      // What lies beyond the last whole multiple would make some numbers more likely.
      const usable = 0x1_0000_0000 - 0x1_0000_0000 % count;
      for (;;) {
        const value = next();
        if (value < usable) return value % count;
      }
    }
    return Math.floor((next() * 0x20_0000 + (next() >>> 11)) / 2 ** 53 * count);
  };
}

/** Bytes are taken as digits; what a choice does not use up is kept for the next. */
function chooseFrom(source: Uint8Array): (count: number) => number {
  let at = 0;
  let number = 0n;
  let most = 0n;
  return (count) => {
    const choices = BigInt(count);
    for (;;) {
      while (most < choices - 1n) {
        if (at >= source.length) throw new CommandError("end of file");
        number = number << 8n | BigInt(source[at++]);
        most = most << 8n | 255n;
      }
      const excess = most - (choices - 1n);
      const unusable = excess % choices;
      const last = most - unusable;
      if (number <= last) {
        const chosen = number % choices;
        number /= choices;
        most = excess / choices;
        return Number(chosen);
      }
      number -= last + 1n;
      most = unusable - 1n;
    }
  };
}
