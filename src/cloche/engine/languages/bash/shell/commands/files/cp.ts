/** cp. */
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { attempt, baseName, dirName, joinName, quote } from "./paths.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import { Copier, type CopyOptions, readBackup, readTargets } from "./copy.ts";
import { permissionsOf } from "./modes.ts";

const GRAMMAR = {
  letters: "abdfHilLnprRst:TuS:vxPZ",
  long: {
    archive: "a",
    "attributes-only": "attributes-only",
    "backup?": "backup",
    "copy-contents": "copy-contents",
    dereference: "L",
    force: "f",
    interactive: "i",
    link: "l",
    "no-clobber": "n",
    "no-dereference": "P",
    "no-preserve=": "no-preserve",
    "no-target-directory": "T",
    "one-file-system": "x",
    parents: "parents",
    "preserve?": "preserve",
    recursive: "r",
    "reflink?": "reflink",
    "remove-destination": "remove-destination",
    "sparse=": "sparse",
    "strip-trailing-slashes": "strip",
    "suffix=": "S",
    "symbolic-link": "s",
    "target-directory=": "t",
    "update?": "u",
    verbose: "v",
    debug: "v",
  },
  synopsis: "[OPTION]... SOURCE... DEST",
};
const ATTRIBUTES = ["mode", "ownership", "timestamps", "links", "context", "xattr", "all"];

export const cp = defineFileTool("cp", GRAMMAR, async (tool) => {
  const { given } = tool;
  const options = readCopyOptions(tool);
  const { sources, target, inside } = readTargets(tool, { missing: "missing destination file operand" });
  if (given.has("parents") && !inside) throw new UsageError("with --parents, the destination must be a directory");
  const copier = new Copier(tool, options);
  for (const each of sources) {
    const source = given.has("strip") ? each.replace(/(.)\/+$/, "$1") : each;
    if (given.has("parents")) {
      if (makeParents(tool, source, target, options)) await copier.copy(source, joinName(target, trimStart(source)));
    } else await copier.copy(source, inside ? joinName(target, nameInside(source)) : target);
  }
});

/** `cp -r a/. b` copies what is in a. */
function nameInside(source: string): string {
  const base = baseName(source);
  return base === ".." || base === "/" ? "." : base;
}

function trimStart(source: string): string {
  return source.replace(/^\/+/, "").replace(/(.)\/+$/, "$1");
}

function makeParents(tool: FileTool, source: string, target: string, options: CopyOptions): boolean {
  if (!tool.findLstat(source)) return true;
  const parent = dirName(trimStart(source));
  if (parent === ".") return true;
  let [from, to] = [source.startsWith("/") ? "" : ".", target];
  for (const name of parent.split("/")) {
    from = from === "." ? name : `${from}/${name}`;
    to = joinName(to, name);
    const made = to;
    if (tool.isFolder(to)) continue;
    const stat = tool.stat(from);
    if (!tool.try(`cannot make directory ${quote(to)}`, () => tool.files.makeDirectory(tool.path(made), 0o777))) {
      return false;
    }
    attempt(() => tool.files.chmod(tool.path(made), permissionsOf(stat)));
    if (options.verbose) tool.print(`${from} -> ${to}\n`);
  }
  return true;
}

function readCopyOptions(tool: FileTool): CopyOptions {
  const { given } = tool;
  const archive = given.has("a");
  const clobber = given.last("i", "n");
  if (given.has("l") && given.has("s")) throw new UsageError("cannot make both hard and symbolic links");
  return {
    recursive: given.has("r", "R", "a"),
    follow: readFollow(given),
    preserve: readPreserve(given),
    verbose: given.has("v"),
    clobber: clobber === "n" ? "never" : clobber === "i" ? "ask" : given.has("f") ? "force" : "always",
    update: readUpdate(given),
    make: given.has("l") ? "hard" : given.has("s") ? "symbolic" : "copy",
    removeFirst: given.has("remove-destination"),
    attributesOnly: given.has("attributes-only") && !archive,
    backup: readBackup(tool),
  };
}

function readFollow(given: Given): CopyOptions["follow"] {
  const last = given.last("a", "d", "H", "L", "P");
  if (last === "H") return "arguments";
  if (last === "L") return "always";
  if (last !== undefined) return "never";
  return given.has("r", "R") ? "never" : "always";
}

export function readUpdate(given: Given): CopyOptions["update"] {
  if (!given.has("u")) return "all";
  const value = given.get("u") ?? "older";
  if (value === "none-fail") return "none";
  if (value !== "all" && value !== "none" && value !== "older") {
    throw new CommandError(`invalid argument ${quote(value)} for '--update'`);
  }
  return value;
}

function readPreserve(given: Given): CopyOptions["preserve"] {
  const kept = { mode: false, times: false, links: given.has("d") };
  for (const [key, value] of given.list) {
    if (key === "a" || key === "p") Object.assign(kept, { mode: true, times: true, links: key === "a" || kept.links });
    if (key !== "preserve" && key !== "no-preserve") continue;
    for (const word of (value ?? "mode,ownership,timestamps").split(",")) {
      if (!ATTRIBUTES.includes(word)) throw new UsageError(`invalid argument ${quote(word)} for '--${key}'`);
      const on = key === "preserve";
      if (word === "mode" || word === "all") kept.mode = on;
      if (word === "timestamps" || word === "all") kept.times = on;
      if (word === "links" || word === "all") kept.links = on;
    }
  }
  return kept;
}
