/** unzip. */
import { strftime } from "../../../text/strftime.ts";
import type { Command } from "../../processes/command.ts";
import { defineFileTool, type FileTool } from "../files/file_tool.ts";
import { attempt, dirName } from "../files/paths.ts";
import { CommandError } from "../tool/errors.ts";
import { matchNames, shareOf, splitExclusions } from "./zip.ts";
import { LINK, type Listed, listZip, unpackEntry } from "./zip_format.ts";

const USAGE = {
  letters: "lqod:npjtvZ1u",
  code: 10,
  synopsis: "[-lqonptjv] ZIPFILE [FILE]... [-x PATTERN...] [-d FOLDER]",
};
const NO_MATCH = 11;
/** Names are padded to this, as columns. */
const NAME_WIDTH = 22;

/** -d may come after -x. */
function moveFolder(args: string[]): string[] {
  const [words, patterns] = splitExclusions(args);
  const at = patterns.indexOf("-d");
  return at < 0 ? words : [...words, ...patterns.slice(at, at + 2)];
}

export const unzip: Command = defineFileTool("unzip", USAGE, async (tool) => {
  const { given, context } = tool;
  const [name, ...patterns] = given.operands;
  if (name === undefined) throw new CommandError(`usage: unzip ${USAGE.synopsis}`, USAGE.code);
  const archive = tool.findStat(name) ? name : `${name}.zip`;
  const data = attempt(() => tool.files.readFile(tool.path(archive)));
  if (!data) throw new CommandError(` cannot find or open ${name}, ${name}.zip or ${name}.ZIP.`, 9);
  const [, after] = splitExclusions(context.argv.slice(1));
  const folder = after.indexOf("-d");
  const unwanted = matchNames(folder < 0 ? after : after.toSpliced(folder, 2));
  const wanted = patterns.length > 0 ? matchNames(patterns) : () => true;
  const all = listZip(data);
  const entries = all.filter((entry) => wanted(entry.name) && !unwanted(entry.name));
  const quiet = given.has("q");
  const missing = patterns.filter((pattern) => !all.some((entry) => matchNames([pattern])(entry.name)));
  if (given.has("Z") || given.has("1")) { for (const entry of entries) tool.print(`${entry.name}\n`); }
  else if (given.has("v")) listLong(tool, archive, entries);
  else if (given.has("l")) listShort(tool, archive, entries);
  else if (given.has("p")) {
    for (const entry of entries) await context.fds.get(1).write(await unpackEntry(data, entry));
  } else if (given.has("t")) await test(tool, archive, data, entries, quiet);
  else {
    if (!quiet) tool.print(`Archive:  ${archive}\n`);
    const links: string[] = [];
    for (const entry of entries) await extract(tool, data, entry, links);
    if (links.length > 0 && !quiet) tool.print(`finishing deferred symbolic links:\n${links.join("")}`);
  }
  for (const pattern of missing) tool.say(`caution: filename not matched:  ${pattern}`);
  return missing.length > 0 ? NO_MATCH : tool.code;
}, moveFolder);

function timeOf({ mtime }: Listed): string {
  return strftime("%Y-%m-%d %H:%M", mtime);
}

function countOf(entries: Listed[]): string {
  return `${entries.length} file${entries.length === 1 ? "" : "s"}`;
}

function listShort(tool: FileTool, archive: string, entries: Listed[]): void {
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  const number = (value: number) => String(value).padStart(9);
  if (!tool.given.has("q")) tool.print(`Archive:  ${archive}\n`);
  tool.print(`  Length      Date    Time    Name\n---------  ---------- -----   ----\n`);
  for (const entry of entries) tool.print(`${number(entry.size)}  ${timeOf(entry)}   ${entry.name}\n`);
  tool.print(`---------                     -------\n${number(total)}                     ${countOf(entries)}\n`);
}

function listLong(tool: FileTool, archive: string, entries: Listed[]): void {
  const sum = (key: "size" | "packed") => entries.reduce((total, entry) => total + entry[key], 0);
  const [size, packed] = [sum("size"), sum("packed")];
  const share = (whole: number, part: number) => `${String(shareOf(whole, part)).padStart(3)}%`;
  tool.print(`Archive:  ${archive}\n Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n`);
  tool.print("--------  ------  ------- ---- ---------- ----- --------  ----\n");
  for (const entry of entries) {
    const method = entry.method === 0 ? "Stored" : "Defl:N";
    const crc = entry.crc.toString(16).padStart(8, "0");
    tool.print(
      `${String(entry.size).padStart(8)}  ${method}  ${String(entry.packed).padStart(7)} ${
        share(entry.size, entry.packed)
      } ${timeOf(entry)} ${crc}  ${entry.name}\n`,
    );
  }
  tool.print("--------          -------  ---                            -------\n");
  tool.print(
    `${String(size).padStart(8)}         ${String(packed).padStart(8)} ${
      share(size, packed)
    }                            ${countOf(entries)}\n`,
  );
}

async function test(tool: FileTool, archive: string, data: Uint8Array, entries: Listed[], quiet: boolean) {
  if (!quiet) tool.print(`Archive:  ${archive}\n`);
  for (const entry of entries) {
    await tool.attend();
    await unpackEntry(data, entry);
    if (!quiet) tool.print(`    testing: ${entry.name.padEnd(NAME_WIDTH)}   OK\n`);
  }
  tool.print(`No errors detected in compressed data of ${archive}.\n`);
}

/** Takes out one entry; what is said of links at the end is put into `links`. */
async function extract(tool: FileTool, data: Uint8Array, entry: Listed, links: string[]): Promise<void> {
  const { given, files } = tool;
  await tool.attend();
  const parts = entry.name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) {
    tool.say(`warning:  skipped "../" path component(s) in ${entry.name}`);
    tool.code = Math.max(tool.code, 1);
    return;
  }
  const say = (text: string) => {
    if (!given.has("q")) tool.print(`${text}\n`);
  };
  const folder = given.get("d") ?? ".";
  const name = `${folder}/${given.has("j") ? parts.at(-1) : parts.join("/")}`.replace(/^\.\//, "");
  const path = tool.path(name);
  if (entry.name.endsWith("/")) {
    if (given.has("j") || tool.isFolder(name)) return;
    makeFolders(tool, path);
    return say(`   creating: ${name}/`);
  }
  const old = tool.findLstat(name);
  if (old && !given.has("o")) {
    const newer = entry.mtime.getTime() > old.mtime;
    if (given.has("n") || given.has("u") && !newer) return;
  }
  if (old && !given.has("o") && !given.has("u")) {
    tool.complain(`${name} exists; use -o to replace it or -n to keep it`);
    tool.code = Math.max(tool.code, 1);
    return;
  }
  const content = await unpackEntry(data, entry);
  makeFolders(tool, dirName(path));
  if (old) files.removeFile(path);
  if ((entry.mode & 0o170000) === LINK) {
    const target = new TextDecoder().decode(content);
    files.makeLink(target, path);
    links.push(`  ${name.padEnd(NAME_WIDTH)} -> ${target}\n`);
    return say(`    linking: ${name.padEnd(NAME_WIDTH)}  -> ${target} `);
  }
  const stream = tool.create(name);
  try {
    await stream.write(content);
  } finally {
    stream.close();
  }
  if (entry.mode & 0o777) files.chmod(path, entry.mode & 0o777);
  files.setTimes(path, Date.now(), entry.mtime.getTime());
  say(`${entry.method === 0 ? " extracting" : "  inflating"}: ${name.padEnd(NAME_WIDTH)}  `);
}

function makeFolders(tool: FileTool, path: string): void {
  if (path === "/" || tool.files.exists(path)) return;
  makeFolders(tool, dirName(path));
  tool.files.makeDirectory(path, 0o777 & ~tool.context.umask);
}
