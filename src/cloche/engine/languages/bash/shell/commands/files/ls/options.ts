/** The options of ls. */
import { compilePattern, type Matcher } from "../../../expansion/patterns.ts";
import { quote } from "../paths.ts";
import { UsageError } from "../../tool/errors.ts";
import type { Given } from "../../tool/options.ts";
import { readBlockSize, type SizeUnit } from "../sizes.ts";

export const GRAMMAR = {
  letters: "aAbBcCdfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1",
  long: {
    all: "a",
    "almost-all": "A",
    author: "author",
    escape: "b",
    "block-size=": "block-size",
    "ignore-backups": "B",
    "color?": "color",
    directory: "d",
    "classify?": "F",
    "file-type": "file-type",
    "format=": "format",
    "full-time": "full-time",
    "group-directories-first": "folders-first",
    "no-group": "G",
    "human-readable": "h",
    si: "si",
    "dereference-command-line": "H",
    "dereference-command-line-symlink-to-dir": "link-to-dir",
    "hide=": "hide",
    "hyperlink?": "hyperlink",
    "indicator-style=": "indicator",
    inode: "i",
    "ignore=": "I",
    kibibytes: "k",
    dereference: "L",
    "numeric-uid-gid": "n",
    literal: "N",
    "hide-control-chars": "q",
    "show-control-chars": "show-control",
    "quote-name": "Q",
    "quoting-style=": "quoting",
    reverse: "r",
    recursive: "R",
    size: "s",
    "sort=": "sort",
    "time=": "time",
    "time-style=": "time-style",
    "tabsize=": "T",
    "width=": "w",
    context: "Z",
    zero: "zero",
  },
  code: 2,
  synopsis: "[OPTION]... [FILE]...",
};

export type Format = "long" | "single" | "columns" | "across" | "commas";
export type Sort = "name" | "none" | "size" | "time" | "version" | "extension" | "width";

export interface ListOptions {
  all: "all" | "almost" | "visible";
  format: Format;
  sort: Sort;
  reverse: boolean;
  foldersFirst: boolean;
  time: "atime" | "mtime";
  indicator: "none" | "slash" | "type" | "classify";
  follow: "never" | "arguments" | "always";
  quoting: string;
  size: SizeUnit;
  blocks: SizeUnit;
  width: number;
  hidden: Matcher[];
  ignored: Matcher[];
  end: string;
  given: Given;
}

const FORMATS: Record<string, Format> = {
  long: "long",
  verbose: "long",
  "single-column": "single",
  vertical: "columns",
  horizontal: "across",
  across: "across",
  commas: "commas",
};
const SORTS: Record<string, Sort> = {
  none: "none",
  size: "size",
  time: "time",
  version: "version",
  extension: "extension",
  name: "name",
  width: "width",
};
const SORT_LETTERS: Record<string, Sort> = { U: "none", f: "none", S: "size", t: "time", v: "version", X: "extension" };
const FORMAT_LETTERS: Record<string, Format> = { C: "columns", x: "across", m: "commas", "1": "single" };
const INDICATORS = ["none", "slash", "file-type", "classify"];

function choose<T>(given: Given, key: string, option: string, known: Record<string, T>): T | undefined {
  const word = given.get(key);
  if (word === undefined) return undefined;
  const names = Object.keys(known).filter((name) => name.startsWith(word));
  const name = known[word] === undefined ? names.length === 1 ? names[0] : undefined : word;
  if (name === undefined) throw new UsageError(`invalid argument ${quote(word)} for '--${option}'`, 2);
  return known[name];
}

export function readListOptions(given: Given, env: Readonly<Record<string, string>>): ListOptions {
  const human = given.last("h", "si", "k", "block-size");
  const size = human === "h"
    ? readBlockSize("human-readable")
    : human === "si"
    ? readBlockSize("si")
    : human === "block-size"
    ? readBlockSize(given.get("block-size") ?? "")
    : readBlockSize("1");
  const patterns = (key: string) => given.all(key).map((pattern) => compilePattern(pattern, { extglob: false }));
  const ignored = patterns("I");
  if (given.has("B")) ignored.push(compilePattern("*~"));
  return {
    all: given.last("a", "A", "f") === "A" ? "almost" : given.has("a", "f") ? "all" : "visible",
    format: readFormat(given),
    sort: readSort(given),
    reverse: given.has("r"),
    foldersFirst: given.has("folders-first"),
    time: readTimeField(given),
    indicator: readIndicator(given),
    follow: given.has("L") ? "always" : given.has("H") ? "arguments" : "never",
    quoting: readQuoting(given),
    size: human === "block-size" || human === "h" || human === "si" ? size : readBlockSize("1"),
    blocks: human === "h" || human === "si" || human === "block-size" ? size : readBlockSize("1024"),
    width: Number(given.get("w") ?? env.COLUMNS ?? 80) || Infinity,
    hidden: patterns("hide"),
    ignored,
    end: given.has("zero") ? "\0" : "\n",
    given,
  };
}

function readFormat(given: Given): Format {
  let format: Format = "single";
  for (const [key] of given.list) {
    if (["l", "n", "g", "o", "full-time"].includes(key)) format = "long";
    else if (key === "1" || key === "zero") format = format === "long" ? "long" : "single";
    else if (key === "format") format = choose(given, "format", "format", FORMATS) ?? format;
    else format = FORMAT_LETTERS[key] ?? format;
  }
  return format;
}

function readSort(given: Given): Sort {
  const last = given.last("U", "f", "S", "t", "v", "X", "sort");
  if (last === "sort") return choose(given, "sort", "sort", SORTS) ?? "name";
  if (last !== undefined) return SORT_LETTERS[last];
  // -c and -u sort by the time that they choose, unless it is shown.
  return given.has("c", "u") && readFormat(given) !== "long" ? "time" : "name";
}

function readTimeField(given: Given): "atime" | "mtime" {
  const fields = {
    atime: "atime",
    access: "atime",
    use: "atime",
    ctime: "mtime",
    status: "mtime",
    mtime: "mtime",
    modification: "mtime",
    birth: "mtime",
    creation: "mtime",
  } as const;
  if (given.last("c", "u", "time") === "time") {
    return choose<"atime" | "mtime">(given, "time", "time", fields) ?? "mtime";
  }
  return given.last("c", "u") === "u" ? "atime" : "mtime";
}

function readIndicator(given: Given): ListOptions["indicator"] {
  const last = given.last("F", "p", "file-type", "indicator");
  if (last === "p") return "slash";
  if (last === "file-type") return "type";
  if (last === "F") {
    return ["never", "no", "none", "auto", "tty", "if-tty"].includes(given.get("F") ?? "") ? "none" : "classify";
  }
  if (last === undefined) return "none";
  const word = given.get("indicator") ?? "";
  if (!INDICATORS.includes(word)) throw new UsageError(`invalid argument ${quote(word)} for '--indicator-style'`, 2);
  return word === "file-type" ? "type" : word as "none";
}

function readQuoting(given: Given): string {
  const last = given.last("b", "N", "Q", "quoting", "show-control");
  if (last === "b") return "escape";
  if (last === "Q") return "c";
  if (last !== "quoting") return "literal";
  const word = given.get("quoting") ?? "";
  const known = ["literal", "shell", "shell-always", "shell-escape", "shell-escape-always", "c", "escape", "locale"];
  if (!known.includes(word)) throw new UsageError(`invalid argument ${quote(word)} for '--quoting-style'`, 2);
  return word;
}
