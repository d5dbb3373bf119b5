/** rm, rmdir, unlink. Links are removed themselves, wherever they lead. */
import { isFifo } from "./modes.ts";
import type { Stat } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { baseName, codeOf, dirName, joinName, quote, sortedNames } from "./paths.ts";
import { UsageError } from "../tool/errors.ts";

interface RemoveOptions {
  verbose?: boolean;
  ask?: boolean;
}

const RM = {
  letters: "dfiIrRv",
  long: {
    dir: "d",
    force: "f",
    "interactive?": "interactive",
    recursive: "r",
    verbose: "v",
    "one-file-system": "one-file-system",
    "preserve-root?": "preserve-root",
    "no-preserve-root": "no-preserve-root",
  },
  synopsis: "[OPTION]... [FILE]...",
};

/** What asks: -i each time, -I once. */
function readAsking(tool: FileTool): "never" | "once" | "always" {
  const { given } = tool;
  const last = given.last("f", "i", "I", "interactive");
  if (last === "i") return "always";
  if (last === "I") return "once";
  if (last !== "interactive") return "never";
  const when = given.get("interactive") ?? "always";
  if (["never", "no", "none"].includes(when)) return "never";
  if (when === "once") return "once";
  if (when === "always" || when === "yes") return "always";
  throw new UsageError(`invalid argument ${quote(when)} for '--interactive'`);
}

export const rm = defineFileTool("rm", RM, async (tool) => {
  const { given, operands } = tool;
  const force = given.has("f");
  if (operands.length === 0) {
    if (force) return 0;
    throw new UsageError("missing operand");
  }
  const asking = readAsking(tool);
  const recursive = given.has("r", "R");
  if (asking === "once" && (recursive || operands.length > 3)) {
    const count = `${operands.length} argument${operands.length > 1 ? "s" : ""}`;
    if (!await tool.ask(`remove ${count}${recursive ? " recursively" : ""}?`)) return 0;
  }
  for (const name of operands) {
    await tool.attend();
    await removeOperand(tool, name, { verbose: given.has("v"), ask: asking === "always" }, force, recursive);
  }
});

async function removeOperand(
  tool: FileTool,
  name: string,
  options: RemoveOptions,
  force: boolean,
  recursive: boolean,
): Promise<void> {
  if (/(^|\/)\.\.?\/*$/.test(name) && recursive) {
    return tool.report(`refusing to remove '.' or '..' directory: skipping ${quote(name)}`);
  }
  let stat: Stat;
  try {
    stat = tool.findLstat(name) ?? tool.lstat(name);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const absent = ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");
    if (!(force && absent)) tool.report(`cannot remove ${quote(name)}: ${reasonOf(error)}`);
    return;
  }
  if (recursive && tool.path(name) === "/" && !tool.given.has("no-preserve-root")) {
    tool.report("it is dangerous to operate recursively on '/'");
    return tool.complain("use --no-preserve-root to override this failsafe");
  }
  if (stat.kind === "directory" && !recursive) {
    if (!tool.given.has("d")) return tool.report(`cannot remove ${quote(name)}: Is a directory`);
    if (options.ask && !await tool.ask(`remove directory ${quote(name)}?`)) return;
    if (
      tool.try(`cannot remove ${quote(name)}`, () => tool.files.removeDirectory(tool.path(name))) && options.verbose
    ) {
      tool.print(`removed directory ${quote(name)}\n`);
    }
    return;
  }
  if (name.endsWith("/") && tool.findLstat(name.replace(/\/+$/, ""))?.kind === "link") {
    for (const child of sortedNames(tool.files, tool.path(name))) await removeTree(tool, name + child, options);
    if (!force) tool.report(`cannot remove ${quote(name)}: Not a directory`);
    return;
  }
  await removeTree(tool, name, options);
}

/** Removes something with all that is in it; false if that failed, unlike what the user wants to keep. */
export async function removeTree(tool: FileTool, name: string, options: RemoveOptions): Promise<boolean> {
  await tool.attend();
  const stat = tool.lstat(name);
  const path = tool.path(name);
  if (stat.kind !== "directory") {
    if (options.ask && !await tool.ask(`remove ${describe(stat)} ${quote(name)}?`)) return true;
    const gone = tool.try(`cannot remove ${quote(name)}`, () => tool.files.removeFile(path));
    if (gone && options.verbose) tool.print(`removed ${quote(name)}\n`);
    return gone;
  }
  let names: string[];
  try {
    names = sortedNames(tool.files, path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    tool.report(`cannot remove ${quote(name)}: ${reasonOf(error)}`);
    return false;
  }
  if (names.length > 0 && options.ask && !await tool.ask(`descend into directory ${quote(name)}?`)) return true;
  let all = true;
  for (const child of names) all = await removeTree(tool, joinName(name, child), options) && all;
  if (!all) return false;
  if (options.ask && !await tool.ask(`remove directory ${quote(name)}?`)) return true;
  const gone = tool.try(`cannot remove ${quote(name)}`, () => tool.files.removeDirectory(path));
  if (gone && options.verbose) tool.print(`removed directory ${quote(name)}\n`);
  return gone;
}

function describe(stat: Stat): string {
  if (stat.kind === "link") return "symbolic link";
  if (isFifo(stat)) return "fifo";
  if (stat.kind === "other") return "character special file";
  return stat.size === 0 ? "regular empty file" : "regular file";
}

const RMDIR = {
  letters: "pv",
  long: { parents: "p", verbose: "v", "ignore-fail-on-non-empty": "ignore" },
  synopsis: "[OPTION]... DIRECTORY...",
};

export const rmdir = defineFileTool("rmdir", RMDIR, (tool) => {
  const { given, operands } = tool;
  if (operands.length === 0) throw new UsageError("missing operand");
  for (const operand of operands) {
    let name = operand.replace(/(.)\/+$/, "$1");
    let first = true;
    while (removeFolder(tool, first ? operand : name, first) && given.has("p")) {
      name = dirName(name);
      if (name === "." || name === "/") break;
      first = false;
    }
  }
});

function removeFolder(tool: FileTool, name: string, first: boolean): boolean {
  if (tool.given.has("v")) tool.print(`rmdir: removing directory, ${quote(name)}\n`);
  try {
    const found = tool.lstat(name);
    const link = tool.findLstat(name.replace(/(.)\/+$/, "$1"))?.kind === "link";
    if (link && name.endsWith("/")) {
      tool.report(`failed to remove ${quote(name)}: Symbolic link not followed`);
      return false;
    }
    if (found.kind !== "directory") {
      tool.report(`failed to remove ${quote(name)}: Not a directory`);
      return false;
    }
    if (baseName(name) === ".") {
      tool.report(`failed to remove ${quote(name)}: Invalid argument`);
      return false;
    }
    tool.files.removeDirectory(tool.path(name));
    return true;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    if (codeOf(error) === "ENOTEMPTY" && tool.given.has("ignore")) return false;
    const what = first ? "failed to remove" : "failed to remove directory";
    tool.report(`${what} ${quote(name)}: ${reasonOf(error)}`);
    return false;
  }
}

export const unlink = defineFileTool("unlink", { letters: "", synopsis: "FILE" }, (tool) => {
  const [name, extra] = tool.operands;
  if (name === undefined) throw new UsageError("missing operand");
  if (extra !== undefined) throw new UsageError(`extra operand ${quote(extra)}`);
  tool.try(`cannot unlink ${quote(name)}`, () => {
    tool.files.removeFile(tool.path(name));
  });
});
