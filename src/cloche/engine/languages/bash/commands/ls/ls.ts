/** ls. */
import type { FsStat } from "just-bash";
import { quoteBackslash } from "../../shell/expansion/quote.ts";
import { strftime } from "../../text/strftime.ts";
import { type Paint, painterFor } from "./colors.ts";
import {
  bytesResult,
  checkInterrupt,
  type Context,
  defineCommand,
  type Options,
  pathOf,
  readOptions,
  textResult,
} from "../command.ts";

const LONG = {
  all: "a",
  "almost-all": "A",
  "human-readable": "h",
  recursive: "R",
  directory: "d",
  reverse: "r",
  classify: "F",
  inode: "i",
  size: "s",
  "file-type": "p",
  "numeric-uid-gid": "n",
  "no-group": "G",
  "full-time": "T",
  "group-directories-first": "D",
  "dereference": "L",
  "quoting-style": "Q",
};
const HALF_YEAR_MS = 182 * 86_400_000;

export interface Item {
  name: string;
  stat: FsStat;
  link: string | undefined;
}

const ls = defineCommand("ls", async (args, ctx) => {
  const paint = painterFor(args, ctx);
  const words = args.filter((arg) =>
    !/^--(color|colour|time-style|sort|format|indicator-style|hide|ignore)(=|$)/.test(arg)
  );
  const given = readOptions(words, "aAlhR1dtrSFispngGoXcuCxmUvkLHQTD", LONG);
  if (args.some((arg) => arg === "--sort=time")) given.add("t", "");
  if (args.some((arg) => arg === "--sort=size")) given.add("S", "");
  const names = given.rest.length > 0 ? given.rest : ["."];
  const files: Item[] = [];
  const folders: string[] = [];
  let errors = "";
  for (const name of names) {
    const item = await look(ctx, name, name, given);
    if (!item) errors += `ls: cannot access '${name}': No such file or directory\n`;
    else if (await isFolder(ctx, name, item, given)) folders.push(name);
    else files.push(item);
  }
  const blocks: string[] = [];
  if (files.length > 0) blocks.push(render(order(files, given), given, ctx, paint));
  const titled = names.length > 1 || given.has("R");
  for (const folder of folders.sort()) blocks.push(...await list(ctx, folder, given, titled, paint));
  const code = errors === "" ? 0 : 2;
  return blocks.length === 0 ? bytesResult("", code, errors) : textResult(blocks.join("\n"), code, errors);
});

async function isFolder(ctx: Context, name: string, { stat }: Item, given: Options): Promise<boolean> {
  if (given.has("d")) return false;
  if (!stat.isSymbolicLink || given.has("l") && !name.endsWith("/")) return stat.isDirectory;
  return (await ctx.fs.stat(pathOf(ctx, name)).catch(() => undefined))?.isDirectory ?? false;
}

async function look(ctx: Context, path: string, name: string, given: Options): Promise<Item | undefined> {
  const whole = pathOf(ctx, path);
  const follow = given.has("L") || given.has("H") || path.endsWith("/");
  const stat = await (follow ? ctx.fs.stat(whole) : ctx.fs.lstat(whole)).catch(() => undefined);
  if (!stat) return undefined;
  const link = stat.isSymbolicLink ? await ctx.fs.readlink(whole).catch(() => "?") : undefined;
  return { name, stat, link };
}

async function list(
  ctx: Context,
  folder: string,
  given: Options,
  titled: boolean,
  paint: Paint,
): Promise<string[]> {
  checkInterrupt(ctx);
  const base = folder.replace(/\/+$/, "") || "/";
  const all = given.has("a");
  const children = (await ctx.fs.readdir(pathOf(ctx, folder))).filter((name) =>
    all || given.has("A") || !name.startsWith(".")
  );
  const names = all ? [".", "..", ...children] : children;
  const looked = await Promise.all(names.map((name) => look(ctx, `${base}/${name}`, name, given)));
  const items = order(looked.filter((item) => item !== undefined), given);
  const total = given.has("l") || given.has("s") || given.has("n") || given.has("g") || given.has("o")
    ? `total ${items.reduce((sum, { stat }) => sum + blocksOf(stat), 0)}\n`
    : "";
  const blocks = [(titled ? `${folder}:\n` : "") + total + render(items, given, ctx, paint)];
  if (!given.has("R")) return blocks;
  for (const { name, stat } of items) {
    if (stat.isDirectory && name !== "." && name !== "..") {
      blocks.push(...await list(ctx, `${base === "/" ? "" : base}/${name}`, given, titled, paint));
    }
  }
  return blocks;
}

function order(items: Item[], given: Options): Item[] {
  if (given.has("U")) return items;
  const byName = (a: Item, b: Item) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
  const extension = (name: string) => name.includes(".", 1) ? name.slice(name.lastIndexOf(".")) : "";
  const sorted = [...items].sort((a, b) => {
    if (given.has("D") && a.stat.isDirectory !== b.stat.isDirectory) return a.stat.isDirectory ? -1 : 1;
    const sign = given.has("r") ? -1 : 1;
    if (given.has("t")) return sign * (b.stat.mtime.getTime() - a.stat.mtime.getTime() || byName(a, b));
    if (given.has("S")) return sign * (b.stat.size - a.stat.size || byName(a, b));
    if (given.has("X")) {
      return sign *
        (extension(a.name) < extension(b.name) ? -1 : extension(a.name) > extension(b.name) ? 1 : byName(a, b));
    }
    return sign * byName(a, b);
  });
  return sorted;
}

function render(items: Item[], given: Options, ctx: Context, paint: Paint): string {
  const inode = (stat: FsStat) => given.has("i") ? `${stat.ino ?? 0} ` : "";
  const blocks = (stat: FsStat) => given.has("s") ? `${blocksOf(stat)} ` : "";
  const named = (item: Item) => paint(item, given.has("Q") ? quoteBackslash(item.name) : item.name);
  const shown = (item: Item) => named(item) + mark(item, given);
  if (!(given.has("l") || given.has("n") || given.has("g") || given.has("o"))) {
    if (given.has("m")) return items.map(shown).join(", ") + (items.length > 0 ? "\n" : "");
    return items.map((item) => `${inode(item.stat)}${blocks(item.stat)}${shown(item)}\n`).join("");
  }
  const user = given.has("n") ? "1000" : ctx.env.get("USER") || "user";
  const sizes = items.map(({ stat }) => given.has("h") ? human(stat.size) : String(stat.size));
  const width = Math.max(...sizes.map((size) => size.length), 0);
  return items.map((item, i) => {
    const { stat, link } = item;
    const owner = given.has("g") ? "" : `${user} `;
    const group = given.has("o") || given.has("G") ? "" : `${user} `;
    const arrow = link === undefined ? "" : ` -> ${link}`;
    return `${inode(stat)}${blocks(stat)}${modeOf(stat)} ${stat.isDirectory ? 2 : 1} ${owner}${group}${
      sizes[i].padStart(width)
    } ` +
      `${when(stat.mtime, given)} ${paint(item, item.name)}${link === undefined ? mark(item, given) : arrow}\n`;
  }).join("");
}

function mark({ stat }: Item, given: Options): string {
  if (stat.isDirectory) return given.has("F") || given.has("p") ? "/" : "";
  if (!given.has("F")) return "";
  return stat.isSymbolicLink ? "@" : stat.mode & 0o111 ? "*" : "";
}

function when(date: Date, given: Options): string {
  if (given.has("T")) return strftime("%Y-%m-%d %H:%M:%S.%N %z", date);
  const recent = Math.abs(Date.now() - date.getTime()) < HALF_YEAR_MS;
  return strftime(recent ? "%b %e %H:%M" : "%b %e  %Y", date);
}

function modeOf({ mode, isDirectory, isSymbolicLink }: FsStat): string {
  const letters = [..."rwxrwxrwx"].map((letter, i) => mode & (0o400 >> i) ? letter : "-").join("");
  return (isDirectory ? "d" : isSymbolicLink ? "l" : "-") + (isSymbolicLink ? "rwxrwxrwx" : letters);
}

function blocksOf({ size, isDirectory }: FsStat): number {
  return isDirectory ? 4 : Math.ceil(size / 4096) * 4;
}

function human(size: number): string {
  if (size < 1024) return String(size);
  let value = size;
  let unit = "";
  for (const next of "KMGT") {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return (value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : String(Math.ceil(value))) + unit;
}

export const commands = [ls];
