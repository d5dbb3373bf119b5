/** rm and mv: both take links as they are, wherever these lead. */
import type { FsStat } from "just-bash";
import { reasonOf } from "../text/file_errors.ts";
import {
  CommandError,
  type Context,
  defineCommand,
  type Options,
  pathOf,
  readOptions,
  stdinOf,
  textResult,
} from "./command.ts";

/** What a run says and how it ends. */
interface Report {
  out: string;
  errors: string;
  /** Answers that are still to be read from standard input. */
  answers: string[];
}

const rm = defineCommand("rm", async (args, ctx) => {
  const given = readOptions(args, "rRfivId", {
    recursive: "r",
    force: "f",
    verbose: "v",
    interactive: "i",
    dir: "d",
    "preserve-root": "",
    "no-preserve-root": "",
    "one-file-system": "",
  });
  if (given.rest.length === 0 && !given.has("f")) throw new CommandError("missing operand");
  const report: Report = { out: "", errors: "", answers: stdinOf(ctx).split("\n") };
  for (const name of given.rest) await remove(ctx, name, given, report);
  return textResult(report.out, report.errors === "" ? 0 : 1, report.errors);
});

async function remove(ctx: Context, name: string, given: Options, report: Report): Promise<void> {
  const fail = (reason: string) => void (report.errors += `rm: cannot remove '${name}': ${reason}\n`);
  if (/(^|\/)\.\.?\/*$/.test(name)) {
    report.errors += `rm: refusing to remove '.' or '..' directory: skipping '${name}'\n`;
    return;
  }
  const path = pathOf(ctx, name);
  if (path === "/") return fail("it is the root of all folders");
  try {
    const stat = await ctx.fs.lstat(path);
    if (name.endsWith("/") && !stat.isDirectory) return fail("Not a directory");
    const recursive = given.has("r") || given.has("R");
    if (stat.isDirectory && !recursive && !given.has("d")) return fail("Is a directory");
    if (!agreed(`rm: remove ${kindOf(stat)} '${name}'? `, given, report)) return;
    await ctx.fs.rm(path, { recursive });
    if (given.has("v")) report.out += `removed ${stat.isDirectory ? "directory " : ""}'${name}'\n`;
  } catch (error) {
    const reason = reasonOf(error);
    const absent = reason === "No such file or directory" || reason === "Not a directory";
    if (!(given.has("f") && absent)) fail(reason);
  }
}

/** Asks under -i, and takes the answer from standard input. */
function agreed(question: string, given: Options, report: Report): boolean {
  if (!given.has("i") || given.has("f")) return true;
  report.errors += question;
  return /^[yY]/.test(report.answers.shift() ?? "");
}

function kindOf(stat: FsStat): string {
  if (stat.isSymbolicLink) return "symbolic link";
  return stat.isDirectory ? "directory" : stat.size === 0 ? "regular empty file" : "regular file";
}

const mv = defineCommand("mv", async (args, ctx) => {
  const given = readOptions(args, "finvut:TbS:Z", {
    force: "f",
    interactive: "i",
    "no-clobber": "n",
    verbose: "v",
    update: "u",
    "target-directory": "t",
    "no-target-directory": "T",
    backup: "b",
    suffix: "S",
  });
  const names = [...given.rest];
  const target = given.get("t") ?? names.pop();
  if (target === undefined) throw new CommandError("missing file operand");
  if (names.length === 0) throw new CommandError(`missing destination file operand after '${target}'`);
  const found = await ctx.fs.stat(pathOf(ctx, target)).catch(() => undefined);
  const into = found?.isDirectory === true && !given.has("T");
  if (!into && (names.length > 1 || given.has("t"))) throw new CommandError(`target '${target}': ${missing(found)}`);
  if (!into && target.endsWith("/") && !(await isFolder(ctx, names[0]))) {
    throw new CommandError(`cannot move '${names[0]}' to '${target}': Not a directory`);
  }
  const report: Report = { out: "", errors: "", answers: stdinOf(ctx).split("\n") };
  for (const name of names) {
    const to = into ? `${target.replace(/\/+$/, "")}/${name.replace(/\/+$/, "").split("/").at(-1)}` : target;
    await move(ctx, name, to, given, report);
  }
  return textResult(report.out, report.errors === "" ? 0 : 1, report.errors);
});

function missing(found: FsStat | undefined): string {
  return found ? "Not a directory" : "No such file or directory";
}

async function isFolder(ctx: Context, name: string): Promise<boolean> {
  return (await ctx.fs.lstat(pathOf(ctx, name)).catch(() => undefined))?.isDirectory ?? false;
}

async function move(ctx: Context, name: string, to: string, given: Options, report: Report): Promise<void> {
  const [from, path] = [pathOf(ctx, name), pathOf(ctx, to)];
  const fail = (text: string) => void (report.errors += `mv: ${text}\n`);
  let source: FsStat;
  try {
    source = await ctx.fs.lstat(from);
  } catch (error) {
    return fail(`cannot stat '${name}': ${reasonOf(error)}`);
  }
  const old = await ctx.fs.lstat(path).catch(() => undefined);
  if (from === path) return fail(`'${name}' and '${to}' are the same file`);
  if (source.isDirectory && path.startsWith(`${from}/`)) {
    return fail(`cannot move '${name}' to a subdirectory of itself, '${to}'`);
  }
  if (old && given.has("n") || old && given.has("u") && old.mtime >= source.mtime) return;
  if (old && !agreed(`mv: overwrite '${to}'? `, given, report)) return;
  if (old?.isDirectory && !source.isDirectory) return fail(`cannot overwrite directory '${to}' with non-directory`);
  if (old && !old.isDirectory && source.isDirectory) {
    return fail(`cannot overwrite non-directory '${to}' with directory '${name}'`);
  }
  try {
    if (old && given.has("b")) await ctx.fs.mv(path, path + (given.get("S") ?? "~"));
    await ctx.fs.mv(from, path);
    if (given.has("v")) report.out += `renamed '${name}' -> '${to}'\n`;
  } catch (error) {
    fail(`cannot move '${name}' to '${to}': ${reasonOf(error)}`);
  }
}

export const commands = [rm, mv];
