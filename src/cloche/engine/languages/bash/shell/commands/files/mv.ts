/** mv. */
import type { Stat } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { backUp, Copier, readBackup, readTargets } from "./copy.ts";
import { readUpdate } from "./cp.ts";
import { removeTree } from "./rm.ts";
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { attempt, baseName, codeOf, joinName, quote } from "./paths.ts";

const GRAMMAR = {
  letters: "bfint:TuvS:Z",
  long: {
    "backup?": "backup",
    force: "f",
    interactive: "i",
    "no-clobber": "n",
    "no-target-directory": "T",
    "strip-trailing-slashes": "strip",
    "suffix=": "S",
    "target-directory=": "t",
    "update?": "u",
    verbose: "v",
    "no-copy": "no-copy",
    debug: "v",
  },
  synopsis: "[OPTION]... SOURCE... DEST",
};

export const mv = defineFileTool("mv", GRAMMAR, async (tool) => {
  const { sources, target, inside } = readTargets(tool, { missing: "missing destination file operand" });
  const made = new Set<string>();
  for (const source of sources) {
    await tool.attend();
    const trimmed = tool.given.has("strip") ? source.replace(/(.)\/+$/, "$1") : source;
    const to = inside ? joinName(target, baseName(trimmed)) : target;
    const key = attempt(() => tool.path(to)) ?? to;
    if (made.has(key)) {
      tool.report(`will not overwrite just-created ${quote(to)} with ${quote(source)}`);
      continue;
    }
    if (await move(tool, trimmed, to)) made.add(key);
  }
});

async function move(tool: FileTool, from: string, to: string): Promise<boolean> {
  const { given } = tool;
  let source: Stat;
  try {
    source = tool.findLstat(from.replace(/(.)\/+$/, "$1")) ?? tool.lstat(from);
    if (from.endsWith("/") && source.kind !== "directory") tool.stat(from);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    tool.report(`cannot stat ${quote(from)}: ${reasonOf(error)}`);
    return false;
  }
  const refuse = (text: string) => (tool.report(text), false);
  const old = tool.findLstat(to.replace(/(.)\/+$/, "$1"));
  if (to.endsWith("/") && source.kind !== "directory" && old?.kind !== "directory") {
    return refuse(`cannot move ${quote(from)} to ${quote(to)}: Not a directory`);
  }
  const [path, target] = [tool.path(from), tool.path(to)];
  if (path === target || old && old.ino === source.ino && realOf(tool, path) === realOf(tool, target)) {
    if (path === target || old?.kind === source.kind) {
      return refuse(`${quote(from)} and ${quote(to)} are the same file`);
    }
  }
  if (source.kind === "directory" && `${target}/`.startsWith(`${path}/`)) {
    return refuse(`cannot move ${quote(from)} to a subdirectory of itself, ${quote(to)}`);
  }
  if (old) {
    if (!await mayReplace(tool, source, old, to)) return false;
    if (old.kind === "directory" && source.kind !== "directory") {
      return refuse(`cannot overwrite directory ${quote(to)} with non-directory`);
    }
    if (old.kind !== "directory" && source.kind === "directory") {
      return refuse(`cannot overwrite non-directory ${quote(to)} with directory ${quote(from)}`);
    }
  }
  const backup = readBackup(tool);
  const saved = old && backup ? backUp(tool, to, backup) : undefined;
  if (!await rename(tool, from, to, source)) return false;
  if (given.has("v")) {
    const note = saved === undefined ? "" : ` (backup: ${quote(saved)})`;
    tool.print(`renamed ${quote(from)} -> ${quote(to)}${note}\n`);
  }
  return true;
}

function realOf(tool: FileTool, path: string): string | undefined {
  return attempt(() => tool.files.realPath(path));
}

async function mayReplace(tool: FileTool, source: Stat, old: Stat, to: string): Promise<boolean> {
  const { given } = tool;
  const update = readUpdate(given);
  if (update === "none" || update === "older" && old.mtime >= source.mtime) return false;
  const last = given.last("f", "i", "n");
  if (last === "n") return false;
  return last !== "i" || await tool.ask(`overwrite ${quote(to)}?`);
}

/** From one of the sandbox's folders to another it is a copy, and the old one is removed. */
async function rename(tool: FileTool, from: string, to: string, source: Stat): Promise<boolean> {
  try {
    tool.files.rename(tool.path(from), tool.path(to));
    return true;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    if (codeOf(error) !== "EXDEV") {
      tool.report(`cannot move ${quote(from)} to ${quote(to)}: ${reasonOf(error)}`);
      return false;
    }
  }
  if (source.kind !== "directory" && !clearTarget(tool, from, to)) return false;
  const before = tool.code;
  tool.code = 0;
  const copier = new Copier(tool, {
    recursive: true,
    follow: "never",
    preserve: { mode: true, times: true, links: true },
    verbose: false,
    clobber: "force",
    update: "all",
    make: "copy",
    removeFirst: true,
    attributesOnly: false,
    backup: undefined,
  });
  await copier.copy(from.replace(/(.)\/+$/, "$1"), to);
  const copied = tool.code === 0;
  tool.code = Math.max(before, tool.code);
  if (copied) await removeTree(tool, from.replace(/(.)\/+$/, "$1"), {});
  return copied;
}

/** What the copy replaces is removed first. */
function clearTarget(tool: FileTool, from: string, to: string): boolean {
  try {
    tool.files.removeFile(tool.path(to));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    if (codeOf(error) === "ENOENT") return true;
    tool.report(
      `inter-device move failed: ${quote(from)} to ${quote(to)}; unable to remove target: ${reasonOf(error)}`,
    );
    return false;
  }
  return true;
}
