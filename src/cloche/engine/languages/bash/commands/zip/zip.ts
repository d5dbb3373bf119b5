/** zip and unzip. */
import { strftime } from "../../text/strftime.ts";
import {
  asCommandError,
  bytesResult,
  checkInterrupt,
  CommandError,
  type Context,
  defineCommand,
  type Options,
  pathOf,
  readFile,
  readOptions,
  stdinOf,
  textResult,
} from "../command.ts";
import { fromArray } from "../../text/byte_strings.ts";
import { type Listed, listZip, packZip, unpackEntry, type ZipMember } from "./zip_format.ts";

function matcher(patterns: string[]): (name: string) => boolean {
  const tests = patterns.map((pattern) => {
    const source = pattern.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
    return new RegExp(`^${source}$`);
  });
  return (name) => tests.some((test) => test.test(name));
}

const zip = defineCommand("zip", async (args, ctx) => {
  const exclusion = args.indexOf("-x");
  const words = exclusion < 0 ? args : args.slice(0, exclusion);
  const excluded = matcher(exclusion < 0 ? [] : args.slice(exclusion + 1));
  const given = readOptions(words, "rqj0123456789umDo@dTyXv", {
    "recurse-paths": "r",
    quiet: "q",
    "junk-paths": "j",
    move: "m",
  });
  const [target, ...paths] = given.rest;
  if (target === undefined) throw new CommandError("nothing to do: no archive named", 16);
  const archive = target === "-" || /\.\w+$/.test(target) ? target : `${target}.zip`;
  if (given.has("@")) paths.push(...stdinOf(ctx).split("\n").filter(Boolean));
  const entries = new Map((await existing(ctx, archive)).map((entry) => [entry.name, entry]));
  const report: string[] = [];
  if (given.has("d")) {
    const gone = matcher(paths);
    for (const name of [...entries.keys()].filter(gone)) {
      entries.delete(name);
      report.push(`deleting: ${name}\n`);
    }
  } else {
    for (const path of paths) await collect(ctx, path, given, excluded, entries, report);
    if (report.length === 0) return bytesResult("", 12, `\nzip error: Nothing to do! (${archive})\n`);
  }
  const packed = await packZip([...entries.values()], given.has("0"));
  if (archive === "-") return bytesResult(fromArray(packed));
  await ctx.fs.writeFile(pathOf(ctx, archive), packed);
  if (given.has("m")) { for (const path of paths) await ctx.fs.rm(pathOf(ctx, path), { recursive: true }); }
  return textResult(given.has("q") ? "" : report.map((line) => `  ${line}`).join(""));
});

async function existing(ctx: Context, archive: string): Promise<ZipMember[]> {
  if (archive === "-" || !await ctx.fs.exists(pathOf(ctx, archive))) return [];
  const data = await readFile(ctx, archive);
  const entries: ZipMember[] = [];
  for (const listed of listZip(data)) entries.push({ ...listed, data: await unpackEntry(data, listed) });
  return entries;
}

async function collect(
  ctx: Context,
  path: string,
  given: Options,
  excluded: (name: string) => boolean,
  entries: Map<string, ZipMember>,
  report: string[],
): Promise<void> {
  checkInterrupt(ctx);
  const whole = pathOf(ctx, path);
  const stat = await ctx.fs.stat(whole).catch(() => undefined);
  if (!stat) {
    report.push(`zip warning: name not matched: ${path}\n`);
    return;
  }
  const plain = path.replace(/^(\.\/)+|^\/+/g, "").replace(/\/+$/, "");
  const name = (given.has("j") ? plain.split("/").at(-1) ?? "" : plain) + (stat.isDirectory ? "/" : "");
  if (excluded(name)) return;
  const { mtime, mode } = stat;
  const skipsFolder = given.has("j") || given.has("D") || plain === "" || plain === ".";
  if (!stat.isDirectory || !skipsFolder) {
    const data = stat.isDirectory ? new Uint8Array() : Uint8Array.from(await ctx.fs.readFileBuffer(whole));
    report.push(`${entries.has(name) ? "updating" : "  adding"}: ${name}\n`);
    entries.set(name, { name, data, mtime, mode });
  }
  if (!stat.isDirectory || !given.has("r")) return;
  for (const child of (await ctx.fs.readdir(whole)).sort()) {
    await collect(ctx, `${path.replace(/\/+$/, "")}/${child}`, given, excluded, entries, report);
  }
}

const unzip = defineCommand("unzip", async (args, ctx) => {
  const exclusion = args.indexOf("-x");
  const words = exclusion < 0 ? args : args.slice(0, exclusion);
  const given = readOptions(words, "lqod:npjtvZ1uCaL");
  const [name, ...patterns] = given.rest;
  if (name === undefined) throw new CommandError("usage: unzip [-lqonptj] [-d folder] archive [names]", 10);
  const archive = await ctx.fs.exists(pathOf(ctx, name)) ? name : `${name}.zip`;
  const data = await readFile(ctx, archive).catch(() => {
    throw new CommandError(`cannot find or open ${name}, ${name}.zip or ${name}.ZIP.`, 9);
  });
  const wanted = patterns.length > 0 ? matcher(patterns) : () => true;
  const unwanted = matcher(exclusion < 0 ? [] : args.slice(exclusion + 1).filter((word) => word !== "-d"));
  const entries = listZip(data).filter((entry) => wanted(entry.name) && !unwanted(entry.name));
  if (entries.length === 0 && patterns.length > 0) {
    return bytesResult("", 11, `caution: filename not matched:  ${patterns[0]}\n`);
  }
  if (given.has("Z") || given.has("1")) return textResult(entries.map((entry) => entry.name + "\n").join(""));
  if (given.has("l") || given.has("v")) return textResult(listing(archive, entries));
  if (given.has("p")) {
    const parts: string[] = [];
    for (const entry of entries) parts.push(fromArray(await unpackEntry(data, entry)));
    return bytesResult(parts.join(""));
  }
  if (given.has("t")) {
    for (const entry of entries) await unpackEntry(data, entry);
    return textResult(`No errors detected in compressed data of ${archive}.\n`);
  }
  return await extract(ctx, archive, data, entries, given);
});

function listing(archive: string, entries: Listed[]): string {
  const rows = entries.map((entry) =>
    `${String(entry.size).padStart(9)}  ${strftime("%Y-%m-%d %H:%M", entry.mtime)}   ${entry.name}\n`
  );
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  const count = `${entries.length} file${entries.length === 1 ? "" : "s"}`;
  return `Archive:  ${archive}\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n${
    rows.join("")
  }` +
    `---------                     -------\n${String(total).padStart(9)}                     ${count}\n`;
}

async function extract(ctx: Context, archive: string, data: Uint8Array, entries: Listed[], given: Options) {
  const folder = given.get("d") ?? ".";
  let report = `Archive:  ${archive}\n`;
  let warning = "";
  for (const entry of entries) {
    checkInterrupt(ctx);
    const parts = entry.name.split("/").filter((part) => part !== "" && part !== ".");
    if (parts.includes("..")) {
      warning += `warning: skipped "../" path component in ${entry.name}\n`;
      continue;
    }
    const name = `${folder}/${given.has("j") ? parts.at(-1) : parts.join("/")}`.replace(/^\.\//, "");
    const path = pathOf(ctx, name);
    if (entry.name.endsWith("/")) {
      if (given.has("j")) continue;
      if (!await ctx.fs.exists(path)) report += `   creating: ${name}/\n`;
      await ctx.fs.mkdir(path, { recursive: true });
      continue;
    }
    if (!given.has("o") && await ctx.fs.exists(path)) {
      if (!given.has("n")) warning += `unzip: ${name} exists; use -o to replace it\n`;
      continue;
    }
    const content = await unpackEntry(data, entry);
    try {
      await ctx.fs.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
      await ctx.fs.writeFile(path, content);
      if (entry.mode & 0o7777) await ctx.fs.chmod(path, entry.mode & 0o7777);
    } catch (error) {
      throw asCommandError(error, name);
    }
    report += `  inflating: ${name}\n`;
  }
  return textResult(given.has("q") ? "" : report, warning === "" ? 0 : 1, warning);
}

export const commands = [zip, unzip];
