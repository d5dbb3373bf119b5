/** find: walks folders and applies an expression to what it meets. */
import { FileTool } from "../file_tool.ts";
import { attempt, codeOf, joinName, quote, sortedNames } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { Given } from "../../tool/options.ts";
import { complain } from "../../tool/tool.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import type { Stat } from "../../../../../../fs/files.ts";
import type { Command, CommandContext } from "../../../processes/command.ts";
import { type Entry, type Search, SearchStopped, type Test } from "./entry.ts";
import { parseExpression } from "./expression.ts";

export const find: Command = {
  name: "find",
  async run(context) {
    const tool = new FileTool(context, "find", new Given());
    try {
      await search(context, tool);
      await tool.flush();
      return tool.code;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      await tool.flush();
      complain(context, `find: ${error.message}`);
      return 1;
    }
  },
};

async function search(context: CommandContext, tool: FileTool): Promise<void> {
  const words = context.argv.slice(1);
  const links = readLinkOptions(words);
  if (words[0] === "--help" || words[0] === "-help") {
    tool.print("Usage: find [-H] [-L] [-P] [path...] [expression]\n");
    return;
  }
  const end = words.findIndex((word) => /^-./.test(word) || ["(", ")", "!", ","].includes(word));
  const starts = end < 0 ? words : words.slice(0, end);
  const state: Search = {
    tool,
    now: Date.now(),
    zone: context.env.TZ,
    links,
    least: 0,
    most: Infinity,
    depthFirst: false,
    sameDevice: false,
    dayStart: false,
    regexType: "emacs",
    acts: false,
    finish: [],
  };
  const test = parseExpression(state, end < 0 ? [] : words.slice(end));
  try {
    const walk = new Walk(state, test);
    for (const start of starts.length > 0 ? starts : ["."]) {
      await walk.begin(start);
    }
  } catch (error) {
    if (!(error instanceof SearchStopped)) throw error;
  } finally {
    for (const act of state.finish) await act();
  }
}

/** Takes -H, -L, -P, -O and -D away from the beginning. */
function readLinkOptions(words: string[]): Search["links"] {
  let links: Search["links"] = "never";
  for (; words.length > 0; words.shift()) {
    if (words[0] === "-H") links = "arguments";
    else if (words[0] === "-L") links = "always";
    else if (words[0] === "-P") links = "never";
    else if (words[0] === "-D") words.shift();
    else if (!/^-O\d*$/.test(words[0])) break;
  }
  return links;
}

class Walk {
  constructor(private readonly search: Search, private readonly test: Test) {}

  async begin(start: string): Promise<void> {
    const { tool } = this.search;
    try {
      const whole = tool.path(start);
      const follow = this.search.links !== "never" || start.endsWith("/");
      const stat = follow ? this.#followed(whole) : tool.files.lstat(whole);
      await this.#visit({ path: start, whole, start, depth: 0, stat, pruned: false }, []);
    } catch (error) {
      const reason = reasonOf(error);
      if (codeOf(error) === undefined) throw error;
      tool.report(`${quote(start)}: ${reason}`);
    }
  }

  /** Of what a link leads to; of the link itself if that is nothing. */
  #followed(whole: string): Stat {
    const { files } = this.search.tool;
    try {
      return files.stat(whole);
    } catch (error) {
      if (codeOf(error) === "ELOOP") throw error;
      return files.lstat(whole);
    }
  }

  async #visit(entry: Entry, above: string[]): Promise<void> {
    const { search } = this;
    const isFolder = entry.stat.kind === "directory";
    const turn = search.tool.attend();
    if (turn) await turn;
    if (isFolder && search.links === "always" && this.#isLoop(entry, above)) return;
    if (!search.depthFirst) {
      await this.#apply(entry);
      if (entry.pruned) return;
    }
    if (isFolder && entry.depth < search.most) await this.#enter(entry, above);
    if (search.depthFirst) await this.#apply(entry);
  }

  async #apply(entry: Entry): Promise<void> {
    if (entry.depth < this.search.least) return;
    const value = this.test(entry);
    if (value instanceof Promise) await value;
  }

  #isLoop(entry: Entry, above: string[]): boolean {
    const { tool } = this.search;
    const real = attempt(() => tool.files.realPath(entry.whole)) ?? entry.whole;
    if (above.includes(real)) {
      const parent = entry.path.split("/").slice(0, above.indexOf(real) - above.length).join("/");
      tool.report(
        `File system loop detected; ${quote(entry.path)} is part of the same file system loop as ${quote(parent)}.`,
      );
      return true;
    }
    entry.whole = real;
    return false;
  }

  async #enter(entry: Entry, above: string[]): Promise<void> {
    const { search } = this;
    const { files } = search.tool;
    let names: string[];
    try {
      names = sortedNames(files, entry.whole);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      search.tool.report(`${quote(entry.path)}: ${reasonOf(error)}`);
      return;
    }
    const inside = [...above, entry.whole];
    for (const name of names) {
      const [path, whole] = [joinName(entry.path, name), joinName(entry.whole, name)];
      try {
        const stat = search.links === "always" ? this.#followed(whole) : files.lstat(whole);
        await this.#visit({ path, whole, start: entry.start, depth: entry.depth + 1, stat, pruned: false }, inside);
      } catch (error) {
        if (codeOf(error) === undefined) throw error;
        // What an action has removed meanwhile is no mistake.
        if (codeOf(error) !== "ENOENT") search.tool.report(`${quote(path)}: ${reasonOf(error)}`);
      }
    }
  }
}
