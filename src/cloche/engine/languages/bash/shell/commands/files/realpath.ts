/** readlink and realpath. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { resolvePath } from "../../processes/system_files.ts";
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { codeOf, quote } from "./paths.ts";
import { UsageError } from "../tool/errors.ts";

/** What must exist: everything, everything but the last part, or nothing. */
export type Existence = "all" | "parents" | "missing";

const MOST_LINKS = 40;

/** The path with every link resolved; throws FileError if something that must exist does not. */
export function resolveLinks(tool: FileTool, name: string, existence: Existence): string {
  if (name === "") throw new FileError("ENOENT", name);
  const { files, context } = tool;
  let rest = (name.startsWith("/") ? name : `${context.cwd}/${name}`).split("/").filter((part) => part !== "");
  let done: string[] = [];
  let links = 0;
  while (rest.length > 0) {
    const [part, ...others] = rest;
    rest = others;
    if (part === ".") continue;
    if (part === "..") {
      done.pop();
      continue;
    }
    const here = `/${[...done, part].join("/")}`;
    let kind;
    try {
      kind = files.lstat(here).kind;
    } catch (error) {
      const isLast = rest.every((each) => each === ".");
      if (existence === "missing" || existence === "parents" && codeOf(error) === "ENOENT" && isLast) {
        done = [...done, part];
        continue;
      }
      throw error;
    }
    if (kind === "link") {
      if (++links > MOST_LINKS) {
        if (existence !== "missing") throw new FileError("ELOOP", name);
        done = [...done, part];
        continue;
      }
      const target = files.readLink(here);
      rest = [...target.split("/").filter((each) => each !== ""), ...rest];
      if (target.startsWith("/")) done = [];
      continue;
    }
    if (rest.length > 0 && kind !== "directory" && existence !== "missing") throw new FileError("ENOTDIR", name);
    done = [...done, part];
  }
  const result = `/${done.join("/")}`;
  if (name.endsWith("/") && existence !== "missing") {
    const found = files.exists(result) ? files.stat(result).kind : "directory";
    if (found !== "directory") throw new FileError("ENOTDIR", name);
  }
  return result;
}

export function canonicalPath(tool: FileTool, name: string, existence: Existence): string | undefined {
  try {
    return resolveLinks(tool, name, existence);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** How to get from a folder to a path, both absolute. */
export function relativePath(from: string, to: string): string {
  const [here, there] = [from, to].map((path) => path.split("/").filter((part) => part !== ""));
  let same = 0;
  while (same < here.length && same < there.length && here[same] === there[same]) same++;
  return [...here.slice(same).map(() => ".."), ...there.slice(same)].join("/") || ".";
}

const READLINK = {
  letters: "femnqsvz",
  long: {
    canonicalize: "f",
    "canonicalize-existing": "e",
    "canonicalize-missing": "m",
    "no-newline": "n",
    quiet: "q",
    silent: "s",
    verbose: "v",
    zero: "z",
  },
  synopsis: "[OPTION]... FILE...",
};

const EXISTENCE: Record<string, Existence> = { f: "parents", e: "all", m: "missing" };

export const readlink = defineFileTool("readlink", READLINK, (tool) => {
  const { given, operands } = tool;
  if (operands.length === 0) throw new UsageError("missing operand");
  const mode = given.last("f", "e", "m");
  let end = given.has("z") ? "\0" : "\n";
  if (given.has("n") && operands.length > 1) tool.complain("ignoring --no-newline with multiple arguments");
  else if (given.has("n")) end = "";
  for (const name of operands) {
    try {
      const found = mode === undefined
        ? tool.files.readLink(linkPath(tool, name))
        : resolveLinks(tool, name, EXISTENCE[mode]);
      tool.print(found + end);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      tool.code = 1;
      if (given.last("q", "s", "v") === "v") tool.report(`${name}: ${reasonOf(error)}`);
    }
  }
});

function linkPath(tool: FileTool, name: string): string {
  if (name.endsWith("/")) throw new FileError("EINVAL", name);
  return tool.path(name);
}

const REALPATH = {
  letters: "emLPqsz",
  long: {
    "canonicalize-existing": "e",
    "canonicalize-missing": "m",
    logical: "L",
    physical: "P",
    quiet: "q",
    strip: "s",
    "no-symlinks": "s",
    zero: "z",
    "relative-to=": "to",
    "relative-base=": "base",
  },
  synopsis: "[OPTION]... FILE...",
};

export const realpath = defineFileTool("realpath", REALPATH, (tool) => {
  const { given, operands } = tool;
  if (operands.length === 0) throw new UsageError("missing operand");
  const existence = EXISTENCE[given.last("e", "m") ?? "f"];
  const resolve = (name: string) => {
    if (given.last("s", "P") === "s" || given.last("L", "P") === "L") return resolveByName(tool, name, existence);
    return resolveLinks(tool, name, existence);
  };
  const base = given.has("base") ? resolve(given.get("base") ?? "") : undefined;
  const to = given.has("to") ? resolve(given.get("to") ?? "") : base;
  for (const name of operands) {
    try {
      const found = resolve(name);
      const below = base === undefined || `${found}/`.startsWith(`${base === "/" ? "" : base}/`);
      const relative = to !== undefined && below;
      tool.print((relative ? relativePath(to, found) : found) + (given.has("z") ? "\0" : "\n"));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      if (given.has("q")) tool.code = 1;
      else tool.report(`${quoteOdd(name)}: ${reasonOf(error)}`);
    }
  }
});

function quoteOdd(name: string): string {
  return /^[\w./+:,@%-]+$/.test(name) ? name : quote(name);
}

/** `..` is taken away before links are looked at; with -s they never are. */
function resolveByName(tool: FileTool, name: string, existence: Existence): string {
  if (name === "") throw new FileError("ENOENT", name);
  const plain = resolvePath(tool.context.cwd, name);
  if (existence === "all") tool.stat(name);
  if (existence === "parents") tool.files.lstat(plain.slice(0, plain.lastIndexOf("/")) || "/");
  return tool.given.last("s", "P") === "s" ? plain : resolveLinks(tool, plain, existence);
}
