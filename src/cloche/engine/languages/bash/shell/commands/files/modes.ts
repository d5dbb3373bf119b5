/** Permissions: letters, octal numbers, symbolic changes. */
import type { Kind, Stat } from "../../../../../fs/files.ts";
import { CommandError } from "../tool/errors.ts";

const WHO: Record<string, number> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
const TYPES: Record<Kind, number> = { file: 0o100000, directory: 0o40000, link: 0o120000, other: 0o20000 };
const FIFO = 0o10000;
const TYPE_LETTERS: Record<Kind, string> = { file: "-", directory: "d", link: "l", other: "c" };

/** One clause: who, and what is done in turn. */
interface Clause {
  who: string;
  operations: { sign: string; what: string }[];
}

/** A mode as given: applied to what a file has. */
export interface ModeChange {
  apply(mode: number, isFolder: boolean, umask: number): number;
}

export function parseMode(text: string): ModeChange | undefined {
  const [, sign, digits] = /^([-+=]?)([0-7]{1,5})$/.exec(text) ?? [];
  if (digits !== undefined) {
    const value = parseInt(digits, 8);
    if (value > 0o7777) return undefined;
    return { apply: (mode, isFolder) => applyOctal(mode, value, sign, isFolder, digits.length) };
  }
  const clauses: Clause[] = [];
  for (const part of text.split(",")) {
    const match = /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]|[0-7]+))+)$/.exec(part);
    if (!match) return undefined;
    const operations = [...match[2].matchAll(/([-+=])([^-+=]*)/g)].map(([, sign, what]) => ({ sign, what }));
    clauses.push({ who: match[1], operations });
  }
  return { apply: (mode, isFolder, umask) => applyClauses(mode, clauses, isFolder, umask) };
}

/** Folders keep their set-id bits unless five digits are given. */
function applyOctal(mode: number, value: number, sign: string, isFolder: boolean, length: number): number {
  if (sign === "+") return mode | value;
  if (sign === "-") return mode & ~value;
  return isFolder && length < 5 ? value | mode & 0o6000 : value;
}

function applyClauses(mode: number, clauses: Clause[], isFolder: boolean, umask: number): number {
  for (const { who, operations } of clauses) {
    const mask = who === "" ? 0o7777 & ~umask : [...who].reduce((sum, letter) => sum | WHO[letter], 0);
    for (const { sign, what } of operations) {
      const bits = bitsOf(what, mode, isFolder) & mask;
      if (sign === "+") mode |= bits;
      else if (sign === "-") mode &= ~bits;
      else {
        const cleared = who === "" ? 0o777 : mask & 0o777 | (isFolder ? 0 : mask & 0o6000) | mask & 0o1000;
        mode = mode & ~cleared | bits;
      }
    }
  }
  return mode;
}

function bitsOf(what: string, mode: number, isFolder: boolean): number {
  if (/^[0-7]+$/.test(what)) return parseInt(what, 8);
  let bits = 0;
  for (const letter of what) {
    if (letter === "r") bits |= 0o444;
    else if (letter === "w") bits |= 0o222;
    else if (letter === "x") bits |= 0o111;
    else if (letter === "X") bits |= isFolder || mode & 0o111 ? 0o111 : 0;
    else if (letter === "s") bits |= 0o6000;
    else if (letter === "t") bits |= 0o1000;
    else bits |= (mode >> { u: 6, g: 3, o: 0 }[letter as "u"] & 7) * 0o111;
  }
  return bits;
}

/** The mode that an option names, for something new. */
export function readMode(text: string, base: number, isFolder: boolean, umask: number): number {
  const change = parseMode(text);
  if (!change) throw new CommandError(`invalid mode '${text}'`);
  return change.apply(base, isFolder, umask);
}

/** "drwxr-xr-x". */
export function modeLetters({ kind, mode }: Pick<Stat, "kind" | "mode">): string {
  const bits = kind === "link" ? 0o777 : mode & 0o7777;
  const letters = [..."rwxrwxrwx"].map((letter, i) => bits & (0o400 >> i) ? letter : "-");
  const special: [number, number, string][] = [[0o4000, 2, "s"], [0o2000, 5, "s"], [0o1000, 8, "t"]];
  for (const [bit, place, letter] of special) {
    if (bits & bit) letters[place] = letters[place] === "x" ? letter : letter.toUpperCase();
  }
  return (isFifo({ mode }) ? "p" : TYPE_LETTERS[kind]) + letters.join("");
}

/** Whether an entry is a named pipe. */
export function isFifo({ mode }: Pick<Stat, "mode">): boolean {
  return (mode & 0o170000) === FIFO;
}

export function permissionsOf({ kind, mode }: Pick<Stat, "kind" | "mode">): number {
  return kind === "link" ? 0o777 : mode & 0o7777;
}

/** The mode with the bits of the type, as stat(2) gives it. */
export function fullMode(stat: Pick<Stat, "kind" | "mode">): number {
  return (isFifo(stat) ? FIFO : TYPES[stat.kind]) | permissionsOf(stat);
}
