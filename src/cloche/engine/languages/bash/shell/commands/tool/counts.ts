/** Numbers with units. */
import { CommandError } from "./errors.ts";

/** A whole number as an option or operand, within limits. */
export function readCount(word: string, complaint: string, code = 1): number {
  const [, digits, unit] = /^\+?(\d+)(.*)$/s.exec(word) ?? [];
  const factor = digits === undefined ? undefined : UNITS.get(unit);
  if (factor === undefined) throw new CommandError(`${complaint}: '${word}'`, code);
  return Number(digits) * factor;
}

const UNITS = new Map<string, number>([["", 1], ["b", 512]]);
[..."KMGTPEZY"].forEach((letter, i) => {
  UNITS.set(letter, 1024 ** (i + 1));
  UNITS.set(`${letter}iB`, 1024 ** (i + 1));
  UNITS.set(`${letter}B`, 1000 ** (i + 1));
});
UNITS.set("k", 1024).set("kB", 1000).set("kiB", 1024).set("m", 1 << 20);
