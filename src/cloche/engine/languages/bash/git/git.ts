/** git: the program, its own options, and its commands. */
import type { ExecResult } from "just-bash";
import type { Context } from "../just_bash/command.ts";
import { runAdd, runMv, runRm } from "./commands/add.ts";
import { runApply } from "./commands/patches/apply.ts";
import { GitError } from "./options.ts";
import { runBranch, runTag } from "./commands/branch.ts";
import { findAlias } from "./aliases.ts";
import { Call } from "./call.ts";
import { runCheckout, runRestore, runSwitch } from "./commands/checkout.ts";
import { runClean } from "./commands/clean.ts";
import { runClone } from "./commands/clone.ts";
import { runCommit } from "./commands/commit.ts";
import { keyOf } from "./repository/configuration.ts";
import { runDiff } from "./commands/diff.ts";
import { runFetch, runLsRemote, runPull } from "./commands/fetch.ts";
import type { GitHost } from "./command.ts";
import { runGrep } from "./commands/grep.ts";
import { runInit } from "./commands/init.ts";
import { runLog, runShow } from "./commands/log.ts";
import { runMerge } from "./commands/sequence/merge.ts";
import { runCherryPick, runRevert } from "./commands/sequence/cherry_pick.ts";
import { runReflog } from "./commands/refs/reflog.ts";
import { runCheckRefFormat, runForEachRef, runShowRef, runUpdateRef } from "./commands/refs/list_refs.ts";
import { runDescribe, runNameRev } from "./commands/history/describe.ts";
import { runShortlog } from "./commands/history/shortlog.ts";
import { runAm } from "./commands/patches/am.ts";
import { runFormatPatch } from "./commands/patches/format_patch.ts";
import { runBisect } from "./commands/history/bisect.ts";
import { runWorktree } from "./commands/worktree.ts";
import { runArchive } from "./commands/archive/archive.ts";
import { runAnnotate, runBlame } from "./commands/history/blame.ts";
import { runRebase } from "./commands/sequence/rebase.ts";
import * as plumbing from "./commands/plumbing/plumbing.ts";
import * as made from "./commands/plumbing/write_objects.ts";
import * as compared from "./commands/plumbing/compare.ts";
import { runRevList } from "./commands/plumbing/rev_list.ts";
import { runNotes } from "./commands/notes.ts";
import { runSubmodule } from "./commands/submodule.ts";
import { runPush } from "./commands/push.ts";
import { runReset } from "./commands/reset.ts";
import { runConfig, runRemote } from "./commands/config_remote.ts";
import { runStash } from "./commands/stash.ts";
import { runStatus } from "./commands/status.ts";

type Verb = (call: Call, args: string[]) => Promise<number>;

const VERBS: Record<string, Verb> = {
  ...{
    add: runAdd,
    branch: runBranch,
    checkout: runCheckout,
    commit: runCommit,
    config: runConfig,
    diff: runDiff,
    init: runInit,
    log: runLog,
    mv: runMv,
    remote: runRemote,
    reset: runReset,
    restore: runRestore,
    rm: runRm,
    show: runShow,
    status: runStatus,
    tag: runTag,
  },
  ...{
    apply: runApply,
    clean: runClean,
    clone: runClone,
    fetch: runFetch,
    grep: runGrep,
    merge: runMerge,
    pull: runPull,
    push: runPush,
    revert: runRevert,
    stash: runStash,
    submodule: runSubmodule,
  },
  "ls-remote": runLsRemote,
  "cherry-pick": runCherryPick,
  am: runAm,
  bisect: runBisect,
  "format-patch": runFormatPatch,
  worktree: runWorktree,
  archive: runArchive,
  annotate: runAnnotate,
  blame: runBlame,
  rebase: runRebase,
  reflog: runReflog,
  describe: runDescribe,
  "name-rev": runNameRev,
  shortlog: runShortlog,
  "show-ref": runShowRef,
  "for-each-ref": runForEachRef,
  "update-ref": runUpdateRef,
  "check-ref-format": runCheckRefFormat,
  switch: runSwitch,
  "rev-parse": plumbing.runRevParse,
  "rev-list": runRevList,
  "write-tree": made.runWriteTree,
  "commit-tree": made.runCommitTree,
  "read-tree": made.runReadTree,
  "update-index": made.runUpdateIndex,
  mktree: made.runMakeTree,
  var: made.runVar,
  gc: made.runHousekeeping,
  maintenance: made.runHousekeeping,
  repack: made.runHousekeeping,
  "pack-refs": made.runHousekeeping,
  "diff-tree": compared.runDiffTree,
  "diff-index": compared.runDiffIndex,
  "diff-files": compared.runDiffFiles,
  cherry: compared.runCherry,
  "merge-file": compared.runMergeFile,
  notes: runNotes,
  "ls-files": plumbing.runLsFiles,
  "ls-tree": plumbing.runLsTree,
  "cat-file": plumbing.runCatFile,
  "hash-object": plumbing.runHashObject,
  "symbolic-ref": plumbing.runSymbolicRef,
  "check-ignore": plumbing.runCheckIgnore,
  "merge-base": plumbing.runMergeBase,
};

export const VERSION = "git version 2.39.5 (Cloche)\n";

/** Runs git with these arguments. */
export async function runGit(args: string[], ctx: Context, outside?: GitHost): Promise<ExecResult> {
  const call = new Call(ctx, ctx.cwd, outside);
  try {
    return call.result(await dispatch(call, await globalOptions(call, args)));
  } catch (error) {
    return call.result(tell(call, error));
  }
}

/** Prints what went wrong; anything that is not git's own error, such as an interrupt, is rethrown. */
function tell(call: Call, error: unknown): number {
  if (call.waiting) throw error;
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

/** `used` are the aliases that led here. */
async function dispatch(call: Call, [name, ...args]: string[], used: Set<string> = new Set()): Promise<number> {
  if (name === undefined || name === "help") {
    call.out(`${USAGE}\nThese commands are here:\n\n   ${Object.keys(VERBS).sort().join(" ")}\n`);
    return name === undefined ? 1 : 0;
  }
  if (name === "version") {
    call.out(VERSION);
    return 0;
  }
  if (!Object.hasOwn(VERBS, name)) {
    const words = used.has(name) ? undefined : await findAlias(call, name);
    if (words) return await dispatch(call, await globalOptions(call, [...words, ...args]), new Set([...used, name]));
    throw new GitError(`'${name}' is not a git command here. See 'git --help' for those that are.`, 1, "git: ");
  }
  return await VERBS[name](call, args);
}
