/** chmod, chown, chgrp. */
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { codeOf, joinName, quote, sortedNames, USER_ID } from "./paths.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { type ModeChange, modeLetters, parseMode, permissionsOf } from "./modes.ts";

const CHMOD = {
  letters: "cfvRrwxXstugoa,+=01234567",
  long: {
    changes: "c",
    silent: "f",
    quiet: "f",
    verbose: "v",
    recursive: "R",
    "reference=": "reference",
    "preserve-root": "preserve-root",
    "no-preserve-root": "no-preserve-root",
  },
  synopsis: "[OPTION]... MODE[,MODE]... FILE...",
};

/** `chmod -w f` and `chmod -rwx f` are modes, not options. */
const MINUS_MODE = /^-[rwxXst0-7ugoa,+=-]+$/;

/** Puts a mode that looks like options behind them. */
function moveMode(args: string[]): string[] {
  const at = args.findIndex((word) => MINUS_MODE.test(word) && word !== "--");
  const end = args.indexOf("--");
  const other = args.slice(0, at).some((word) => parseMode(word) && !word.startsWith("-"));
  if (at < 0 || end >= 0 && end < at || other) return args;
  const rest = args.toSpliced(at, 1);
  const options = rest.filter((word) => /^-./.test(word) && word !== "--");
  return [...options, "--", args[at], ...rest.filter((word) => !/^-./.test(word))];
}

export const chmod = defineFileTool("chmod", CHMOD, async (tool) => {
  const { given } = tool;
  const reference = given.get("reference");
  const names = [...tool.operands];
  const text = reference === undefined ? names.shift() : undefined;
  if (reference === undefined && text === undefined) throw new UsageError("missing operand");
  if (names.length === 0) {
    throw new UsageError(text === undefined ? "missing operand" : `missing operand after ${quote(text)}`);
  }
  const change = reference === undefined ? parseMode(text ?? "") : referenceMode(tool, reference);
  if (!change) throw new UsageError(`invalid mode: ${quote(text ?? "")}`);
  const implicit = text !== undefined && MINUS_MODE.test(text) ? text : undefined;
  for (const name of names) await changeMode(tool, name, change, implicit);
}, moveMode);

function referenceMode(tool: FileTool, name: string): ModeChange {
  try {
    const mode = permissionsOf(tool.stat(name));
    return { apply: () => mode };
  } catch (error) {
    throw new CommandError(`failed to get attributes of ${quote(name)}: ${reasonOf(error)}`);
  }
}

async function changeMode(
  tool: FileTool,
  name: string,
  change: ModeChange,
  implicit: string | undefined,
  inside = false,
): Promise<void> {
  await tool.attend();
  const { given, files, context: { umask } } = tool;
  try {
    if (inside && tool.lstat(name).kind === "link") return;
    if (!tool.findStat(name) && tool.findLstat(name)?.kind === "link") {
      if (!given.has("f")) tool.report(`cannot operate on dangling symlink ${quote(name)}`);
      tool.code = 1;
      return;
    }
    const stat = tool.stat(name);
    const isFolder = stat.kind === "directory";
    const old = permissionsOf(stat);
    const mode = change.apply(old, isFolder, umask);
    if (mode !== old) files.chmod(tool.path(name), mode);
    if (given.has("v") || given.has("c") && mode !== old) say(tool, name, old, mode);
    const wanted = implicit === undefined ? mode : change.apply(old, isFolder, 0);
    if (wanted !== mode) {
      const letters = (value: number) => modeLetters({ kind: "file", mode: value }).slice(1);
      tool.report(`${name}: new permissions are ${letters(mode)}, not ${letters(wanted)}`);
    }
    if (!given.has("R") || !isFolder) return;
    for (const child of sortedNames(files, tool.path(name))) {
      await changeMode(tool, joinName(name, child), change, implicit, true);
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    tool.code = 1;
    const what = codeOf(error) === "ENOENT" ? "cannot access" : "changing permissions of";
    if (!given.has("f")) tool.report(`${what} ${quote(name)}: ${reasonOf(error)}`);
  }
}

function say(tool: FileTool, name: string, old: number, mode: number): void {
  const show = (value: number) =>
    `${value.toString(8).padStart(4, "0")} (${modeLetters({ kind: "file", mode: value }).slice(1)})`;
  tool.print(
    mode === old
      ? `mode of ${quote(name)} retained as ${show(mode)}\n`
      : `mode of ${quote(name)} changed from ${show(old)} to ${show(mode)}\n`,
  );
}

const CHOWN = {
  letters: "cfhvRHLP",
  long: {
    changes: "c",
    silent: "f",
    quiet: "f",
    verbose: "v",
    dereference: "dereference",
    "no-dereference": "h",
    recursive: "R",
    "from=": "from",
    "reference=": "reference",
    "preserve-root": "preserve-root",
    "no-preserve-root": "no-preserve-root",
  },
  synopsis: "[OPTION]... [OWNER][:[GROUP]] FILE...",
};

/** Everything belongs to the one user, who may keep it. */
function defineOwner(name: string, what: "ownership" | "group") {
  return defineFileTool(name, CHOWN, async (tool) => {
    const { given } = tool;
    const names = [...tool.operands];
    const spec = given.has("reference") ? "" : names.shift();
    if (spec === undefined) throw new UsageError("missing operand");
    if (names.length === 0) throw new UsageError(`missing operand after ${quote(spec)}`);
    const allowed = what === "group" ? isOwn(tool, spec, "group") : readOwner(tool, spec);
    for (const file of names) await changeOwner(tool, file, spec, what, allowed);
  });
}

/** --from: whether what there is belongs to whom it is to be taken from. */
function isFrom(tool: FileTool): boolean {
  const from = tool.given.get("from");
  return from === undefined || readOwner(tool, from);
}

function readOwner(tool: FileTool, spec: string): boolean {
  const [, user, separator, group] = /^([^:.]*)([:.]?)(.*)$/s.exec(spec) ?? ["", "", "", ""];
  const own = user === "" || isOwn(tool, user, "user");
  return (separator === "" || group === "" || isOwn(tool, group, "group")) && own;
}

function isOwn(tool: FileTool, name: string, kind: "user" | "group"): boolean {
  if (name === "" || name === tool.user || name === String(USER_ID) || name === `+${USER_ID}`) return true;
  if (/^\+?\d+$/.test(name) || name === "root" || name === "nobody" || name === "nogroup") return false;
  throw new CommandError(`invalid ${kind}: ${quote(name)}`);
}

async function changeOwner(
  tool: FileTool,
  name: string,
  spec: string,
  what: "ownership" | "group",
  allowed: boolean,
): Promise<void> {
  await tool.attend();
  const { given } = tool;
  try {
    const stat = given.has("h")
      ? tool.lstat(name)
      : tool.findStat(name) ?? (given.has("R") ? tool.lstat(name) : tool.stat(name));
    if (given.has("R") && stat.kind === "directory" && tool.lstat(name).kind !== "link") {
      for (const child of sortedNames(tool.files, tool.path(name))) {
        await changeOwner(tool, joinName(name, child), spec, what, allowed);
      }
    }
    if (!isFrom(tool)) {
      if (given.has("v")) tool.print(`${what} of ${quote(name)} retained as ${tool.user}\n`);
    } else if (!allowed) {
      tool.code = 1;
      if (!given.has("f")) tool.report(`changing ${what} of ${quote(name)}: Operation not permitted`);
    } else if (given.has("v")) tool.print(`${what} of ${quote(name)} retained as ${spec || tool.user}\n`);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    tool.code = 1;
    if (!given.has("f")) tool.report(`cannot access ${quote(name)}: ${reasonOf(error)}`);
  }
}

export const chown = defineOwner("chown", "ownership");
export const chgrp = defineOwner("chgrp", "group");
