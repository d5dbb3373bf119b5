/** mkdir and mktemp. */
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { codeOf, joinName, quote } from "./paths.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { readMode } from "./modes.ts";

const MKDIR = {
  letters: "m:pvZ",
  long: { "mode=": "m", parents: "p", verbose: "v", "context?": "Z" },
  synopsis: "[OPTION]... DIRECTORY...",
};

export const mkdir = defineFileTool("mkdir", MKDIR, (tool) => {
  const { given, operands } = tool;
  if (operands.length === 0) throw new UsageError("missing operand");
  const { umask } = tool.context;
  const text = given.get("m");
  const mode = text === undefined ? 0o777 & ~umask : readMode(text, 0o777, true, umask);
  for (const name of operands) {
    if (given.has("p")) makeParents(tool, name, mode, text !== undefined);
    else if (makeFolder(tool, name, mode)) say(tool, name);
  }
});

function say(tool: FileTool, name: string): void {
  if (tool.given.has("v")) tool.print(`${tool.name}: created directory ${quote(name)}\n`);
}

function makeFolder(tool: FileTool, name: string, mode: number): boolean {
  return tool.try(`cannot create directory ${quote(name)}`, () => {
    const path = tool.path(name);
    tool.files.makeDirectory(path, mode);
    // The process that holds the sandbox has a umask of its own.
    if ((tool.files.lstat(path).mode & 0o7777) !== mode) tool.files.chmod(path, mode);
  });
}

/** Makes a folder with those above it; true if it is there. */
export function makeParents(tool: FileTool, name: string, mode: number, exact = false, tell = say): boolean {
  if (name === "") {
    tool.report("cannot create directory '': No such file or directory");
    return false;
  }
  const parts = name.split("/").filter((part) => part !== "");
  let path = name.startsWith("/") ? "/" : "";
  for (const [i, part] of parts.entries()) {
    path = path === "" || path === "/" ? path + part : `${path}/${part}`;
    const found = tool.findStat(path);
    if (found?.kind === "directory") continue;
    if (found || tool.findLstat(path)) {
      const isLast = i === parts.length - 1;
      tool.report(
        `cannot create directory ${quote(isLast ? name : path)}: ${isLast ? "File exists" : "Not a directory"}`,
      );
      return false;
    }
    const isLast = i === parts.length - 1;
    const own = isLast && exact ? mode : 0o777 & ~tool.context.umask | (isLast ? 0 : 0o300);
    if (!makeFolder(tool, path, own)) return false;
    tell(tool, path);
  }
  return true;
}

const MKTEMP = {
  letters: "dp:qtuV",
  long: { directory: "d", "dry-run": "u", quiet: "q", "suffix=": "suffix", "tmpdir?": "tmpdir" },
  synopsis: "[OPTION]... [TEMPLATE]",
};
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const TRIES = 100;

export const mktemp = defineFileTool("mktemp", MKTEMP, (tool) => {
  const { given, operands, context: { env } } = tool;
  if (operands.length > 1) throw new UsageError("too many templates");
  const template = operands[0] ?? "tmp.XXXXXXXXXX";
  const suffix = given.get("suffix");
  if (suffix !== undefined && !template.endsWith("X")) {
    throw new CommandError(`with --suffix, template ${quote(template)} must end in X`);
  }
  const whole = template + (suffix ?? "");
  const [, before, exes, after] = /^(.*?)(X+)([^X]*)$/s.exec(whole) ?? [];
  if (exes === undefined || exes.length < 3 || after.includes("/")) {
    throw new CommandError(`too few X's in template ${quote(template)}`);
  }
  const folder = readFolder(tool, template, env.TMPDIR || "/tmp");
  for (let i = 0; i < TRIES; i++) {
    const random = Array.from(crypto.getRandomValues(new Uint8Array(exes.length)), (byte) => LETTERS[byte % 62]).join(
      "",
    );
    const name = (folder === undefined ? "" : joinName(folder, "")) + before + random + after;
    if (!given.has("u") && !create(tool, name, whole, folder)) {
      if (tool.code !== 0) return;
      continue;
    }
    if (given.has("u") && tool.findLstat(name)) continue;
    return void tool.print(`${name}\n`);
  }
  throw new CommandError(`failed to create file via template ${quote(whole)}: File exists`);
});

/** The folder that goes before the template, if any. */
function readFolder(tool: FileTool, template: string, standard: string): string | undefined {
  const { given, operands } = tool;
  if (given.has("t")) {
    if (template.includes("/")) {
      throw new CommandError(`invalid template, ${quote(template)}, contains directory separator`);
    }
    return tool.context.env.TMPDIR || given.get("p") || "/tmp";
  }
  const option = given.last("p", "tmpdir");
  if (option === undefined) return operands.length === 0 ? standard : undefined;
  if (template.startsWith("/")) {
    throw new CommandError(`invalid template, ${quote(template)}; with --tmpdir, it may not be absolute`);
  }
  return given.get(option) || standard;
}

function create(tool: FileTool, name: string, whole: string, folder: string | undefined): boolean {
  const isFolder = tool.given.has("d");
  try {
    const path = tool.path(name);
    if (isFolder) tool.files.makeDirectory(path, 0o700);
    else {
      tool.files.open(path, { read: true, write: true, create: true, exclusive: true }, 0o600).close();
    }
    return true;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    if (codeOf(error) === "EEXIST") return false;
    const template = folder === undefined ? whole : joinName(folder, whole);
    tool.code = 1;
    if (!tool.given.has("q")) {
      tool.report(
        `failed to create ${isFolder ? "directory" : "file"} via template ${quote(template)}: ${reasonOf(error)}`,
      );
    }
    return false;
  }
}
