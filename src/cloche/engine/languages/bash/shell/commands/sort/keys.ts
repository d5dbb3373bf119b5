/** The keys by which sort orders lines. */
import { concatBytes } from "../../../../../text/bytes.ts";
import { encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import { md5 } from "../hash/digests.ts";
import { CommandError } from "../tool/errors.ts";
import { compareVersions } from "./versions.ts";

export interface Key {
  start: [field: number, char: number];
  end: [field: number, char: number] | undefined;
  /** Leading blanks do not count where the key begins, or where it ends. */
  skipStart: boolean;
  skipEnd: boolean;
  flags: string;
}

export type Compare = (a: number, b: number) => number;

const MONTHS = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
const UNITS = "KMGTPEZYRQ";

export function readKey(word: string, shared: string): Key {
  const [, field, char, flags, , lastField, lastChar, lastFlags] =
    /^(\d+)(?:\.(\d+))?([bdfghiMnRrV]*)(,(\d+)(?:\.(\d+))?([bdfghiMnRrV]*))?$/.exec(word) ?? [];
  if (field === undefined) {
    if (!/^\d/.test(word)) {
      throw new CommandError(`invalid number at field start: invalid count at start of '${word}'`, 2);
    }
    throw new CommandError(`stray character in field spec: invalid field specification '${word}'`, 2);
  }
  if (Number(field) === 0) throw new CommandError(`field number is zero: invalid field specification '${word}'`, 2);
  if (char !== undefined && Number(char) === 0) {
    throw new CommandError(`character offset is zero: invalid field specification '${word}'`, 2);
  }
  const own = flags + (lastFlags ?? "");
  return {
    start: [Number(field), Number(char ?? 1)],
    end: lastField === undefined ? undefined : [Number(lastField), Number(lastChar ?? 0)],
    skipStart: own === "" ? shared.includes("b") : flags.includes("b"),
    skipEnd: own === "" ? shared.includes("b") : (lastFlags ?? "").includes("b"),
    flags: own === "" ? shared : own,
  };
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 32 || code === 9 || code === 10;
}

/** Where a field begins. Without a separator the blanks before a field belong to it. */
function fieldStart(line: string, field: number, separator: string | undefined): number {
  let at = 0;
  for (let i = 1; i < field && at < line.length; i++) {
    if (separator !== undefined) {
      const next = line.indexOf(separator, at);
      at = next < 0 ? line.length : next + 1;
      continue;
    }
    while (at < line.length && isBlank(line, at)) at++;
    while (at < line.length && !isBlank(line, at)) at++;
  }
  return at;
}

function fieldEnd(line: string, field: number, separator: string | undefined): number {
  let at = fieldStart(line, field, separator);
  if (separator !== undefined) {
    const next = line.indexOf(separator, at);
    return next < 0 ? line.length : next;
  }
  while (at < line.length && isBlank(line, at)) at++;
  while (at < line.length && !isBlank(line, at)) at++;
  return at;
}

/** The part of a line that a key is. */
export function extractKey(line: string, key: Key, separator: string | undefined): string {
  let from = fieldStart(line, key.start[0], separator);
  if (key.skipStart) { while (from < line.length && isBlank(line, from)) from++; }
  from = Math.min(line.length, from + key.start[1] - 1);
  if (!key.end) return line.slice(from);
  const [field, char] = key.end;
  if (char === 0) return line.slice(from, Math.max(from, fieldEnd(line, field, separator)));
  let to = fieldStart(line, field, separator);
  if (key.skipEnd) { while (to < line.length && isBlank(line, to)) to++; }
  return line.slice(from, Math.max(from, to + char));
}

/** Compares keys that are given by their places in a list. */
export function makeCompare(texts: string[], flags: string, seed: Uint8Array): Compare {
  const compare = makeOrder(texts, flags, seed);
  return flags.includes("r") ? (a, b) => compare(b, a) : compare;
}

function makeOrder(texts: string[], flags: string, seed: Uint8Array): Compare {
  if (flags.includes("n")) return compareNumbers(texts);
  if (flags.includes("g")) return compareGeneral(texts);
  if (flags.includes("h")) return compareHuman(texts);
  if (flags.includes("M")) return compareValues(texts.map(monthOf));
  if (flags.includes("V")) return (a, b) => compareVersions(texts[a], texts[b]);
  const plain = /[dfi]/.test(flags) ? texts.map((text) => simplify(text, flags)) : texts;
  if (flags.includes("R")) return compareRandomly(plain, seed);
  return (a, b) => plain[a] === plain[b] ? 0 : plain[a] < plain[b] ? -1 : 1;
}

function compareValues(values: number[]): Compare {
  return (a, b) => values[a] === values[b] ? 0 : values[a] < values[b] ? -1 : 1;
}

function compareNumbers(texts: string[]): Compare {
  const values = new Float64Array(texts.length);
  let exact = false;
  for (let i = 0; i < texts.length; i++) {
    const [found = ""] = /^[ \t]*-?\d*(?:\.\d*)?/.exec(texts[i]) ?? [];
    values[i] = Number(found) || 0;
    if (found.length > 15) exact = true;
  }
  if (!exact) return (a, b) => values[a] - values[b];
  return (a, b) => values[a] - values[b] || compareDigits(texts[a], texts[b]);
}

/** Compares numbers that are too long for a double. */
function compareDigits(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => /^[ \t]*(-?)0*(\d*)(?:\.(\d*?)0*(?!\d))?/.exec(text) ?? ["", "", "", ""]);
  if (x[1] !== y[1]) return 0;
  const sign = x[1] === "-" ? -1 : 1;
  if (x[2].length !== y[2].length) return sign * (x[2].length - y[2].length);
  const [p, q] = [`${x[2]}.${x[3] ?? ""}`, `${y[2]}.${y[3] ?? ""}`];
  return p === q ? 0 : p < q ? -sign : sign;
}

/** What is no number comes first, then what is not a number, then numbers. */
/** What is no number comes first, then what says so, then numbers. */
function compareGeneral(texts: string[]): Compare {
  const values = texts.map(generalValue);
  const rank = (value: number | undefined) => value === undefined ? 0 : Number.isNaN(value) ? 1 : 2;
  return (a, b) => {
    const [x, y] = [values[a], values[b]];
    if (x === undefined || y === undefined || Number.isNaN(x) || Number.isNaN(y)) return rank(x) - rank(y);
    return x === y ? 0 : x < y ? -1 : 1;
  };
}

function generalValue(text: string): number | undefined {
  const [, found] =
    /^\s*([-+]?(?:0[xX][0-9a-fA-F]+|inf(?:inity)?|nan|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?))/i
      .exec(text) ?? [];
  if (found === undefined) return undefined;
  if (/nan/i.test(found)) return NaN;
  if (/inf/i.test(found)) return found.startsWith("-") ? -Infinity : Infinity;
  return Number(found.replace(/^\+/, ""));
}

function compareHuman(texts: string[]): Compare {
  const parts = texts.map((text) => {
    const [, sign, digits, unit] = /^[ \t]*(-?)(\d*(?:\.\d*)?)([KkMGTPEZYRQ]?)/.exec(text) ?? ["", "", "", ""];
    const value = Number(digits) || 0;
    const factor = sign === "-" ? -1 : 1;
    const order = value === 0 ? 0 : UNITS.indexOf(unit.toUpperCase() || "?") + 1;
    return { order: factor * order, value: factor * value };
  });
  return (a, b) => parts[a].order - parts[b].order || parts[a].value - parts[b].value;
}

function monthOf(text: string): number {
  const at = MONTHS.indexOf(text.trimStart().slice(0, 3).toUpperCase());
  return text.trimStart().length >= 3 && at % 3 === 0 ? at / 3 + 1 : 0;
}

function simplify(text: string, flags: string): string {
  let changed = text;
  if (flags.includes("d")) changed = changed.replace(/[^\p{L}\p{N} \t]/gu, "");
  // deno-lint-ignore no-control-regex -- what cannot be printed is left out
  else if (flags.includes("i")) changed = changed.replace(/[\x00-\x1f\x7f]/g, "");
  return flags.includes("f") ? changed.toUpperCase() : changed;
}

/** By the hash of a seed and the text, so that equal texts stay together. */
function compareRandomly(texts: string[], seed: Uint8Array): Compare {
  const hashes = new Map<string, string>();
  const values = texts.map((text) => {
    let hash = hashes.get(text);
    if (hash === undefined) hashes.set(text, hash = fromArray(md5(concatBytes([seed, toArray(encodeText(text))]))));
    return hash;
  });
  return (a, b) => values[a] === values[b] ? 0 : values[a] < values[b] ? -1 : 1;
}
