/** stat. */
import type { Stat } from "../../../../../fs/files.ts";
import { RUN_LIMITS } from "../../../../../limits.ts";
import { unescapeText } from "../../../text/escapes.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { decodeText, encodeText } from "../../../text/byte_strings.ts";
import { fullMode, isFifo, modeLetters, permissionsOf } from "./modes.ts";
import { formatTime, nanoseconds } from "./times.ts";
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { attempt, blocksOf, codeOf, linksOf, quote, sizeOfStat, USER_ID } from "./paths.ts";
import { UsageError } from "../tool/errors.ts";

const GRAMMAR = {
  letters: "Lfc:t",
  long: {
    dereference: "L",
    "file-system": "f",
    "format=": "c",
    "printf=": "printf",
    terse: "t",
    "cached=": "cached",
  },
  synopsis: "[OPTION]... FILE...",
};

const REPORT = `  File: %N
  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F
Device: %Hd,%Ld\tInode: %-11i Links: %h
Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: %w
`;
const TERSE = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const SYSTEM_REPORT = `  File: "%n"
    ID: %-8i Namelen: %-7l Type: %T
Block size: %-10s Fundamental block size: %S
Blocks: Total: %-10b Free: %-10f Available: %a
Inodes: Total: %-10c Free: %d
`;
const SYSTEM_TERSE = "%n %i %l %t %s %S %b %f %a %c %d\n";
const BLOCK = 4096;
const DEVICE = 0xfe00;
const INODES = 1_000_000;

type Fields = (letter: string, precision: string | undefined) => string | undefined;

export const stat = defineFileTool("stat", GRAMMAR, (tool) => {
  const { given, operands } = tool;
  if (operands.length === 0) throw new UsageError("missing operand");
  for (const name of operands) {
    try {
      const fields = given.has("f") ? systemFields(tool, name) : fileFields(tool, name);
      tool.print(show(tool, fields, name));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      const what = given.has("f") ? "cannot read file system information for" : "cannot statx";
      tool.report(`${what} ${quote(name)}: ${reasonOf(error)}`);
    }
  }
});

function show({ given }: FileTool, fields: Fields, name: string): string {
  const last = given.last("c", "printf");
  if (last === "c") return `${fill(given.get("c") ?? "", fields)}\n`;
  if (last === "printf") {
    const format = given.get("printf") ?? "";
    return fill(decodeText(unescapeText(encodeText(format), "format").bytes), fields);
  }
  const system = given.has("f");
  if (given.has("t")) return fill(system ? SYSTEM_TERSE : TERSE, fields);
  // The report names a link without quotes.
  const plain: Fields = (letter, precision) =>
    letter === "N" ? fields("->", undefined) ?? name : fields(letter, precision);
  return fill(system ? SYSTEM_REPORT : REPORT, system ? fields : plain);
}

function fill(format: string, fields: Fields): string {
  const pattern = /%([-#0 +']*)(\d*)(?:\.(\d*))?([HL][dr]|[a-zA-Z%])/g;
  return format.replace(pattern, (_, flags: string, width: string, precision: string | undefined, letter: string) => {
    if (letter === "%") return "%";
    let value = fields(letter, precision) ?? "?";
    if (flags.includes("#") && /^[0-7]+$/.test(value) && letter === "a") value = `0${value}`;
    if (flags.includes("#") && "fDtT".includes(letter)) value = `0x${value}`;
    if (precision && /[A-Z]/.test(letter) && !"XYZW".includes(letter)) value = value.slice(0, Number(precision));
    if (flags.includes("-")) return value.padEnd(Number(width));
    return value.padStart(Number(width), flags.includes("0") && /^\d/.test(value) ? "0" : " ");
  });
}

function kindName(stat: Stat): string {
  const { kind, size } = stat;
  if (isFifo(stat)) return "fifo";
  if (kind === "directory") return "directory";
  if (kind === "link") return "symbolic link";
  if (kind === "other") return "character special file";
  return size === 0 ? "regular empty file" : "regular file";
}

/** Seconds, with as many digits after them as the precision says. */
function seconds(ms: number, precision: string | undefined): string {
  const whole = String(Math.floor(ms / 1000));
  if (precision === undefined) return whole;
  return `${whole}.${nanoseconds(ms).slice(0, precision === "" ? 9 : Number(precision))}`;
}

function fileFields(tool: FileTool, name: string): Fields {
  const found = name === "-"
    ? tool.context.fds.get(0).stat()
    : tool.given.has("L")
    ? tool.stat(name)
    : tool.lstat(name);
  const path = name === "-" ? "" : tool.path(name);
  const link = found.kind === "link" ? attempt(() => tool.files.readLink(path)) : undefined;
  const time = (ms: number) => formatTime("%Y-%m-%d %H:%M:%S.%N %z", ms, tool.context.env.TZ);
  const fields: Record<string, (precision: string | undefined) => string> = {
    n: () => name,
    N: () => quote(name) + (link === undefined ? "" : ` -> ${quote(link)}`),
    "->": () => name + (link === undefined ? "" : ` -> ${link}`),
    s: () => String(sizeOfStat(found)),
    a: () => permissionsOf(found).toString(8),
    A: () => modeLetters(found),
    f: () => fullMode(found).toString(16),
    F: () => kindName(found),
    u: () => String(USER_ID),
    g: () => String(USER_ID),
    U: () => tool.user,
    G: () => tool.user,
    i: () => String(found.ino),
    d: () => String(DEVICE),
    D: () => DEVICE.toString(16),
    Hd: () => String(DEVICE >> 8),
    Ld: () => String(DEVICE & 255),
    h: () => String(path === "" ? found.links : linksOf(tool.files, path, found)),
    b: () => String(blocksOf(found)),
    B: () => "512",
    o: () => String(BLOCK),
    x: () => time(found.atime),
    y: () => time(found.mtime),
    z: () => time(found.mtime),
    w: () => "-",
    X: (precision) => seconds(found.atime, precision),
    Y: (precision) => seconds(found.mtime, precision),
    Z: (precision) => seconds(found.mtime, precision),
    W: () => "0",
    m: () => "/",
    t: () => found.kind === "other" ? "1" : "0",
    T: () => found.kind === "other" ? "3" : "0",
    r: () => "0",
    R: () => "0",
    C: () => "?",
  };
  return (letter, precision) => fields[letter]?.(precision);
}

/** The sandbox's limit stands for the size of the disk. */
function systemFields(tool: FileTool, name: string): Fields {
  tool.stat(name);
  const blocks = String(Math.floor(RUN_LIMITS.filesLimit / BLOCK));
  const fields: Record<string, string> = {
    n: name,
    i: "0",
    l: "255",
    t: "ef53",
    T: "ext2/ext3",
    s: String(BLOCK),
    S: String(BLOCK),
    b: blocks,
    f: blocks,
    a: blocks,
    c: String(INODES),
    d: String(INODES),
  };
  return (letter) => fields[letter];
}
