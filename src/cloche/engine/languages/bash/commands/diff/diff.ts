/** diff (normal, unified, brief, recursive) and cmp. */
import { decodeText } from "../../text/byte_strings.ts";
import { strftime } from "../../text/strftime.ts";
import {
  bytesResult,
  CommandError,
  type Context,
  defineCommand,
  type Options,
  pathOf,
  readInput,
  readOptions,
  textResult,
} from "../command.ts";
import { type Change, diffLines } from "./line_diff.ts";
import { type FileLines, renderHunks, renderLines, splitLines } from "./unified_hunks.ts";

const LONG = {
  unified: "u",
  brief: "q",
  recursive: "r",
  "new-file": "N",
  "ignore-case": "i",
  "ignore-all-space": "w",
  "ignore-space-change": "b",
  "ignore-blank-lines": "B",
  "report-identical-files": "s",
  text: "a",
  label: "L",
  color: "1",
  "strip-trailing-cr": "2",
  exclude: "x",
  minimal: "d",
  normal: "3",
  "no-dereference": "4",
};

/** The lines of a file; the last is marked if it has no end. */
interface Side extends FileLines {
  name: string;
  stamp: string;
}

const diff = defineCommand("diff", async (args, ctx) => {
  const given = readOptions(args.map((arg) => arg.replace(/^-u?(\d+)$/, "-U$1")), "uU:qrNiwbBsaL:x:1234dp", LONG);
  const [first, second, ...more] = given.rest;
  if (second === undefined) throw new CommandError(`missing operand after '${first ?? "diff"}'`, 2);
  if (more.length > 0) throw new CommandError(`extra operand '${more[0]}'`, 2);
  try {
    const text = await compare(ctx, given, first, second);
    return textResult(text, text === "" || text.startsWith("Files ") && text.endsWith(" are identical\n") ? 0 : 1);
  } catch (error) {
    if (error instanceof CommandError) throw new CommandError(error.message, 2);
    throw error;
  }
});

async function compare(ctx: Context, given: Options, first: string, second: string, prefix = ""): Promise<string> {
  const kinds = await Promise.all([kindOf(ctx, first), kindOf(ctx, second)]);
  const base = (path: string) => path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  if (kinds[0] === "directory" && kinds[1] === "directory") return await compareFolders(ctx, given, first, second);
  if (kinds[0] === "directory") return await compare(ctx, given, `${first}/${base(second)}`, second, prefix);
  if (kinds[1] === "directory") return await compare(ctx, given, first, `${second}/${base(first)}`, prefix);
  const empty = given.has("N");
  const [a, b] = await Promise.all([side(ctx, first, empty), side(ctx, second, empty)]);
  const changes = changesOf(a, b, given);
  if (changes.length === 0) return given.has("s") ? `Files ${first} and ${second} are identical\n` : "";
  if (given.has("q")) return `Files ${first} and ${second} differ\n`;
  if ([...a.lines, ...b.lines].some((line) => line.includes("\0")) && !given.has("a")) {
    return `Binary files ${first} and ${second} differ\n`;
  }
  const context = given.has("U") ? given.number("U", 3) : given.has("u") ? 3 : undefined;
  const [labelA, labelB] = given.all("L");
  const names: [string, string] = [labelA ?? `${first}\t${a.stamp}`, labelB ?? `${second}\t${b.stamp}`];
  if (context === undefined) return prefix + normal(a, b, changes);
  return `${prefix}--- ${names[0]}\n+++ ${names[1]}\n${renderHunks([a, b], changes, context)}`;
}

async function kindOf(ctx: Context, path: string): Promise<string> {
  if (path === "-" || path.startsWith("/dev/")) return "file";
  const stat = await ctx.fs.stat(pathOf(ctx, path)).catch(() => undefined);
  return stat === undefined ? "none" : stat.isDirectory ? "directory" : "file";
}

async function side(ctx: Context, name: string, empty: boolean): Promise<Side> {
  if (empty && await kindOf(ctx, name) === "none") {
    return { name, lines: [], open: false, stamp: stampOf(new Date(0)) };
  }
  const text = decodeText(await readInput(ctx, name));
  const stat = name === "-" ? undefined : await ctx.fs.stat(pathOf(ctx, name)).catch(() => undefined);
  return { name, ...splitLines(text), stamp: stampOf(stat?.mtime ?? new Date()) };
}

function stampOf(date: Date): string {
  return strftime("%Y-%m-%d %H:%M:%S.%N %z", date);
}

function changesOf(a: Side, b: Side, given: Options): Change[] {
  const key = (line: string, last: boolean) => {
    let text = given.has("2") ? line.replace(/\r$/, "") : line;
    if (given.has("w")) text = text.replace(/\s+/g, "");
    else if (given.has("b")) text = text.replace(/\s+/g, " ").trimEnd();
    if (given.has("i")) text = text.toLowerCase();
    return last ? text + "\0" : text;
  };
  const keys = ({ lines, open }: Side) => lines.map((line, i) => key(line, open && i === lines.length - 1));
  const changes = diffLines(keys(a), keys(b));
  if (!given.has("B")) return changes;
  const blank = ({ lines }: Side, [start, end]: [number, number]) =>
    lines.slice(start, end).every((line) => line === "");
  return changes.filter((change) => !(blank(a, change.from) && blank(b, change.to)));
}

function normal(a: Side, b: Side, changes: Change[]): string {
  const range = ([start, end]: [number, number]) => end - start <= 1 ? `${end}` : `${start + 1},${end}`;
  return changes.map(({ from, to }) => {
    const kind = from[0] === from[1] ? "a" : to[0] === to[1] ? "d" : "c";
    const middle = kind === "c" ? "---\n" : "";
    return `${range(from)}${kind}${range(to)}\n${renderLines("< ", a, from)}${middle}${renderLines("> ", b, to)}`;
  }).join("");
}

async function compareFolders(ctx: Context, given: Options, first: string, second: string): Promise<string> {
  const list = async (path: string) => await ctx.fs.readdir(pathOf(ctx, path));
  const [a, b] = [await list(first), await list(second)];
  const skipped = given.all("x").map((pattern) =>
    new RegExp(`^${pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".")}$`)
  );
  const names = [...new Set([...a, ...b])].sort().filter((name) => !skipped.some((pattern) => pattern.test(name)));
  let text = "";
  for (const name of names) {
    const paths = [`${first}/${name}`, `${second}/${name}`];
    const only = !a.includes(name) ? second : !b.includes(name) ? first : undefined;
    if (only !== undefined && !given.has("N")) {
      text += `Only in ${only}: ${name}\n`;
      continue;
    }
    const folders = (await Promise.all(paths.map((path) => kindOf(ctx, path)))).filter((kind) => kind === "directory");
    if (folders.length === 2 && !given.has("r")) text += `Common subdirectories: ${paths[0]} and ${paths[1]}\n`;
    else if (folders.length === 1 && only === undefined) {
      text += `File ${paths[0]} and file ${paths[1]} are of different kinds\n`;
    } else if (folders.length !== 1) {
      text += await compare(ctx, given, paths[0], paths[1], `diff${flagsOf(given)} ${paths[0]} ${paths[1]}\n`);
    }
  }
  return text;
}

function flagsOf(given: Options): string {
  const letters = [..."ruNiwbB"].filter((letter) => given.has(letter)).join("");
  return letters === "" ? "" : ` -${letters}`;
}

const cmp = defineCommand("cmp", async (args, ctx) => {
  const given = readOptions(args, "slbi:n:", {
    silent: "s",
    quiet: "s",
    verbose: "l",
    bytes: "n",
    "print-bytes": "b",
    "ignore-initial": "i",
  });
  const [first, second = "-"] = given.rest;
  if (first === undefined) throw new CommandError("missing operand", 2);
  const skip = given.number("i", 0);
  const size = given.number("n", Infinity);
  const read = async (path: string) => {
    try {
      return (await readInput(ctx, path)).slice(skip, skip + size);
    } catch (error) {
      if (error instanceof CommandError) throw new CommandError(error.message, 2);
      throw error;
    }
  };
  const [a, b] = [await read(first), await read(second)];
  if (a === b) return bytesResult("");
  if (given.has("s")) return bytesResult("", 1);
  const shared = Math.min(a.length, b.length);
  const places: number[] = [];
  for (let i = 0; i < shared && (given.has("l") || places.length === 0); i++) if (a[i] !== b[i]) places.push(i);
  const octal = (text: string, i: number) => text.charCodeAt(i).toString(8).padStart(3);
  const width = String(shared).length;
  const end = places.length === 0 || given.has("l") && a.length !== b.length
    ? `cmp: EOF on ${a.length < b.length ? first : second} after byte ${shared}\n`
    : "";
  if (given.has("l")) {
    return bytesResult(
      places.map((i) => `${String(i + 1).padStart(width)} ${octal(a, i)} ${octal(b, i)}\n`).join(""),
      1,
      end,
    );
  }
  if (places.length === 0) {
    return bytesResult("", 1, end.replace("\n", `, in line ${a.slice(0, shared).split("\n").length}\n`));
  }
  const [at] = places;
  const line = a.slice(0, at).split("\n").length;
  return bytesResult(`${first} ${second} differ: byte ${at + 1}, line ${line}\n`, 1);
});

export const commands = [diff, cmp];
