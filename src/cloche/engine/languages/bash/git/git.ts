/** git: the program, its own options, and its commands. */
import type { ExecResult } from "just-bash";
import type { Context } from "../commands/command.ts";
import { add, mv, rm } from "./commands/add.ts";
import { apply } from "./commands/apply.ts";
import { GitError } from "./options.ts";
import { branch, tag } from "./commands/branch.ts";
import { Call } from "./call.ts";
import { checkout, restore, switchBranch } from "./commands/checkout.ts";
import { clean } from "./commands/clean.ts";
import { clone, submodule } from "./commands/clone.ts";
import { commit } from "./commands/commit.ts";
import { keyOf } from "./repository/configuration.ts";
import { diff } from "./commands/diff.ts";
import { fetch, lsRemote, pull } from "./commands/fetch.ts";
import type { Outside } from "./command.ts";
import { grep } from "./commands/grep.ts";
import { init } from "./commands/init.ts";
import { log, show } from "./commands/log.ts";
import { cherryPick, merge, revert } from "./commands/merge.ts";
import * as plumbing from "./commands/plumbing.ts";
import { push } from "./commands/push.ts";
import { reset } from "./commands/reset.ts";
import { config, remote } from "./commands/config_remote.ts";
import { stash } from "./commands/stash.ts";
import { status } from "./commands/status.ts";

type Verb = (call: Call, args: string[]) => Promise<number>;

const VERBS: Record<string, Verb> = {
  ...{ add, branch, checkout, commit, config, diff, init, log, mv, remote, reset, restore, rm, show, status, tag },
  ...{ apply, clean, clone, fetch, grep, merge, pull, push, revert, stash, submodule },
  "ls-remote": lsRemote,
  "cherry-pick": cherryPick,
  switch: switchBranch,
  "rev-parse": plumbing.revParse,
  "rev-list": plumbing.revList,
  "ls-files": plumbing.lsFiles,
  "ls-tree": plumbing.lsTree,
  "cat-file": plumbing.catFile,
  "hash-object": plumbing.hashObject,
  "symbolic-ref": plumbing.symbolicRef,
  "check-ignore": plumbing.checkIgnore,
  "merge-base": plumbing.mergeBase,
};

export const VERSION = "git version 2.39.5 (Cloche)\n";

/** Runs git with these arguments. */
export async function run(args: string[], ctx: Context, outside?: Outside): Promise<ExecResult> {
  const call = new Call(ctx, ctx.cwd, outside);
  try {
    return call.result(await dispatch(call, await globalOptions(call, args)));
  } catch (error) {
    return call.result(tell(call, error));
  }
}

/** Says what went wrong; what is no error of git's own is passed on, interrupts among it. */
function tell(call: Call, error: unknown): number {
  if (error instanceof GitError) {
    if (error.message !== "" || error.prefix !== "") call.err(`${error.prefix}${error.message}\n`);
    return error.code;
  }
  call.ctx.executionScope?.throwIfAborted();
  const message = error instanceof Error ? error.message : String(error);
  call.err(`fatal: ${message}\n`);
  return 128;
}

const USAGE = "usage: git [--version] [--help] [-C <path>] [-c <name>=<value>]\n" +
  "           [--git-dir=<path>] [--work-tree=<path>] [--bare] <command> [<args>]\n";

async function globalOptions(call: Call, args: string[]): Promise<string[]> {
  const queue = [...args];
  const value = (name: string) => {
    const next = queue.shift();
    if (next === undefined) throw new GitError(`no value given for ${name}`, 129);
    return next;
  };
  while (queue[0]?.startsWith("-")) {
    const word = queue.shift() ?? "";
    const [, name, attached] = word.match(/^(--[\w-]+)=(.*)$/s) ?? [];
    if (word === "-C") await enter(call, value("-C"));
    else if (word === "-c") setOption(call, value("-c"));
    else if (word === "--git-dir" || name === "--git-dir") call.gitDir = attached ?? value(word);
    else if (word === "--work-tree" || name === "--work-tree") call.workTree = attached ?? value(word);
    else if (word === "--version" || word === "-v") return ["version"];
    else if (word === "--help" || word === "-h") return ["help"];
    else if (!IGNORED.has(word)) throw new GitError(`unknown option: ${word}\n${USAGE.trimEnd()}`, 129, "");
  }
  return queue;
}

/** Options that change nothing here: there is no pager, and nothing is locked for long. */
const IGNORED = new Set([
  "--no-pager",
  "-P",
  "-p",
  "--paginate",
  "--no-optional-locks",
  "--literal-pathspecs",
  "--bare",
]);

async function enter(call: Call, folder: string): Promise<void> {
  const path = call.path(folder);
  const stat = await call.ctx.fs.stat(path).catch(() => undefined);
  if (!stat?.isDirectory) {
    throw new GitError(`cannot change to '${folder}': ${stat ? "Not a directory" : "No such file or directory"}`);
  }
  call.cwd = path;
}

function setOption(call: Call, text: string): void {
  const at = text.indexOf("=");
  call.given.push({ key: keyOf(at < 0 ? text : text.slice(0, at)), value: at < 0 ? "true" : text.slice(at + 1) });
}

async function dispatch(call: Call, [name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === "help") {
    call.out(`${USAGE}\nThese commands are here:\n\n   ${Object.keys(VERBS).sort().join(" ")}\n`);
    return name === undefined ? 1 : 0;
  }
  if (name === "version") {
    call.out(VERSION);
    return 0;
  }
  if (!Object.hasOwn(VERBS, name)) {
    throw new GitError(`'${name}' is not a git command here. See 'git --help' for those that are.`, 1, "git: ");
  }
  return await VERBS[name](call, args);
}
