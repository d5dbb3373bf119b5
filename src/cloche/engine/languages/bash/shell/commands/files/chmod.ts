/** chmod, chown, chgrp. */
import { CommandError } from "../../../commands/command.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { type ModeChange, modeLetters, parseMode, permissionsOf } from "./modes.ts";
import { codeOf, defineTool, joinName, quote, sortedNames, type Tool, usageError, USER_ID } from "./tool.ts";

const CHMOD = {
  short: "cfvRrwxXstugoa,+=01234567",
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
  usage: "[OPTION]... MODE[,MODE]... FILE...",
};

/** `chmod -w f` and `chmod -rwx f` are modes, not options. */
const MINUS_MODE = /^-[rwxXst0-7ugoa,+=-]+$/;

const parsed = defineTool("chmod", CHMOD, async (tool) => {
  const { given } = tool;
  const reference = given.get("reference");
  const names = [...tool.operands];
  const text = reference === undefined ? names.shift() : undefined;
  if (reference === undefined && text === undefined) throw usageError("chmod", "missing operand");
  if (names.length === 0) {
    throw usageError("chmod", text === undefined ? "missing operand" : `missing operand after ${quote(text)}`);
  }
  const change = reference === undefined ? parseMode(text ?? "") : referenceMode(tool, reference);
  if (!change) throw usageError("chmod", `invalid mode: ${quote(text ?? "")}`);
  const implicit = text !== undefined && MINUS_MODE.test(text) ? text : undefined;
  for (const name of names) await changeMode(tool, name, change, implicit);
});

export const chmod = {
  name: "chmod",
  run(context: Parameters<typeof parsed.run>[0]) {
    const argv = [...context.argv];
    const at = argv.findIndex((word, i) => i > 0 && MINUS_MODE.test(word) && word !== "--");
    const end = argv.indexOf("--");
    const other = argv.slice(1, at).some((word) => parseMode(word) && !word.startsWith("-"));
    if (at < 0 || end >= 0 && end < at || other) return parsed.run(context);
    const [mode] = argv.splice(at, 1);
    const options = argv.slice(1).filter((word) => /^-./.test(word) && word !== "--");
    const names = argv.slice(1).filter((word) => !/^-./.test(word));
    const words = ["chmod", ...options, "--", mode, ...names];
    return parsed.runWith(context, words);
  },
};

function referenceMode(tool: Tool, name: string): ModeChange {
  try {
    const mode = permissionsOf(tool.stat(name));
    return { apply: () => mode };
  } catch (error) {
    throw new CommandError(`failed to get attributes of ${quote(name)}: ${reasonOf(error)}`);
  }
}

async function changeMode(
  tool: Tool,
  name: string,
  change: ModeChange,
  implicit: string | undefined,
  inside = false,
): Promise<void> {
  await tool.turn();
  const { given, files, context: { umask } } = tool;
  try {
    if (inside && tool.lstat(name).kind === "link") return;
    if (!tool.findStat(name) && tool.findLstat(name)?.kind === "link") {
      if (!given.has("f")) tool.fail(`cannot operate on dangling symlink ${quote(name)}`);
      tool.status = 1;
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
      tool.fail(`${name}: new permissions are ${letters(mode)}, not ${letters(wanted)}`);
    }
    if (!given.has("R") || !isFolder) return;
    for (const child of sortedNames(files, tool.path(name))) {
      await changeMode(tool, joinName(name, child), change, implicit, true);
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    tool.status = 1;
    const what = codeOf(error) === "ENOENT" ? "cannot access" : "changing permissions of";
    if (!given.has("f")) tool.fail(`${what} ${quote(name)}: ${reasonOf(error)}`);
  }
}

function say(tool: Tool, name: string, old: number, mode: number): void {
  const show = (value: number) =>
    `${value.toString(8).padStart(4, "0")} (${modeLetters({ kind: "file", mode: value }).slice(1)})`;
  tool.print(
    mode === old
      ? `mode of ${quote(name)} retained as ${show(mode)}\n`
      : `mode of ${quote(name)} changed from ${show(old)} to ${show(mode)}\n`,
  );
}

const CHOWN = {
  short: "cfhvRHLP",
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
  usage: "[OPTION]... [OWNER][:[GROUP]] FILE...",
};

/** Everything belongs to the one user, who may keep it. */
function defineOwner(name: string, what: "ownership" | "group") {
  return defineTool(name, CHOWN, async (tool) => {
    const { given } = tool;
    const names = [...tool.operands];
    const spec = given.has("reference") ? "" : names.shift();
    if (spec === undefined) throw usageError(name, "missing operand");
    if (names.length === 0) throw usageError(name, `missing operand after ${quote(spec)}`);
    const allowed = what === "group" ? isOwn(tool, spec, "group") : readOwner(tool, spec);
    for (const file of names) await changeOwner(tool, file, spec, what, allowed);
  });
}

function readOwner(tool: Tool, spec: string): boolean {
  const [, user, separator, group] = /^([^:.]*)([:.]?)(.*)$/s.exec(spec) ?? ["", "", "", ""];
  const own = user === "" || isOwn(tool, user, "user");
  return (separator === "" || group === "" || isOwn(tool, group, "group")) && own;
}

function isOwn(tool: Tool, name: string, kind: "user" | "group"): boolean {
  if (name === "" || name === tool.user || name === String(USER_ID) || name === `+${USER_ID}`) return true;
  if (/^\+?\d+$/.test(name) || name === "root" || name === "nobody" || name === "nogroup") return false;
  throw new CommandError(`invalid ${kind}: ${quote(name)}`);
}

async function changeOwner(
  tool: Tool,
  name: string,
  spec: string,
  what: "ownership" | "group",
  allowed: boolean,
): Promise<void> {
  await tool.turn();
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
    if (!allowed) {
      tool.status = 1;
      if (!given.has("f")) tool.fail(`changing ${what} of ${quote(name)}: Operation not permitted`);
    } else if (given.has("v")) tool.print(`${what} of ${quote(name)} retained as ${spec || tool.user}\n`);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    tool.status = 1;
    if (!given.has("f")) tool.fail(`cannot access ${quote(name)}: ${reasonOf(error)}`);
  }
}

export const chown = defineOwner("chown", "ownership");
export const chgrp = defineOwner("chgrp", "group");
