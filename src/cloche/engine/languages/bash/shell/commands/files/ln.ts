/** ln and link. */
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { attempt, baseName, dirName, joinName, quote } from "./paths.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { backUp, readBackup, readTargets } from "./copy.ts";
import { canonicalPath, relativePath } from "./realpath.ts";

const GRAMMAR = {
  letters: "bdfFiLnPrsS:t:Tv",
  long: {
    "backup?": "backup",
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
  synopsis: "[OPTION]... TARGET... LINK_NAME",
};

export const ln = defineFileTool("ln", GRAMMAR, async (tool) => {
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
    await tool.attend();
    await makeOne(tool, source, inside ? joinName(target, baseName(source)) : target);
  }
});

async function makeOne(tool: FileTool, source: string, name: string): Promise<void> {
  const { given, files } = tool;
  const symbolic = given.has("s");
  const what = `failed to create ${symbolic ? "symbolic" : "hard"} link ${quote(name)}`;
  if (!symbolic) {
    const found = given.has("L") ? tool.findStat(source) : tool.findLstat(source);
    if (!found) return tool.report(`failed to access ${quote(source)}: No such file or directory`);
    if (found.kind === "directory") return tool.report(`${source}: hard link not allowed for directory`);
  }
  if (symbolic && name.endsWith("/")) return tool.report(`${what}: No such file or directory`);
  const old = tool.findLstat(name);
  const backup = readBackup(tool);
  let saved: string | undefined;
  if (old) {
    const last = given.last("f", "i");
    if (old.kind === "directory" && (last !== undefined || backup)) {
      return tool.report(`${quote(name)}: cannot overwrite directory`);
    }
    if (!symbolic && (last !== undefined || backup) && isSame(tool, source, name)) {
      return tool.report(`${quote(source)} and ${quote(name)} are the same file`);
    }
    if (last === "i" && !await tool.ask(`replace ${quote(name)}?`)) return;
    if (backup) saved = backUp(tool, name, backup);
    else if (last !== undefined) tool.try(`cannot remove ${quote(name)}`, () => files.removeFile(tool.path(name)));
  }
  const text = given.has("r") ? relativeTarget(tool, source, name) : source;
  const made = tool.try(symbolic || tool.findLstat(name) ? what : `${what} => ${quote(source)}`, () => {
    if (symbolic) files.makeLink(text, tool.path(name));
    else files.hardLink(given.has("L") ? files.realPath(tool.path(source)) : tool.path(source), tool.path(name));
  });
  if (!made || !given.has("v")) return;
  tool.print(`${quote(name)} ${symbolic ? "->" : "=>"} ${quote(text)}${saved ? ` ~ ${quote(saved)}` : ""}\n`);
}

function isSame(tool: FileTool, source: string, name: string): boolean {
  return attempt(() => tool.path(source)) === attempt(() => tool.path(name));
}

function relativeTarget(tool: FileTool, source: string, name: string): string {
  const from = canonicalPath(tool, dirName(name), "missing");
  const to = canonicalPath(tool, source, "missing");
  if (from === undefined || to === undefined) throw new CommandError(`cannot resolve ${quote(source)}`);
  return relativePath(from, to);
}

export const link = defineFileTool("link", { letters: "", synopsis: "FILE1 FILE2" }, (tool) => {
  const [from, to, extra] = tool.operands;
  if (from === undefined) throw new UsageError("missing operand");
  if (to === undefined) throw new UsageError(`missing operand after ${quote(from)}`);
  if (extra !== undefined) throw new UsageError(`extra operand ${quote(extra)}`);
  tool.try(`cannot create link ${quote(to)} to ${quote(from)}`, () => {
    tool.files.hardLink(tool.path(from), tool.path(to));
  });
});
