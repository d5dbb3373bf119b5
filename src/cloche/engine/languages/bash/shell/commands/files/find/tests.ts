/** The tests of find that look at a file. */
import { isFifo } from "../modes.ts";
import type { Kind, Stat } from "../../../../../../fs/files.ts";
import { attempt, baseName, linksOf, quote, sizeOfStat, USER_ID } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { compileRegex } from "../../../../text/regex/regex.ts";
import { RegexError } from "../../../../text/regex/syntax.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import { compilePattern } from "../../../expansion/patterns.ts";
import { parseMode } from "../modes.ts";
import { parseTime } from "../times.ts";
import type { Entry, Search, Test } from "./entry.ts";
import { permissionBits } from "./printf.ts";

const KINDS: Record<string, Kind | "fifo" | ""> = {
  f: "file",
  d: "directory",
  l: "link",
  c: "other",
  b: "",
  p: "fifo",
  s: "",
  D: "",
};
const UNITS: Record<string, number> = { c: 1, w: 2, b: 512, k: 1024, M: 1 << 20, G: 1 << 30 };
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Tests with one argument, by name. */
export const ARGUMENT_TESTS: Record<string, (search: Search, value: string, name: string) => Test> = {
  "-name": (_, value) => glob(value, (entry) => baseName(entry.path)),
  "-iname": (_, value) => glob(value, (entry) => baseName(entry.path), true),
  "-path": (_, value) => glob(value, (entry) => entry.path),
  "-wholename": (_, value) => glob(value, (entry) => entry.path),
  "-ipath": (_, value) => glob(value, (entry) => entry.path, true),
  "-iwholename": (_, value) => glob(value, (entry) => entry.path, true),
  "-lname": (search, value) => glob(value, (entry) => targetOf(search, entry)),
  "-ilname": (search, value) => glob(value, (entry) => targetOf(search, entry), true),
  "-regex": (search, value) => regex(search, value, false),
  "-iregex": (search, value) => regex(search, value, true),
  "-type": (_, value, name) => kinds(value, name, ({ stat }) => kindOf(stat)),
  "-xtype": (search, value, name) => kinds(value, name, (entry) => otherKind(search, entry)),
  "-size": (_, value) => size(value),
  "-perm": (_, value) => permissions(value),
  "-mtime": (search, value, name) => age(search, value, name, "mtime", DAY_MS),
  "-ctime": (search, value, name) => age(search, value, name, "mtime", DAY_MS),
  "-atime": (search, value, name) => age(search, value, name, "atime", DAY_MS),
  "-mmin": (search, value, name) => age(search, value, name, "mtime", MINUTE_MS),
  "-cmin": (search, value, name) => age(search, value, name, "mtime", MINUTE_MS),
  "-amin": (search, value, name) => age(search, value, name, "atime", MINUTE_MS),
  "-newer": (search, value) => newer(search, "mm", value),
  "-anewer": (search, value) => newer(search, "am", value),
  "-cnewer": (search, value) => newer(search, "cm", value),
  "-samefile": sameFile,
  "-inum": (_, value, name) => compare(value, name, ({ stat }) => stat.ino),
  "-links": (search, value, name) => compare(value, name, (e) => linksOf(search.tool.files, e.whole, e.stat)),
  "-uid": (_, value, name) => compare(value, name, () => USER_ID),
  "-gid": (_, value, name) => compare(value, name, () => USER_ID),
  "-user": (search, value) => owner(search, value, "user"),
  "-group": (search, value) => owner(search, value, "group"),
  "-fstype": (_, value) => () => value === "ext4",
};

/** Tests without arguments. */
export const PLAIN_TESTS: Record<string, (search: Search) => Test> = {
  "-true": () => () => true,
  "-false": () => () => false,
  "-empty": (search) => (entry) => isEmpty(search, entry),
  "-nouser": () => () => false,
  "-nogroup": () => () => false,
  "-readable": () => (entry) => entry.stat.kind === "link" || (permissionBits(entry) & 0o444) !== 0,
  "-writable": () => (entry) => entry.stat.kind === "link" || (permissionBits(entry) & 0o222) !== 0,
  "-executable": () => (entry) => entry.stat.kind !== "link" && (permissionBits(entry) & 0o111) !== 0,
};

function glob(pattern: string, text: (entry: Entry) => string | undefined, nocase = false): Test {
  const matcher = compilePattern(pattern, { extglob: false, nocase });
  return (entry) => {
    const value = text(entry);
    return value !== undefined && matcher.match(value);
  };
}

function targetOf({ tool }: Search, { stat, whole }: Entry): string | undefined {
  return stat.kind === "link" ? attempt(() => tool.files.readLink(whole)) : undefined;
}

const EXTENDED = new Set(["posix-extended", "egrep", "posix-egrep", "awk", "posix-awk", "gnu-awk"]);
const BASIC = new Set(["posix-basic", "grep", "sed", "ed", "posix-minimal-basic"]);

function regex({ regexType }: Search, pattern: string, ignoreCase: boolean): Test {
  const extended = !BASIC.has(regexType);
  const source = extended && !EXTENDED.has(regexType) ? fromEmacs(pattern) : pattern;
  try {
    const matcher = compileRegex(source, { extended, ignoreCase, whole: "line" });
    return (entry) => matcher.test(entry.path);
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    throw new CommandError(`failed to compile regular expression ${quote(pattern)}: ${error.message}`);
  }
}

/** Emacs groups by `\(`, `\)` and `\|`; the rest is as in extended expressions. */
function fromEmacs(pattern: string): string {
  return pattern.replace(/\[\^?\]?(?:\[:\w+:\]|[^\]])*\]|\\[(|)]|\\.|[(){}|]/gs, (part) => {
    if (part.startsWith("[")) return part;
    if (/^\\[(|)]$/.test(part)) return part[1];
    return part.startsWith("\\") ? part : `\\${part}`;
  });
}

export function isRegexType(name: string): boolean {
  return EXTENDED.has(name) || BASIC.has(name) || name === "emacs" || name === "findutils-default";
}

function kinds(value: string, name: string, find: (entry: Entry) => string | undefined): Test {
  const wanted = new Set<string>();
  for (const letter of value.split(",")) {
    if (letter.length !== 1) throw new CommandError(`Must separate multiple arguments to ${name} using: ','`);
    const kind = KINDS[letter];
    if (kind === undefined) throw new CommandError(`Unknown argument to ${name}: ${letter}`);
    wanted.add(kind);
  }
  return (entry) => wanted.has(find(entry) ?? "");
}

function kindOf(stat: Stat): string {
  return isFifo(stat) ? "fifo" : stat.kind;
}

/** -xtype: of the link where links are followed, of what it leads to where they are not. */
function otherKind({ tool, links }: Search, { whole, stat }: Entry): Kind {
  if (links === "always") return tool.files.lstat(whole).kind;
  return stat.kind === "link" ? attempt(() => tool.files.stat(whole))?.kind ?? "link" : stat.kind;
}

/** -5, 5, +5. */
function compare(text: string, name: string, value: (entry: Entry) => number): Test {
  const [, sign, digits] = /^([-+]?)(\d+)$/.exec(text) ?? [];
  if (digits === undefined) throw new CommandError(`invalid argument '${text}' to '${name}'`);
  return comparison(sign, Number(digits), value);
}

function comparison(sign: string, number: number, value: (entry: Entry) => number): Test {
  if (sign === "-") return (entry) => value(entry) < number;
  if (sign === "+") return (entry) => value(entry) > number;
  return (entry) => value(entry) === number;
}

function size(text: string): Test {
  const [, sign, digits, unit] = /^([-+]?)(\d+)([cwbkMG]?)$/.exec(text) ?? [];
  if (digits === undefined) {
    const [, last] = /^[-+]?\d+(.)$/.exec(text) ?? [];
    throw new CommandError(last ? `invalid -size type \`${last}'` : `Invalid argument \`${text}' to -size`);
  }
  const bytes = UNITS[unit || "b"];
  return comparison(sign, Number(digits), ({ stat }) => Math.ceil(sizeOfStat(stat) / bytes));
}

function permissions(text: string): Test {
  const [, sign, rest] = /^([-/]?)(.*)$/s.exec(text) ?? ["", "", ""];
  const bits = parseMode(rest)?.apply(0, false, 0);
  if (bits === undefined) throw new CommandError(`invalid mode ${quote(text)}`);
  if (sign === "-") return (entry) => (permissionBits(entry) & bits) === bits;
  if (sign === "/") return (entry) => bits === 0 || (permissionBits(entry) & bits) !== 0;
  return (entry) => permissionBits(entry) === bits;
}

function age(search: Search, text: string, name: string, field: "mtime" | "atime", unit: number): Test {
  const [, sign, digits] = /^([-+]?)(\d+(?:\.\d*)?|\.\d+)$/.exec(text) ?? [];
  if (digits === undefined) throw new CommandError(`invalid argument \`${text}' to \`${name}'`);
  const number = Number(digits);
  const start = () => {
    if (!search.dayStart) return search.now;
    return Math.floor(search.now / DAY_MS) * DAY_MS + DAY_MS;
  };
  if (unit === DAY_MS) {
    return comparison(sign, number, ({ stat }) => Math.floor((start() - stat[field]) / unit));
  }
  if (sign !== "") return comparison(sign, number, ({ stat }) => (start() - stat[field]) / unit);
  return comparison(sign, number, ({ stat }) => Math.ceil((start() - stat[field]) / unit));
}

/** -newerXY: the time X of the file is later than the time Y of the other, or than the date if Y is t. */
export function newer(search: Search, letters: string, value: string): Test {
  const [mine, theirs] = letters;
  const field = (letter: string): "atime" | "mtime" => letter === "a" ? "atime" : "mtime";
  let reference: number | undefined;
  if (theirs === "t") {
    reference = parseTime(value, search.now, search.zone);
    if (reference === undefined) {
      throw new CommandError(`I cannot figure out how to interpret ${quote(value)} as a date or time`);
    }
  } else reference = reached(search, value)[field(theirs)];
  const limit = reference;
  return ({ stat }) => stat[field(mine)] > limit;
}

function reached({ tool, links }: Search, value: string): Stat {
  try {
    return links === "never" ? tool.lstat(value) : tool.findStat(value) ?? tool.lstat(value);
  } catch (error) {
    throw new CommandError(`${quote(value)}: ${reasonOf(error)}`);
  }
}

function sameFile(search: Search, value: string): Test {
  const { ino, kind } = reached(search, value);
  return ({ stat }) => stat.ino === ino && stat.kind === kind;
}

function owner({ tool }: Search, value: string, what: string): Test {
  if (value === tool.user || value === String(USER_ID)) return () => true;
  if (/^\d+$/.test(value) || value === "root") return () => false;
  throw new CommandError(
    what === "user"
      ? `${quote(value)} is not the name of a known user`
      : `${quote(value)} is not the name of an existing group`,
  );
}

function isEmpty({ tool }: Search, { stat, whole }: Entry): boolean {
  if (stat.kind === "file") return stat.size === 0;
  return stat.kind === "directory" && attempt(() => tool.files.list(whole))?.length === 0;
}
