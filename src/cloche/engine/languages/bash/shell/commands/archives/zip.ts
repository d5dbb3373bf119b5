/** zip. */
import type { Command } from "../../processes/command.ts";
import { defineFileTool, type FileTool } from "../files/file_tool.ts";
import { attempt, sortedNames } from "../files/paths.ts";
import { removeTree } from "../files/rm.ts";
import { CommandError } from "../tool/errors.ts";
import { readAll } from "../tool/streams.ts";
import { compilePattern } from "../../expansion/patterns.ts";
import { LINK, listZip, packZip, unpackEntry, type ZipMember } from "./zip_format.ts";

const NOTHING_TO_DO = 12;
const USAGE = {
  letters: "rqj0123456789umD@dTyXv",
  long: {
    "recurse-paths": "r",
    quiet: "q",
    "junk-paths": "j",
    move: "m",
    delete: "d",
    update: "u",
    "no-dir-entries": "D",
    test: "T",
    symlinks: "y",
    "no-extra": "X",
    verbose: "v",
  },
  code: 16,
  synopsis: "[OPTION]... ZIPFILE [FILE]... [-x PATTERN...]",
};

/** The words before -x, and the patterns after it. */
export function splitExclusions(args: readonly string[]): [words: string[], patterns: string[]] {
  const at = args.indexOf("-x");
  return at < 0 ? [[...args], []] : [args.slice(0, at), args.slice(at + 1)];
}

/** Tells whether a name matches one of the patterns, whose wildcards stand for slashes too. */
export function matchNames(patterns: readonly string[]): (name: string) => boolean {
  const matchers = patterns.map((pattern) => compilePattern(pattern, { extglob: false }));
  return (name) => matchers.some((matcher) => matcher.match(name));
}

/** What one call puts into an archive. */
class Packing {
  readonly entries = new Map<string, ZipMember>();
  /** What is done to each name. */
  readonly done = new Map<string, string>();

  constructor(private readonly tool: FileTool, private readonly excluded: (name: string) => boolean) {}

  /** Takes over what the archive has. */
  async load(archive: string): Promise<void> {
    const data = attempt(() => this.tool.files.readFile(this.tool.path(archive)));
    for (const listed of data ? listZip(data) : []) {
      this.entries.set(listed.name, { ...listed, data: await unpackEntry(data ?? new Uint8Array(), listed) });
    }
  }

  delete(patterns: string[]): void {
    const gone = matchNames(patterns);
    for (const name of [...this.entries.keys()].filter(gone)) {
      this.entries.delete(name);
      this.done.set(name, "deleting");
    }
  }

  async add(path: string): Promise<void> {
    const { tool } = this;
    const { given } = tool;
    await tool.attend();
    if (path === "-") return this.#put("-", await readAll(tool.context.fds.get(0)), Date.now(), 0o600);
    const stat = given.has("y") ? tool.findLstat(path) : tool.findStat(path);
    if (!stat) return tool.print(`\tzip warning: name not matched: ${path}\n`);
    const folder = stat.kind === "directory";
    const plain = path.replace(/^(\.\/)+|^\/+/g, "").replace(/\/+$/, "");
    const name = (given.has("j") ? plain.split("/").at(-1) ?? "" : plain) + (folder ? "/" : "");
    if (!this.excluded(name)) {
      const left = folder && (given.has("j") || given.has("D") || plain === "" || plain === ".");
      const data = folder
        ? new Uint8Array()
        : stat.kind === "link"
        ? new TextEncoder().encode(tool.files.readLink(tool.path(path)))
        : tool.files.readFile(tool.path(path));
      const old = this.entries.get(name);
      const current = given.has("u") && old !== undefined && old.mtime.getTime() + 2000 > stat.mtime;
      if (!left && !current) this.#put(name, data, stat.mtime, stat.kind === "link" ? LINK | 0o777 : stat.mode);
    }
    if (!folder || !given.has("r")) return;
    for (const child of sortedNames(tool.files, tool.path(path))) {
      await this.add(`${path.replace(/\/+$/, "")}/${child}`);
    }
  }

  #put(name: string, data: Uint8Array, mtime: number, mode: number): void {
    this.done.set(name, this.entries.has(name) ? "updating" : "  adding");
    this.entries.set(name, { name, data: Uint8Array.from(data), mtime: new Date(mtime), mode });
  }
}

export const zip: Command = defineFileTool("zip", USAGE, async (tool) => {
  const { given, context } = tool;
  const [target, ...paths] = given.operands;
  if (target === undefined) throw new CommandError("nothing to do: no archive is named", USAGE.code);
  const archive = target === "-" || /\.\w+$/.test(target) ? target : `${target}.zip`;
  const packing = new Packing(tool, matchNames(splitExclusions(context.argv.slice(1))[1]));
  if (given.has("@")) paths.push(...(await tool.readText("-")).split("\n").filter(Boolean));
  if (archive !== "-") await packing.load(archive);
  if (given.has("d")) packing.delete(paths);
  else for (const path of paths) await packing.add(path);
  if (packing.done.size === 0) {
    await tool.flush();
    tool.print(`\nzip error: Nothing to do! (${archive})\n`);
    return NOTHING_TO_DO;
  }
  const packed = await packZip([...packing.entries.values()], given.has("0"));
  if (archive === "-") await context.fds.get(1).write(packed);
  else await writeWhole(tool, archive, packed);
  if (!given.has("q")) tellDone(tool, packing, packed, archive === "-");
  if (given.has("m")) { for (const path of paths) await removeTree(tool, path, {}); }
}, (args) => splitExclusions(args)[0]);

async function writeWhole(tool: FileTool, name: string, data: Uint8Array): Promise<void> {
  const stream = tool.create(name);
  try {
    await stream.write(data);
  } finally {
    stream.close();
  }
}

/** In the order of the archive. */
function tellDone(tool: FileTool, { done, entries }: Packing, packed: Uint8Array, aside: boolean): void {
  const listed = new Map(listZip(packed).map((entry) => [entry.name, entry]));
  for (const name of new Set([...entries.keys(), ...done.keys()])) {
    const verb = done.get(name);
    if (verb === undefined) continue;
    const entry = listed.get(name);
    const share = entry ? shareOf(entry.size, entry.packed) : 0;
    const how = entry ? ` (${entry.method === 0 ? "stored 0" : `deflated ${share}`}%)` : "";
    if (aside) tool.say(`${verb}: ${name}${how}`);
    else tool.print(`${verb}: ${name}${how}\n`);
  }
}

/** How much smaller it has become, in percent. */
export function shareOf(size: number, packed: number): number {
  return size === 0 ? 0 : Math.floor((200 * (size - packed) / size + 1) / 2);
}
