/** du. */
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { blocksOf, codeOf, decodeBytes, joinName, quote, sizeOfStat, sortedNames } from "./paths.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { compilePattern, type Matcher } from "../../expansion/patterns.ts";
import { readBlockSize, showSize, type SizeUnit } from "./sizes.ts";
import { formatTime } from "./times.ts";

const GRAMMAR = {
  letters: "0aB:bcDd:hHklLmPsSt:xX:",
  long: {
    null: "0",
    all: "a",
    "apparent-size": "apparent-size",
    "block-size=": "B",
    bytes: "b",
    total: "c",
    "dereference-args": "D",
    "max-depth=": "d",
    "human-readable": "h",
    inodes: "inodes",
    "count-links": "l",
    dereference: "L",
    "no-dereference": "P",
    "separate-dirs": "S",
    si: "si",
    summarize: "s",
    "threshold=": "t",
    "time?": "time",
    "time-style=": "time-style",
    "exclude=": "exclude",
    "exclude-from=": "X",
    "one-file-system": "x",
    "files0-from=": "files0",
  },
  synopsis: "[OPTION]... [FILE]...",
};

interface Usage {
  size: number;
  newest: number;
}

export const du = defineFileTool("du", GRAMMAR, async (tool) => {
  const { given } = tool;
  if (given.has("s") && given.has("a")) throw new UsageError("cannot both summarize and show all entries");
  const depth = given.get("d");
  if (depth !== undefined && !/^\d+$/.test(depth)) throw new UsageError(`invalid maximum depth ${quote(depth)}`);
  if (given.has("s") && depth !== undefined && depth !== "0") {
    throw new UsageError(`summarizing conflicts with --max-depth=${depth}`);
  }
  const counter = new Counter(tool, given.has("s") ? 0 : depth === undefined ? Infinity : Number(depth));
  const names = tool.operands.length > 0 ? tool.operands : given.has("files0") ? readNames(tool) : ["."];
  let total = 0;
  let newest = 0;
  for (const name of names) {
    const usage = await counter.count(name, 0);
    total += usage?.size ?? 0;
    newest = Math.max(newest, usage?.newest ?? 0);
  }
  if (given.has("c")) counter.show({ size: total, newest }, "total", true);
});

function readNames(tool: FileTool): string[] {
  const file = tool.given.get("files0") ?? "";
  return decodeBytes(tool.files.readFile(tool.path(file))).split("\0").filter((name) => name !== "");
}

class Counter {
  readonly #seen = new Set<string>();
  readonly #unit: SizeUnit;
  readonly #apparent: boolean;
  readonly #excluded: Matcher[];
  readonly #threshold: number;

  constructor(private readonly tool: FileTool, private readonly depth: number) {
    const { given } = tool;
    this.#unit = readUnit(tool);
    this.#apparent = given.has("b", "apparent-size");
    const lists = given.all("X").flatMap((file) => {
      try {
        return decodeBytes(tool.files.readFile(tool.path(file))).split("\n").filter((line) => line !== "");
      } catch (error) {
        throw new CommandError(`${file}: ${reasonOf(error)}`);
      }
    });
    this.#excluded = [...given.all("exclude"), ...lists].map((pattern) => compilePattern(pattern, { extglob: false }));
    const threshold = given.get("t");
    this.#threshold = threshold === undefined ? 0 : readThreshold(threshold);
  }

  /** Counts what is below a name, and shows it as the options say. */
  async count(name: string, depth: number): Promise<Usage | undefined> {
    const { tool } = this;
    const { given } = tool;
    await tool.attend();
    if (this.#isExcluded(name)) return undefined;
    let stat;
    try {
      const follow = given.last("L", "P", "D", "H") === "L" || depth === 0 && given.has("D", "H");
      stat = follow ? tool.stat(name) : tool.lstat(name);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      tool.report(`cannot access ${quote(name)}: ${reasonOf(error)}`);
      return undefined;
    }
    const own = given.has("inodes") ? 1 : this.#apparent ? sizeOfStat(stat) : blocksOf(stat) * 512;
    if (stat.kind !== "directory") {
      const key = `${stat.kind}:${stat.ino}`;
      if (stat.ino !== 0 && (stat.links > 1 || depth === 0) && !given.has("l")) {
        if (this.#seen.has(key)) return undefined;
        this.#seen.add(key);
      }
      const usage = { size: own, newest: stat.mtime };
      if (depth === 0 || given.has("a") && depth <= this.depth) this.show(usage, name);
      return usage;
    }
    const real = tool.files.realPath(tool.path(name));
    if (this.#seen.has(real)) return undefined;
    this.#seen.add(real);
    return await this.#countFolder(name, depth, own, stat.mtime);
  }

  async #countFolder(name: string, depth: number, own: number, mtime: number): Promise<Usage> {
    const { tool } = this;
    const usage = { size: own, newest: mtime };
    let direct = own;
    let names: string[] = [];
    try {
      names = sortedNames(tool.files, tool.path(name));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      tool.report(`cannot read directory ${quote(name)}: ${reasonOf(error)}`);
    }
    for (const child of names) {
      const path = joinName(name, child);
      const below = await this.count(path, depth + 1);
      if (!below) continue;
      usage.size += below.size;
      usage.newest = Math.max(usage.newest, below.newest);
      if (tool.findLstat(path)?.kind !== "directory") direct += below.size;
    }
    const shown = tool.given.has("S") ? { ...usage, size: direct } : usage;
    if (depth <= this.depth) this.show(shown, name);
    return usage;
  }

  #isExcluded(name: string): boolean {
    const parts = name.split("/");
    return this.#excluded.some((pattern) => parts.some((_, i) => pattern.match(parts.slice(i).join("/"))));
  }

  show({ size, newest }: Usage, name: string, always = false): void {
    const limit = this.#threshold;
    if (!always && (limit > 0 && size < limit || limit < 0 && size > -limit)) return;
    const { given, context: { env } } = this.tool;
    const text = given.has("inodes") ? String(size) : showSize(size, this.#unit);
    const style = given.get("time-style") ?? "long-iso";
    const format = style.startsWith("+")
      ? style.slice(1)
      : style === "full-iso"
      ? "%Y-%m-%d %H:%M:%S.%N %z"
      : style === "iso"
      ? "%Y-%m-%d"
      : "%Y-%m-%d %H:%M";
    const time = given.has("time") ? `\t${formatTime(format, newest, env.TZ)}` : "";
    this.tool.print(`${text}${time}\t${name}${given.has("0") ? "\0" : "\n"}`);
  }
}

function readThreshold(text: string): number {
  try {
    const { bytes } = readBlockSize(text.replace(/^[-+]/, ""));
    return text.startsWith("-") ? -bytes : bytes;
  } catch {
    throw new CommandError(`invalid --threshold argument '${text}'`);
  }
}

function readUnit({ given, context: { env } }: FileTool): SizeUnit {
  const last = given.last("b", "B", "h", "k", "m", "si");
  if (last === "b") return readBlockSize("1");
  if (last === "B") return readBlockSize(given.get("B") ?? "", "-B");
  if (last === "h") return readBlockSize("human-readable");
  if (last === "si") return readBlockSize("si");
  if (last === "m") return readBlockSize("1048576");
  if (last === "k") return readBlockSize("1024");
  const named = env.DU_BLOCK_SIZE ?? env.BLOCK_SIZE ?? env.BLOCKSIZE;
  if (named) return readBlockSize(named);
  return readBlockSize(env.POSIXLY_CORRECT === undefined ? "1024" : "512");
}
