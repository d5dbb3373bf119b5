/** ls, dir, vdir. */
import { reasonOf } from "../../../../text/file_errors.ts";
import { defineFileTool, type FileTool } from "../file_tool.ts";
import { attempt, codeOf, joinName, quote, sizeOfStat } from "../paths.ts";
import { makePaint } from "./colors.ts";
import { GRAMMAR, type ListOptions, readListOptions } from "./options.ts";
import { type Item, Renderer } from "./render.ts";

/** Something named on the command line could not be had. */
const SERIOUS = 2;

/** `flags` are those that the name stands for. */
function define(name: string, flags: string[]) {
  return defineFileTool(name, GRAMMAR, async (tool) => {
    const options = readListOptions(tool.given, tool.context.env);
    await new Listing(tool, options, new Renderer(tool, options, makePaint(tool))).run();
  }, (args) => [...flags, ...args]);
}

export const ls = define("ls", []);
export const dir = define("dir", ["-C", "-b"]);
export const vdir = define("vdir", ["-l", "-b"]);

class Listing {
  #first = true;

  constructor(
    private readonly tool: FileTool,
    private readonly options: ListOptions,
    private readonly renderer: Renderer,
  ) {}

  async run(): Promise<void> {
    const { tool, options, renderer } = this;
    const names = tool.operands.length > 0 ? tool.operands : ["."];
    const files: Item[] = [];
    const folders: Item[] = [];
    for (const name of names) {
      const item = this.#lookAtOperand(name);
      if (item) (this.#isListed(item) ? folders : files).push(item);
    }
    if (files.length > 0) {
      tool.print(renderer.render(this.#sort(files)));
      this.#first = false;
    }
    const titled = names.length > 1 || options.given.has("R");
    for (const { name } of this.#sort(folders)) await this.#list(name, titled, []);
  }

  #lookAtOperand(name: string): Item | undefined {
    try {
      return this.#look(name, name, true);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      this.tool.report(`cannot access ${quote(name)}: ${reasonOf(error)}`, SERIOUS);
      return undefined;
    }
  }

  /** A link to a folder is listed as the folder, unless its own line is wanted. */
  #isListed({ stat, target }: Item): boolean {
    const { given, format, indicator } = this.options;
    if (given.has("d")) return false;
    if (stat.kind !== "link") return stat.kind === "directory";
    const own = (format === "long" || indicator === "classify") && !given.has("link-to-dir");
    return target?.kind === "directory" && !own;
  }

  #look(path: string, name: string, isArgument: boolean): Item {
    const { tool, options } = this;
    const whole = tool.path(path);
    const follow = options.follow === "always" || isArgument && (options.follow === "arguments");
    const must = isArgument && options.follow === "always";
    const stat = must ? tool.stat(path) : (follow ? tool.findStat(path) : undefined) ?? tool.lstat(path);
    if (stat.kind !== "link") return { name, whole, stat };
    const link = attempt(() => tool.files.readLink(whole));
    return { name, whole, stat, link, target: attempt(() => tool.files.stat(whole)) };
  }

  async #list(folder: string, titled: boolean, above: string[]): Promise<void> {
    const { tool, options, renderer } = this;
    await tool.attend();
    let names: string[];
    try {
      names = tool.files.list(tool.path(folder)).map(({ name }) => name);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return tool.report(`cannot open directory ${quote(folder)}: ${reasonOf(error)}`, above.length > 0 ? 1 : SERIOUS);
    }
    const shown = names.filter((name) => this.#isShown(name));
    if (options.all === "all") shown.unshift(".", "..");
    const items: Item[] = [];
    for (const name of shown) {
      const item = attempt(() => this.#look(joinName(folder, name), name, false));
      if (item) items.push(item);
    }
    const sorted = this.#sort(items);
    if (!this.#first) tool.print("\n");
    this.#first = false;
    tool.print((titled ? `${folder}:\n` : "") + renderer.total(sorted) + renderer.render(sorted));
    if (!options.given.has("R")) return;
    const real = attempt(() => tool.files.realPath(tool.path(folder))) ?? folder;
    if (above.includes(real)) return tool.report(`${folder}: not listing already-listed directory`, SERIOUS);
    for (const { name, stat } of sorted) {
      if (stat.kind !== "directory" || name === "." || name === "..") continue;
      await this.#list(joinName(folder, name), titled, [...above, real]);
    }
  }

  #isShown(name: string): boolean {
    const { all, hidden, ignored } = this.options;
    if (ignored.some((pattern) => pattern.match(name))) return false;
    if (all !== "visible") return true;
    return !name.startsWith(".") && !hidden.some((pattern) => pattern.match(name));
  }

  #sort(items: Item[]): Item[] {
    const { sort, reverse, foldersFirst } = this.options;
    const sorted = [...items];
    if (sort !== "none") sorted.sort((a, b) => this.#compare(a, b) || compareText(a.name, b.name));
    if (reverse) sorted.reverse();
    if (!foldersFirst) return sorted;
    const isFolder = ({ stat, target }: Item) => (target ?? stat).kind === "directory";
    return [...sorted.filter(isFolder), ...sorted.filter((item) => !isFolder(item))];
  }

  #compare(a: Item, b: Item): number {
    const { sort, time } = this.options;
    switch (sort) {
      case "time":
        return b.stat[time] - a.stat[time];
      case "size":
        return sizeOfStat(b.stat) - sizeOfStat(a.stat);
      case "extension":
        return compareText(extensionOf(a.name), extensionOf(b.name));
      case "version":
        return compareVersions(a.name, b.name);
      case "width":
        return a.name.length - b.name.length;
      default:
        return 0;
    }
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}

/** Numbers in names count as numbers. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => name.match(/\d+|\D+/g) ?? []);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    const numbers = /^\d/.test(x) && /^\d/.test(y);
    const order = numbers ? Number(x) - Number(y) : compareText(x, y);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
