/** stat. */
import type { FsStat } from "just-bash";
import { unescapeText } from "../text/escapes.ts";
import { decodeText, encodeText } from "../text/byte_strings.ts";
import { strftime } from "../text/strftime.ts";
import { CommandError, type Context, defineCommand, pathOf, readOptions, textResult } from "./command.ts";

const stat = defineCommand("stat", async (args, ctx) => {
  const given = readOptions(args, "c:Lft1:", {
    format: "c",
    dereference: "L",
    printf: "1",
    terse: "t",
    "file-system": "f",
  });
  if (given.rest.length === 0) throw new CommandError("missing operand");
  let out = "";
  let errors = "";
  for (const name of given.rest) {
    const path = pathOf(ctx, name);
    const found = await (given.has("L") ? ctx.fs.stat(path) : ctx.fs.lstat(path)).catch(() => undefined);
    if (!found) {
      errors += `stat: cannot statx '${name}': No such file or directory\n`;
      continue;
    }
    const link = found.isSymbolicLink ? await ctx.fs.readlink(path).catch(() => "") : "";
    const format = given.get("1") ?? given.get("c");
    if (format === undefined) out += report(ctx, name, found, link);
    else if (given.has("1")) {
      out += decodeText(unescapeText(encodeText(fill(ctx, format, name, found, link)), "format").bytes);
    } else out += fill(ctx, format, name, found, link) + "\n";
  }
  return textResult(out, errors === "" ? 0 : 1, errors);
});

function fill(ctx: Context, format: string, name: string, found: FsStat, link: string): string {
  const user = ctx.env.get("USER") || "user";
  const seconds = String(Math.floor(found.mtime.getTime() / 1000));
  const time = strftime("%Y-%m-%d %H:%M:%S.%N %z", found.mtime);
  const quoted = `'${name}'${link === "" ? "" : ` -> '${link}'`}`;
  const fields: Record<string, string> = {
    n: name,
    N: quoted,
    s: String(found.size),
    a: (found.mode & 0o7777).toString(8),
    A: letters(found),
    f: (found.mode & 0o7777 | (found.isDirectory ? 0o40000 : found.isSymbolicLink ? 0o120000 : 0o100000)).toString(16),
    F: found.isDirectory
      ? "directory"
      : found.isSymbolicLink
      ? "symbolic link"
      : found.size === 0
      ? "regular empty file"
      : "regular file",
    u: "1000",
    g: "1000",
    U: user,
    G: user,
    i: String(found.ino ?? 0),
    d: String(found.dev ?? 0),
    h: "1",
    b: String(Math.ceil(found.size / 512)),
    B: "512",
    o: "4096",
    "%": "%",
  };
  for (const letter of "xyz") fields[letter] = time;
  for (const letter of "XYZ") fields[letter] = seconds;
  Object.assign(fields, { w: "-", W: "0", m: "/", t: "0", T: "0", D: "0", C: "?" });
  return format.replace(/%([-#0 +]*)(\d*)([a-zA-Z%])/g, (whole, flags: string, width: string, letter: string) => {
    const value = fields[letter];
    if (value === undefined) return whole;
    return flags.includes("-")
      ? value.padEnd(Number(width))
      : value.padStart(Number(width), flags.includes("0") ? "0" : " ");
  });
}

function letters(found: FsStat): string {
  const bits = [..."rwxrwxrwx"].map((letter, i) => found.mode & (0o400 >> i) ? letter : "-").join("");
  return (found.isDirectory ? "d" : found.isSymbolicLink ? "l" : "-") + bits;
}

function report(ctx: Context, name: string, found: FsStat, link: string): string {
  const format = `  File: %n${link === "" ? "" : ` -> ${link}`}
  Size: %-15s Blocks: %-10b IO Block: %o   %F
Device: %d\tInode: %-11i Links: %h
Access: (0%a/%A)  Uid: ( %u/%8U)   Gid: ( %g/%8G)
Access: %x
Modify: %y
Change: %z
`;
  return fill(ctx, format, name, found, link);
}

export const commands = [stat];
