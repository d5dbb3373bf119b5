/** Functions of make for text. */
import type { MakeFunction } from "./functions.ts";
import { MakeError, type Session } from "./session.ts";
import { matchWord, splitWords, substitutePattern } from "./text.ts";

function define(least: number, most: number, run: (args: string[], make: Session) => string): MakeFunction {
  return { least, most, run: (make, args) => run(args, make) };
}

function numberOf(word: string, make: Session, which: string, name: string): number {
  if (!/^\s*-?\d+\s*$/.test(word)) {
    throw new MakeError(`non-numeric ${which} argument to '${name}' function: '${word}'`, make.place);
  }
  return Number(word);
}

function choose(patterns: string, text: string, wanted: boolean): string {
  const list = splitWords(patterns);
  const plain = new Set(list.filter((word) => !word.includes("%")));
  const others = list.filter((word) => word.includes("%"));
  const matches = (word: string) => plain.has(word) || others.some((pattern) => matchWord(pattern, word) !== undefined);
  return splitWords(text).filter((word) => matches(word) === wanted).join(" ");
}

function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export const TEXT: Record<string, MakeFunction> = {
  subst: define(3, 3, ([from, to, text]) => from === "" ? text + to : text.replaceAll(from, () => to)),
  patsubst: define(3, 3, ([pattern, to, text]) => substitutePattern(pattern.trim(), to.trim(), text)),
  strip: define(1, 1, ([text]) => splitWords(text).join(" ")),
  findstring: define(2, 2, ([wanted, text]) => text.includes(wanted) ? wanted : ""),
  filter: define(2, 2, ([patterns, text]) => choose(patterns, text, true)),
  "filter-out": define(2, 2, ([patterns, text]) => choose(patterns, text, false)),
  sort: define(1, 1, ([text]) => [...new Set(splitWords(text))].sort(compareBytes).join(" ")),
  word: define(2, 2, ([index, text], make) => {
    const number = numberOf(index, make, "first", "word");
    if (number < 1) throw new MakeError("first argument to 'word' function must be greater than 0", make.place);
    return splitWords(text)[number - 1] ?? "";
  }),
  wordlist: define(3, 3, ([first, last, text], make) => {
    const start = numberOf(first, make, "first", "wordlist");
    const end = numberOf(last, make, "second", "wordlist");
    if (start < 1) {
      throw new MakeError(`invalid first argument to 'wordlist' function: '${start}'`, make.place);
    }
    return splitWords(text).slice(start - 1, Math.max(0, end)).join(" ");
  }),
  words: define(1, 1, ([text]) => String(splitWords(text).length)),
  firstword: define(1, 1, ([text]) => splitWords(text)[0] ?? ""),
  lastword: define(1, 1, ([text]) => splitWords(text).at(-1) ?? ""),
  join: define(2, 2, ([first, second]) => {
    const [a, b] = [splitWords(first), splitWords(second)];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? "") + (b[i] ?? "")).join(" ");
  }),
};
