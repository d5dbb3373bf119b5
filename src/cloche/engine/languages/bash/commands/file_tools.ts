/** mktemp, install, realpath, truncate, dd, unlink, ps. */
import { fromArray, toArray } from "../text/byte_strings.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { emptyResult } from "../just_bash/results.ts";
import { deviceBytes, endlessDevice } from "../just_bash/devices.ts";
import {
  asCommandError,
  bytesResult,
  CommandError,
  type Context,
  defineCommand,
  pathOf,
  readFile,
  readOptions,
  sizeOf,
  stdinOf,
  textResult,
} from "./command.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

const mktemp = defineCommand("mktemp", async (args, ctx) => {
  const given = readOptions(args, "dqutp:", { directory: "d", "dry-run": "u", tmpdir: "p", quiet: "q" });
  const template = given.rest[0] ?? "tmp.XXXXXXXXXX";
  const marks = template.match(/X{3,}(?=[^X]*$)/);
  if (!marks) throw new CommandError(`too few X's in template '${template}'`);
  const inTmp = given.rest[0] === undefined || given.has("t") || given.has("p");
  const folder = inTmp ? given.get("p") || ctx.env.get("TMPDIR") || "/tmp" : "";
  const random = Array.from(
    crypto.getRandomValues(new Uint8Array(marks[0].length)),
    (byte) => LETTERS[byte % LETTERS.length],
  );
  const name = template.slice(0, marks.index) + random.join("") + template.slice((marks.index ?? 0) + marks[0].length);
  const shown = folder === "" ? name : `${folder.replace(/\/$/, "")}/${name}`;
  const path = pathOf(ctx, shown);
  try {
    if (given.has("u")) return textResult(shown + "\n");
    if (given.has("d")) await ctx.fs.mkdir(path);
    else await ctx.fs.writeFile(path, "");
    await ctx.fs.chmod(path, given.has("d") ? 0o700 : 0o600);
  } catch (error) {
    throw asCommandError(error, `failed to create file via template '${shown}'`);
  }
  return textResult(shown + "\n");
});

const install = defineCommand("install", async (args, ctx) => {
  const given = readOptions(args, "dDm:o:g:t:vpcCT", {
    directory: "d",
    mode: "m",
    "target-directory": "t",
    owner: "o",
    group: "g",
    verbose: "v",
  });
  const mode = parseInt(given.get("m") ?? "755", 8);
  if (Number.isNaN(mode)) throw new CommandError(`invalid mode '${given.get("m")}'`);
  if (given.has("d")) {
    for (const folder of given.rest) await ctx.fs.mkdir(pathOf(ctx, folder), { recursive: true });
    return emptyResult(0);
  }
  const sources = [...given.rest];
  const target = given.get("t") ?? sources.pop();
  if (target === undefined || sources.length === 0) throw new CommandError("missing file operand");
  const whole = pathOf(ctx, target);
  const isFolder = (await ctx.fs.stat(whole).catch(() => undefined))?.isDirectory ?? given.has("t");
  for (const source of sources) {
    const data = await readFile(ctx, source);
    const path = isFolder ? `${whole}/${source.split("/").at(-1)}` : whole;
    if (given.has("D")) await ctx.fs.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
    try {
      await ctx.fs.writeFile(path, data);
      await ctx.fs.chmod(path, mode);
    } catch (error) {
      throw asCommandError(error, `cannot create regular file '${target}'`);
    }
  }
  return emptyResult(0);
});

const realpath = defineCommand("realpath", async (args, ctx) => {
  const given = readOptions(args, "emsqzLPr:", {
    "canonicalize-existing": "e",
    "canonicalize-missing": "m",
    "no-symlinks": "s",
    strip: "s",
    quiet: "q",
    "relative-to": "r",
  });
  const relative = given.get("r");
  let out = "";
  let errors = "";
  for (const name of given.rest) {
    const path = pathOf(ctx, name);
    const folder = path.slice(0, path.lastIndexOf("/")) || "/";
    const exists = await ctx.fs.exists(path);
    if (!exists && !given.has("m") && (given.has("e") || !await ctx.fs.exists(folder))) {
      errors += `realpath: ${name}: No such file or directory\n`;
      continue;
    }
    const real = given.has("s") || !exists ? path : await ctx.fs.realpath(path);
    out += `${relative === undefined ? real : relativeTo(pathOf(ctx, relative), real)}${given.has("z") ? "\0" : "\n"}`;
  }
  if (given.rest.length === 0) throw new CommandError("missing operand");
  return textResult(out, errors === "" ? 0 : 1, given.has("q") ? "" : errors);
});

function relativeTo(base: string, path: string): string {
  const [from, to] = [base, path].map((item) => item.split("/").filter(Boolean));
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared++;
  return [...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/") || ".";
}

const truncate = defineCommand("truncate", async (args, ctx) => {
  const given = readOptions(args, "s:cor:", { size: "s", "no-create": "c", reference: "r" });
  const word = given.get("s");
  const reference = given.get("r");
  if (word === undefined && reference === undefined) {
    throw new CommandError("you must specify either '--size' or '--reference'");
  }
  for (const name of given.rest) {
    const path = pathOf(ctx, name);
    const exists = await ctx.fs.exists(path);
    if (!exists && given.has("c")) continue;
    const data = exists ? await readFile(ctx, name) : new Uint8Array();
    const size = reference === undefined
      ? resize(word ?? "", data.length)
      : (await ctx.fs.stat(pathOf(ctx, reference))).size;
    const changed = new Uint8Array(size);
    changed.set(data.subarray(0, size));
    await ctx.fs.writeFile(path, changed);
  }
  return emptyResult(0);
});

function resize(word: string, size: number): number {
  const amount = sizeOf(word.replace(/^[-+<>\/%]/, ""));
  const change: Record<string, number> = {
    "+": size + amount,
    "-": Math.max(0, size - amount),
    "<": Math.min(size, amount),
    ">": Math.max(size, amount),
  };
  return change[word[0]] ?? amount;
}

const dd = defineCommand("dd", async (args, ctx) => {
  const given = new Map(args.map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]));
  const block = sizeOf(given.get("bs") ?? given.get("ibs") ?? "512");
  const count = given.has("count") ? sizeOf(given.get("count") ?? "0") : undefined;
  const wanted = count === undefined ? undefined : count * block;
  const skip = sizeOf(given.get("skip") ?? "0") * block;
  const source = given.get("if");
  const endless = source === undefined ? undefined : endlessDevice(source);
  if (endless !== undefined && wanted === undefined) throw new CommandError("an endless input needs count=");
  const all = endless !== undefined
    ? deviceBytes(endless, wanted ?? 0)
    : source === undefined
    ? toArray(stdinOf(ctx))
    : await readFile(ctx, source);
  const from = endless === undefined ? skip : 0;
  const data = all.subarray(from, wanted === undefined ? undefined : from + wanted);
  const written = await store(ctx, given, data, block);
  const blocks = `${Math.floor(data.length / block)}+${data.length % block > 0 ? 1 : 0} records`;
  const report = given.get("status") === "none" ? "" : `${blocks} in\n${blocks} out\n${data.length} bytes copied\n`;
  return bytesResult(written, 0, report);
});

async function store(ctx: Context, given: Map<string, string>, data: Uint8Array, block: number): Promise<string> {
  const target = given.get("of");
  if (target === undefined) return fromArray(data);
  const path = pathOf(ctx, target);
  const seek = sizeOf(given.get("seek") ?? "0") * block;
  const keeps = given.get("conv")?.includes("notrunc") ?? false;
  const exists = (seek > 0 || keeps) && await ctx.fs.exists(path);
  const old = exists ? await readFile(ctx, target) : new Uint8Array();
  const head = new Uint8Array(seek);
  head.set(old.subarray(0, seek));
  try {
    await ctx.fs.writeFile(
      path,
      concatBytes([head, data, keeps ? old.subarray(seek + data.length) : new Uint8Array()]),
    );
  } catch (error) {
    throw asCommandError(error, `failed to open '${target}'`);
  }
  return "";
}

const unlink = defineCommand("unlink", async (args, ctx) => {
  const [name] = args;
  if (name === undefined) throw new CommandError("missing operand");
  try {
    await ctx.fs.rm(pathOf(ctx, name));
  } catch (error) {
    throw asCommandError(error, `cannot unlink '${name}'`);
  }
  return emptyResult(0);
});

const link = defineCommand("link", async (args, ctx) => {
  const [from, to] = args;
  if (to === undefined) throw new CommandError("missing operand");
  try {
    await ctx.fs.link(pathOf(ctx, from), pathOf(ctx, to));
  } catch (error) {
    throw asCommandError(error, `cannot create link '${to}' to '${from}'`);
  }
  return emptyResult(0);
});

export const commands = [mktemp, install, realpath, truncate, dd, unlink, link];
