/** The command line of awk. */
import { AwkError } from "./errors.ts";
import { unescapeValue } from "./program/escapes.ts";

export interface AwkOptions {
  /** Where the program comes from, in order. */
  sources: ({ kind: "text"; text: string } | { kind: "file"; name: string })[];
  /** Values of `-v`, as name=value. */
  assignments: string[];
  separator: string | undefined;
  /** Files, and assignments between them. */
  operands: string[];
  /** Whether every byte is a character. */
  bytes: boolean;
  showsVersion: boolean;
  showsHelp: boolean;
  /** Whether what is printed takes the place of the files that are read, and with which suffix their copies are kept. */
  inPlace: boolean;
  inPlaceSuffix: string | undefined;
}

const LONG: Record<string, string> = {
  file: "f",
  assign: "v",
  "field-separator": "F",
  source: "e",
  include: "i",
  exec: "E",
  version: "V",
  help: "h",
  "characters-as-bytes": "b",
  posix: "P",
  traditional: "c",
  compat: "c",
  "re-interval": "r",
  lint: "t",
  "lint-old": "t",
  optimize: "O",
  "no-optimize": "s",
  "use-lc-numeric": "N",
  "non-decimal-data": "n",
  safe: "S",
  sandbox: "S",
};
/** How gawk's inplace is told what copies are called. */
const SUFFIX = "inplace::suffix=";
/** Options with a value. */
const VALUED = "fvFeiE";
/** Options that change nothing here. */
const IGNORED = "PcrtOsN";

export function readOptions(args: string[]): AwkOptions {
  const found: AwkOptions = {
    sources: [],
    assignments: [],
    separator: undefined,
    operands: [],
    bytes: false,
    showsVersion: false,
    showsHelp: false,
    inPlace: false,
    inPlaceSuffix: undefined,
  };
  let at = 0;
  for (; at < args.length && args[at].startsWith("-") && args[at] !== "-"; at++) {
    const word = args[at];
    if (word === "--") {
      at++;
      break;
    }
    if (word === "-version") {
      found.showsVersion = true;
      continue;
    }
    if (word.startsWith("--")) {
      at = readLong(found, args, at);
      continue;
    }
    at = readShort(found, args, at);
    if (/^-[A-Za-z]*E/.test(word)) {
      at++;
      break;
    }
  }
  found.operands = args.slice(at);
  if (found.sources.length === 0 && !found.showsVersion && !found.showsHelp) {
    const [text, ...rest] = found.operands;
    if (text === undefined) throw new AwkError(USAGE, true);
    found.sources.push({ kind: "text", text });
    found.operands = rest;
  }
  return found;
}

export const USAGE = `Usage: awk [options] -f program.awk [--] [file ...]
       awk [options] [--] 'program' [file ...]
Options: -F separator, -v name=value, -f file, -e 'program', -i file to include, --version`;

function readLong(found: AwkOptions, args: string[], at: number): number {
  const [name, ...rest] = args[at].slice(2).split("=");
  const letter = LONG[name];
  if (letter === undefined) throw new AwkError(`awk: unrecognized option '--${name}'\n${USAGE}`, true);
  if (!VALUED.includes(letter)) {
    apply(found, letter, "");
    return at;
  }
  if (rest.length > 0) apply(found, letter, rest.join("="));
  else apply(found, letter, valueAt(args, ++at, `--${name}`));
  return at;
}

function readShort(found: AwkOptions, args: string[], at: number): number {
  const word = args[at];
  for (let i = 1; i < word.length; i++) {
    const letter = word[i];
    if (!VALUED.includes(letter)) {
      apply(found, letter, "");
      continue;
    }
    if (i + 1 < word.length) apply(found, letter, word.slice(i + 1));
    else apply(found, letter, valueAt(args, ++at, letter));
    break;
  }
  return at;
}

function valueAt(args: string[], at: number, option: string): string {
  if (at >= args.length) throw new AwkError(`awk: option requires an argument -- '${option}'\n${USAGE}`, true);
  return args[at];
}

function apply(found: AwkOptions, letter: string, value: string): void {
  switch (letter) {
    case "f":
    case "i":
    case "E":
      if (letter === "i" && /^inplace(\.awk)?$/.test(value)) found.inPlace = true;
      else found.sources.push({ kind: "file", name: value });
      return;
    case "e":
      found.sources.push({ kind: "text", text: value });
      return;
    case "v":
      if (value.startsWith(SUFFIX)) {
        found.inPlaceSuffix = value.slice(SUFFIX.length);
        return;
      }
      if (!/^[A-Za-z_][A-Za-z_0-9]*=/.test(value)) {
        throw new AwkError(`awk: fatal: \`${value}' argument to \`-v' not in \`var=value' form\n${USAGE}`, true);
      }
      found.assignments.push(value);
      return;
    case "F":
      found.separator = unescapeValue(value);
      return;
    case "b":
      found.bytes = true;
      return;
    case "V":
      found.showsVersion = true;
      return;
    case "h":
      found.showsHelp = true;
      return;
  }
  if (!IGNORED.includes(letter)) throw new AwkError(`awk: option -- '${letter}' is not supported\n${USAGE}`, true);
}
