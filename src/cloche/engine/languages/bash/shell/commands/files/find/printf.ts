/** -printf and -ls of find. */
import { FileError } from "../../../../../../fs/files.ts";
import { fullMode, modeLetters, permissionsOf } from "../modes.ts";
import { formatTime, nanoseconds } from "../times.ts";
import { attempt, baseName, blocksOf, linksOf, sizeOfStat, USER_ID } from "../paths.ts";
import type { Entry, Search } from "./entry.ts";

const TYPES = { file: "f", directory: "d", link: "l", other: "c" };
const ESCAPES: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};
const HALF_YEAR_MS = 182.5 * 86_400_000;

type Part = string | ((entry: Entry) => string);

/** A format made ready; what it gives for an entry. */
export function compileFormat(format: string, search: Search): (entry: Entry) => string {
  const parts: Part[] = [];
  const pattern = /\\([0-7]{1,3}|c|.)|%([-+ #0]*)(\d*)(?:\.(\d+))?([ABCT].|.)|[^\\%]+|[\\%]/gsu;
  for (const match of format.matchAll(pattern)) {
    const [whole, escape, flags, width, precision, directive] = match;
    if (escape === "c") break;
    if (escape !== undefined) parts.push(unescape(escape));
    else if (directive === "%") parts.push("%");
    else if (directive !== undefined) {
      parts.push((entry) => {
        const value = directiveValue(directive, entry, search) ?? whole;
        const cut = precision === undefined ? value : value.slice(0, Number(precision));
        if (flags.includes("-")) return cut.padEnd(Number(width));
        return cut.padStart(Number(width), flags.includes("0") && /^\d/.test(cut) ? "0" : " ");
      });
    } else parts.push(whole);
  }
  return (entry) => parts.map((part) => typeof part === "string" ? part : part(entry)).join("");
}

function unescape(text: string): string {
  if (/^[0-7]/.test(text)) return String.fromCharCode(parseInt(text, 8) & 255);
  return ESCAPES[text] ?? `\\${text}`;
}

function directiveValue(directive: string, entry: Entry, search: Search): string | undefined {
  const { stat, path, start, whole } = entry;
  if (directive.length > 1) {
    const time = directive[0] === "A" ? stat.atime : stat.mtime;
    return timeValue(directive[1], time, search.zone);
  }
  switch (directive) {
    case "p":
      return path;
    case "f":
      return baseName(path);
    case "h":
      return folderOf(path);
    case "P":
      return path.slice(start.length).replace(/^\//, "");
    case "H":
      return start;
    case "s":
      return String(sizeOfStat(stat));
    case "d":
      return String(entry.depth);
    case "m":
      return permissionsOf(stat).toString(8);
    case "M":
      return modeLetters(stat);
    case "u":
    case "g":
      return search.tool.user;
    case "U":
    case "G":
      return String(USER_ID);
    case "i":
      return String(stat.ino);
    case "n":
      return String(linksOf(search.tool.files, whole, stat));
    case "l":
      return stat.kind === "link" ? search.tool.files.readLink(whole) : "";
    case "y":
      return TYPES[stat.kind];
    case "Y":
      return followedType(entry, search);
    case "t":
    case "c":
      return timeValue("c", stat.mtime, search.zone);
    case "a":
      return timeValue("c", stat.atime, search.zone);
    case "b":
      return String(blocksOf(stat));
    case "k":
      return String(blocksOf(stat) / 2);
    case "D":
      return "1";
    case "F":
      return "ext4";
    case "S":
      return String(stat.size === 0 ? 1 : blocksOf(stat) * 512 / stat.size);
    case "Z":
      return "";
    default:
      return undefined;
  }
}

function folderOf(path: string): string {
  const slash = path.replace(/\/+$/, "").lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash);
}

function followedType({ stat, whole }: Entry, { tool }: Search): string {
  if (stat.kind !== "link") return TYPES[stat.kind];
  try {
    return TYPES[tool.files.stat(whole).kind];
  } catch (error) {
    return error instanceof FileError && error.code === "ELOOP" ? "L" : "N";
  }
}

function timeValue(letter: string, ms: number, zone: string | undefined): string {
  const fraction = `${nanoseconds(ms)}0`;
  if (letter === "@") return `${Math.floor(ms / 1000)}.${fraction}`;
  if (letter === "+") return formatTime("%Y-%m-%d+%H:%M:%S", ms, zone) + `.${fraction}`;
  if (letter === "c") return formatTime("%a %b %e %H:%M:%S", ms, zone) + `.${fraction} ` + formatTime("%Y", ms, zone);
  const text = formatTime(`%${letter}`, ms, zone);
  return letter === "S" || letter === "T" || letter === "X" ? `${text}.${fraction}` : text;
}

/** The line of -ls. */
export function listLine(entry: Entry, search: Search): string {
  const { stat, whole, path } = entry;
  const { tool, now, zone } = search;
  const recent = stat.mtime <= now + 3_600_000 && now - stat.mtime < HALF_YEAR_MS;
  const when = formatTime(recent ? "%b %e %H:%M" : "%b %e  %Y", stat.mtime, zone);
  const link = stat.kind === "link" ? attempt(() => tool.files.readLink(whole)) : undefined;
  const columns = [
    String(stat.ino).padStart(9),
    String(blocksOf(stat) / 2).padStart(6),
    modeLetters(stat),
    String(linksOf(tool.files, whole, stat)).padStart(3),
    tool.user.padEnd(8),
    tool.user.padEnd(8),
    String(sizeOfStat(stat)).padStart(8),
    when,
    path.replace(/[\s\\]/g, (char) => char === "\n" ? "\\n" : `\\${char}`) + (link === undefined ? "" : ` -> ${link}`),
  ];
  return `${columns.join(" ")}\n`;
}

/** The bits that -perm compares. */
export function permissionBits(entry: Entry): number {
  return fullMode(entry.stat) & 0o7777;
}
