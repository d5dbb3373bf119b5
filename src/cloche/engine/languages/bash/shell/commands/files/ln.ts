/** ln and link. */
import { CommandError } from "../../../commands/command.ts";
import { backUp, readBackup, readTargets } from "./copy.ts";
import { canonicalPath, relativePath } from "./realpath.ts";
import { attempt, baseName, defineTool, dirName, joinName, quote, type Tool, usageError } from "./tool.ts";

const GRAMMAR = {
  short: "bdfFiLnPrsS:t:Tv",
  long: {
    "backup=?": "backup",
    directory: "d",
    force: "f",
    interactive: "i",
    logical: "L",
    "no-dereference": "n",
    physical: "P",
    relative: "r",
    symbolic: "s",
    "suffix=": "S",
    "target-directory=": "t",
    "no-target-directory": "T",
    verbose: "v",
  },
  usage: "[OPTION]... TARGET... LINK_NAME",
};

export const ln = defineTool("ln", GRAMMAR, async (tool) => {
  const { given, operands } = tool;
  if (given.has("r") && !given.has("s")) throw new CommandError("cannot do --relative without --symbolic");
  if (operands.length === 1 && !given.has("t", "T")) {
    const [only] = operands;
    return void await makeOne(tool, only, baseName(only));
  }
  const { sources, target, inside } = readTargets(tool, {
    missing: "missing destination file operand",
    follow: !given.has("n"),
  });
  for (const source of sources) {
    await tool.turn();
    await makeOne(tool, source, inside ? joinName(target, baseName(source)) : target);
  }
});

async function makeOne(tool: Tool, source: string, name: string): Promise<void> {
  const { given, files } = tool;
  const symbolic = given.has("s");
  const what = `failed to create ${symbolic ? "symbolic" : "hard"} link ${quote(name)}`;
  if (!symbolic) {
    const found = given.has("L") ? tool.findStat(source) : tool.findLstat(source);
    if (!found) return tool.fail(`failed to access ${quote(source)}: No such file or directory`);
    if (found.kind === "directory") return tool.fail(`${source}: hard link not allowed for directory`);
  }
  if (symbolic && name.endsWith("/")) return tool.fail(`${what}: No such file or directory`);
  const old = tool.findLstat(name);
  const backup = readBackup(tool);
  let saved: string | undefined;
  if (old) {
    const last = given.last("f", "i");
    if (old.kind === "directory" && (last !== undefined || backup)) {
      return tool.fail(`${quote(name)}: cannot overwrite directory`);
    }
    if (!symbolic && (last !== undefined || backup) && isSame(tool, source, name)) {
      return tool.fail(`${quote(source)} and ${quote(name)} are the same file`);
    }
    if (last === "i" && !await tool.ask(`replace ${quote(name)}?`)) return;
    if (backup) saved = backUp(tool, name, backup);
    else if (last !== undefined) tool.try(`cannot remove ${quote(name)}`, () => files.removeFile(tool.path(name)));
  }
  const text = given.has("r") ? relativeTarget(tool, source, name) : source;
  const made = tool.try(symbolic ? what : `${what} => ${quote(source)}`, () => {
    if (symbolic) files.makeLink(text, tool.path(name));
    else files.hardLink(given.has("L") ? files.realPath(tool.path(source)) : tool.path(source), tool.path(name));
  });
  if (!made || !given.has("v")) return;
  tool.print(`${quote(name)} ${symbolic ? "->" : "=>"} ${quote(text)}${saved ? ` ~ ${quote(saved)}` : ""}\n`);
}

function isSame(tool: Tool, source: string, name: string): boolean {
  return attempt(() => tool.path(source)) === attempt(() => tool.path(name));
}

function relativeTarget(tool: Tool, source: string, name: string): string {
  const from = canonicalPath(tool, dirName(name), "missing");
  const to = canonicalPath(tool, source, "missing");
  if (from === undefined || to === undefined) throw new CommandError(`cannot resolve ${quote(source)}`);
  return relativePath(from, to);
}

export const link = defineTool("link", { short: "", usage: "FILE1 FILE2" }, (tool) => {
  const [from, to, extra] = tool.operands;
  if (from === undefined) throw usageError("link", "missing operand");
  if (to === undefined) throw usageError("link", `missing operand after ${quote(from)}`);
  if (extra !== undefined) throw usageError("link", `extra operand ${quote(extra)}`);
  tool.try(`cannot create link ${quote(to)} to ${quote(from)}`, () => {
    tool.files.hardLink(tool.path(from), tool.path(to));
  });
});
