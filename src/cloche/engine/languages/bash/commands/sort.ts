/** sort. */
import { decodeText, encodeText, toArray } from "../text/byte_strings.ts";
import { emptyResult } from "../just_bash/results.ts";
import {
  bytesResult,
  checkInterrupt,
  CommandError,
  defineCommand,
  linesOf,
  type Options,
  pathOf,
  readInput,
  readOptions,
  textResult,
} from "./command.ts";

const ORDER = "bdfghinMRrV";
const MONTHS = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
const UNITS = "KMGTPEZY";

interface Key {
  start: [field: number, char: number];
  end: [field: number, char: number] | undefined;
  flags: string;
}

type Compare = (a: string, b: string) => number;

const LONG = {
  "numeric-sort": "n",
  "general-numeric-sort": "g",
  "human-numeric-sort": "h",
  "version-sort": "V",
  "month-sort": "M",
  "random-sort": "R",
  reverse: "r",
  unique: "u",
  key: "k",
  "field-separator": "t",
  output: "o",
  "ignore-case": "f",
  "ignore-leading-blanks": "b",
  "dictionary-order": "d",
  stable: "s",
  check: "c",
  merge: "m",
  "zero-terminated": "z",
  parallel: "P",
  "buffer-size": "S",
  "temporary-directory": "T",
};

const sort = defineCommand("sort", async (args, ctx) => {
  const given = readOptions(args, `${ORDER}uk:t:o:scCmzP:S:T:`, LONG);
  const end = given.has("z") ? "\0" : "\n";
  const lines: string[] = [];
  for (const name of given.rest.length > 0 ? given.rest : ["-"]) {
    for (const line of linesOf(decodeText(await readInput(ctx, name).catch(asSortError)), end)) lines.push(line);
  }
  checkInterrupt(ctx);
  const compare = comparison(given);
  if (given.has("c") || given.has("C")) return check(lines, compare, given);
  let steps = 0;
  lines.sort((a, b) => {
    if ((++steps & 0xffff) === 0) checkInterrupt(ctx);
    return compare(a, b);
  });
  const keyed = comparison(given, true);
  const kept = given.has("u") ? lines.filter((line, i) => i === 0 || keyed(lines[i - 1], line) !== 0) : lines;
  const text = kept.map((line) => line + end).join("");
  const target = given.get("o");
  if (target === undefined) return textResult(text);
  await ctx.fs.writeFile(pathOf(ctx, target), toArray(encodeText(text)));
  return emptyResult(0);
});

function asSortError(error: unknown): never {
  if (error instanceof CommandError) throw new CommandError(`cannot read: ${error.message}`, 2);
  throw error;
}

function check(lines: string[], compare: Compare, given: Options) {
  const strict = given.has("u");
  const at = lines.findIndex((line, i) =>
    i > 0 && (strict ? compare(lines[i - 1], line) >= 0 : compare(lines[i - 1], line) > 0)
  );
  if (at < 0) return emptyResult(0);
  const message = given.has("C") ? "" : `sort: ${given.rest[0] ?? "-"}:${at + 1}: disorder: ${lines[at]}\n`;
  return bytesResult("", 1, message);
}

function comparison(given: Options, keysOnly = false): Compare {
  const shared = [...ORDER].filter((letter) => given.has(letter)).join("");
  const keys = given.all("k").map((word) => parseKey(word, shared));
  const separator = given.get("t")?.replace(/^\\([t0])$/, (_, letter) => letter === "t" ? "\t" : "\0");
  const whole = ordering(shared);
  const byKeys: Compare[] = keys.map((key) => {
    const order = ordering(key.flags);
    return (a, b) => order(extract(a, key, separator), extract(b, key, separator));
  });
  const last: Compare = given.has("r") ? (a, b) => plain(b, a) : plain;
  const tests = byKeys.length > 0 ? byKeys : [whole];
  const final = keysOnly || given.has("s") || given.has("u") ? [] : [last];
  return (a, b) => {
    for (const test of tests) {
      const result = test(a, b);
      if (result !== 0) return result;
    }
    return final.length > 0 ? final[0](a, b) : 0;
  };
}

function parseKey(word: string, shared: string): Key {
  const match = word.match(/^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/);
  if (!match || Number(match[1]) === 0) {
    throw new CommandError(`invalid number at field start: invalid count at start of '${word}'`, 2);
  }
  const own = match[3] + (match[6] ?? "");
  return {
    start: [Number(match[1]), Number(match[2] ?? 1)],
    end: match[4] === undefined ? undefined : [Number(match[4]), Number(match[5] ?? 0)],
    flags: own === "" ? shared : own,
  };
}

function extract(line: string, { start, end, flags }: Key, separator: string | undefined): string {
  const fields = separator === undefined ? line.match(/\s*\S+|\s+$/g) ?? [] : line.split(separator);
  const glue = separator ?? "";
  const trim = (text: string) => flags.includes("b") ? text.trimStart() : text;
  if (!end) {
    const text = fields.slice(start[0] - 1).join(glue);
    return trim(text).slice(start[1] - 1);
  }
  const chosen = fields.slice(start[0] - 1, end[0]);
  if (chosen.length === 0) return "";
  if (end[1] > 0 && chosen.length === end[0] - start[0] + 1) {
    chosen[chosen.length - 1] = chosen[chosen.length - 1].slice(0, end[1]);
  }
  return trim(chosen.join(glue)).slice(start[1] - 1);
}

function plain(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function ordering(flags: string): Compare {
  const sign = flags.includes("r") ? -1 : 1;
  const order = kind(flags);
  return sign === 1 ? order : (a, b) => -order(a, b);
}

function kind(flags: string): Compare {
  const by = (value: (text: string) => number): Compare => (a, b) => {
    const [x, y] = [value(a), value(b)];
    return x === y ? 0 : x < y ? -1 : 1;
  };
  if (flags.includes("n")) return by((text) => Number(text.match(/^\s*-?\d*\.?\d*/)?.[0]) || 0);
  if (flags.includes("g")) return by((text) => Number.isNaN(parseFloat(text)) ? -Infinity : parseFloat(text));
  if (flags.includes("h")) return by(humanValue);
  if (flags.includes("M")) return by((text) => MONTHS.indexOf(text.trim().slice(0, 3).toUpperCase()) / 3);
  if (flags.includes("V")) return versions;
  if (flags.includes("R")) {
    const places = new Map<string, number>();
    return by((text) => places.get(text) ?? places.set(text, Math.random()).get(text) ?? 0);
  }
  const simplify = (text: string) => {
    let changed = flags.includes("b") ? text.trimStart() : text;
    if (flags.includes("d")) changed = changed.replace(/[^\p{L}\p{N}\s]/gu, "");
    return flags.includes("f") ? changed.toUpperCase() : changed;
  };
  return /[bdf]/.test(flags) ? (a, b) => plain(simplify(a), simplify(b)) : plain;
}

function humanValue(text: string): number {
  const match = text.match(/^\s*(-?\d*\.?\d+)\s*([KMGTPEZYkmgt]?)/);
  return match ? Number(match[1]) * 1024 ** (UNITS.indexOf(match[2].toUpperCase() || "-") + 1) : 0;
}

function versions(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? []);
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const [p = "", q = ""] = [x[i], y[i]];
    const numbers = /^\d/.test(p) && /^\d/.test(q);
    const result = numbers ? Number(p) - Number(q) || 0 : plain(p, q);
    if (result !== 0) return result;
  }
  return plain(a, b);
}

export const commands = [sort];
