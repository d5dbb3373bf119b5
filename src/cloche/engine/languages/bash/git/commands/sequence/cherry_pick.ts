/** git cherry-pick and git revert. */
import { type Args, GitError, parseArgs, usageError } from "../../options.ts";
import type { Call } from "../../call.ts";
import { cleanMessage, EMPTY_PICK, reportCommit, runCommit, signMessage } from "../commit.ts";
import { headTree } from "../diff.ts";
import { readRanges } from "../log.ts";
import { subjectOf } from "../../text/commit_format.ts";
import type { Commit } from "../../repository/objects.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, findRevision } from "../../repository/revision.ts";
import { writeIndexTree } from "../../repository/trees.ts";
import { walkHistory } from "../../repository/history_walk.ts";
import { resetHard } from "../../repository/worktree_files.ts";
import { printLong, readState } from "../status.ts";
import { note, store } from "./merge.ts";
import { isStaged, PICKED, type Picked, refuseUnready, replayCommit } from "./replay.ts";

const OPTIONS =
  "no-commit,n edit,e no-edit x mainline,m= abort quit continue skip allow-empty keep-redundant-commits " +
  "signoff,s ff strategy= strategy-option,X= cleanup= allow-empty-message rerere-autoupdate gpg-sign,S=? no-gpg-sign";

interface Kind {
  file: Picked;
  verb: string;
  doing: string;
}

const PICK: Kind = { file: "CHERRY_PICK_HEAD", verb: "cherry-pick", doing: "Cherry-picking" };
const REVERT: Kind = { file: "REVERT_HEAD", verb: "revert", doing: "Reverting" };

export async function runCherryPick(call: Call, args: string[]): Promise<number> {
  return await run(call, args, PICK);
}

export async function runRevert(call: Call, args: string[]): Promise<number> {
  return await run(call, args, REVERT);
}

async function run(call: Call, args: string[], kind: Kind): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  for (const name of ["strategy", "strategy-option"]) {
    if (given.has(name)) throw new GitError(`${kind.verb} --${name} is not supported here`);
  }
  const repo = await Repo.find(call);
  repo.top;
  if (given.has("abort")) return await abort(repo, kind);
  if (given.has("quit")) return await quit(repo);
  if (given.has("continue")) return await resume(repo, kind);
  if (given.has("skip")) return await skip(repo, kind);
  const { commits, single } = await readCommits(repo, given, kind);
  if (!given.has("no-commit")) await refuseUnready(repo, kind.verb, kind.doing);
  if (!single) await begin(repo, given, kind, commits);
  return await pickAll(repo, given, kind, commits, single);
}

/** The commits in the order in which they are to be made; a range counts from its oldest, a revert from the youngest. */
async function readCommits(repo: Repo, given: Args, kind: Kind): Promise<{ commits: Commit[]; single: boolean }> {
  const words = given.everything;
  if (words.length === 0) {
    throw new GitError(`usage: git ${kind.verb} [--edit] [-n] [-m <parent-number>] <commit>...`, 129, "");
  }
  const isRange = words.some((word) => /\.\.|^\^/.test(word));
  const commits: Commit[] = [];
  if (!isRange) {
    for (const word of words) {
      if (await findRevision(repo, word) === undefined) throw new GitError(`bad revision '${word}'`);
      commits.push(await commitOf(repo, word));
    }
    return { commits, single: commits.length === 1 };
  }
  for await (const commit of walkHistory(repo, await readRanges(repo, words, given))) commits.push(commit);
  if (commits.length === 0) throw usageError(`empty commit set passed\nfatal: ${kind.verb} failed`, 128);
  return { commits: kind === PICK ? commits.reverse() : commits, single: false };
}

const KEPT = ["no-commit", "x", "signoff", "allow-empty", "keep-redundant-commits", "edit", "mainline"];

/** Leaves word of a sequence of commits, so that it can be continued or taken back. */
async function begin(repo: Repo, given: Args, kind: Kind, commits: Commit[]): Promise<void> {
  if (await repo.note("sequencer/todo") !== undefined) {
    throw usageError(
      `a ${await inProgress(
        repo,
      )} is already in progress\nhint: try "git ${kind.verb} (--continue | --abort | --quit)"\nfatal: ${kind.verb} failed`,
      128,
    );
  }
  await repo.call.ctx.fs.mkdir(`${repo.gitdir}/sequencer`, { recursive: true });
  await repo.writeNote("sequencer/head", `${await repo.head()}\n`);
  const options = KEPT.filter((name) => given.has(name)).map((name) => `\t${name} = ${given.get(name) || "true"}\n`);
  if (options.length > 0) await repo.writeNote("sequencer/opts", `[options]\n${options.join("")}`);
  await writeTodo(repo, kind, commits);
}

async function inProgress(repo: Repo): Promise<string> {
  return (await repo.note("sequencer/todo"))?.startsWith("revert") ? "revert" : "cherry-pick";
}

async function writeTodo(repo: Repo, kind: Kind, commits: Commit[]): Promise<void> {
  const word = kind === PICK ? "pick" : "revert";
  const lines = commits.map(({ oid, message }) => `${word} ${oid.slice(0, 7)} ${subjectOf(message)}\n`);
  await repo.writeNote("sequencer/todo", lines.join(""));
  await repo.writeNote("sequencer/abort-safety", `${await repo.head()}\n`);
}

async function pickAll(repo: Repo, given: Args, kind: Kind, commits: Commit[], single: boolean): Promise<number> {
  for (const [i, commit] of commits.entries()) {
    if (!single) await writeTodo(repo, kind, commits.slice(i));
    const code = await pickOne(repo, given, commit, kind);
    if (code !== 0) return code;
  }
  if (!single) await repo.removeNotes("sequencer");
  return 0;
}

async function pickOne(repo: Repo, given: Args, picked: Commit, kind: Kind): Promise<number> {
  const { verb, file } = kind;
  const head = await repo.head();
  if (head === undefined) throw new GitError(`${verb} needs a commit to work on`);
  const ours = await repo.objects.commit(head);
  if (given.has("ff") && picked.parents[0] === head) {
    await resetHard(repo, picked.tree);
    await repo.moveHead(picked.oid, `${verb}: fast-forward`);
    return 0;
  }
  const reverting = kind === REVERT;
  const onto = given.has("no-commit") ? { ...ours, tree: await writeIndexTree(repo, await repo.index()) } : ours;
  const mainline = given.number("mainline", 0);
  const { outcome, index } = await replayCommit(repo, { picked, onto, reverting, mainline, verb });
  const plain = pickMessage(picked, reverting, given.has("x"), mainline);
  const message = given.has("signoff") ? signMessage(repo, plain) : plain;
  if (outcome.conflicts.length > 0) {
    const paths = outcome.conflicts.map(({ path }) => path);
    if (given.has("no-commit")) await repo.writeNote("MERGE_MSG", message);
    else await note(repo, file, picked.oid, message, paths);
    throw usageError(
      `could not ${reverting ? "revert" : "apply"} ${picked.oid.slice(0, 7)}... ${subjectOf(picked.message)}\n` +
        conflictHint(verb, given.has("no-commit")),
    );
  }
  if (given.has("no-commit")) {
    if (reverting) await note(repo, file, picked.oid, message, []);
    else await repo.writeNote("MERGE_MSG", message);
    return 0;
  }
  const tree = await writeIndexTree(repo, index);
  if (tree === ours.tree && !await mayBeEmpty(repo, given, picked, kind)) {
    return await stopEmpty(repo, kind, picked, message);
  }
  const oid = await store(repo, tree, [head], message, reverting ? undefined : picked.author);
  await repo.moveHead(oid, `${verb}: ${subjectOf(message)}`);
  await reportCommit(repo, await repo.objects.commit(oid), ours.tree, false, true);
  return 0;
}

/** A commit that was empty from the start is kept if that was asked for; one that became empty never is. */
async function mayBeEmpty(repo: Repo, given: Args, picked: Commit, kind: Kind): Promise<boolean> {
  if (given.has("keep-redundant-commits")) return true;
  const [parent] = picked.parents;
  const started = parent !== undefined && (await repo.objects.commit(parent)).tree === picked.tree;
  return kind === PICK && given.has("allow-empty") && started;
}

async function stopEmpty(repo: Repo, kind: Kind, picked: Commit, message: string): Promise<number> {
  if (kind === PICK) await note(repo, kind.file, picked.oid, message, []);
  repo.call.out(await printLong(await readState(repo, "normal")));
  if (kind === PICK) repo.call.err(EMPTY_PICK);
  return 1;
}

function conflictHint(verb: string, uncommitted: boolean): string {
  if (uncommitted) {
    return "hint: after resolving the conflicts, mark the corrected paths\nhint: with 'git add <paths>' or 'git rm <paths>'";
  }
  return 'hint: After resolving the conflicts, mark them with\nhint: "git add/rm <pathspec>", then run\n' +
    `hint: "git ${verb} --continue".\nhint: You can instead skip this commit with "git ${verb} --skip".\n` +
    `hint: To abort and get back to the state before "git ${verb}",\nhint: run "git ${verb} --abort".`;
}

function pickMessage(picked: Commit, reverting: boolean, origin: boolean, mainline: number): string {
  if (reverting) {
    const merged = picked.parents.length > 1 && mainline > 0
      ? `, reversing\nchanges made to ${picked.parents[mainline - 1]}`
      : "";
    return `Revert "${subjectOf(picked.message)}"\n\nThis reverts commit ${picked.oid}${merged}.\n`;
  }
  if (!origin) return picked.message;
  const trailed = /\n\n(?:[\w-]+: .*\n|\(cherry picked from commit [0-9a-f]+\)\n)+$/.test(cleanMessage(picked.message));
  return `${picked.message.trimEnd()}\n${trailed ? "" : "\n"}(cherry picked from commit ${picked.oid})\n`;
}

async function isBusy(repo: Repo): Promise<boolean> {
  for (const name of [...PICKED, "sequencer/todo"]) if (await repo.note(name) !== undefined) return true;
  return false;
}

function nothing(verb: string, what = "cherry-pick or revert"): GitError {
  return usageError(`no ${what} in progress\nfatal: ${verb} failed`, 128);
}

async function abort(repo: Repo, { verb }: Kind): Promise<number> {
  if (!await isBusy(repo)) throw nothing(verb);
  const start = (await repo.note("sequencer/head"))?.trim() ?? await repo.head();
  if (start !== undefined) {
    await resetHard(repo, (await repo.objects.commit(start)).tree);
    await repo.moveHead(start, `reset: moving to ${start}`);
  }
  return await quit(repo);
}

async function quit(repo: Repo): Promise<number> {
  await repo.removeNotes(...PICKED, "sequencer", "MERGE_MSG");
  return 0;
}

/** The commits that are left, and the options they were asked for with. */
async function readLeft(repo: Repo): Promise<{ commits: Commit[]; given: Args }> {
  const lines = (await repo.note("sequencer/todo") ?? "").split("\n").filter(Boolean);
  const commits: Commit[] = [];
  for (const line of lines) commits.push(await commitOf(repo, line.split(" ")[1]));
  const options = (await repo.note("sequencer/opts") ?? "").matchAll(/^\t([\w-]+) = (.*)$/gm);
  const words = [...options].map(([, name, value]) =>
    name === "mainline" ? `--mainline=${value}` : name.length === 1 ? `-${name}` : `--${name}`
  );
  return { commits, given: parseArgs(words, OPTIONS) };
}

async function resume(repo: Repo, kind: Kind): Promise<number> {
  if (!await isBusy(repo)) throw nothing(kind.verb);
  const waiting = await repo.note(kind.file) !== undefined;
  if (waiting || await isStaged(repo)) {
    const code = await runCommit(repo.call, ["--no-edit"]);
    if (code !== 0) return code;
  }
  return await goOn(repo, kind);
}

async function goOn(repo: Repo, kind: Kind): Promise<number> {
  if (await repo.note("sequencer/todo") === undefined) return 0;
  const { commits, given } = await readLeft(repo);
  return await pickAll(repo, given, kind, commits.slice(1), false);
}

async function skip(repo: Repo, kind: Kind): Promise<number> {
  const current = await repo.note(kind.file) !== undefined || await repo.note("sequencer/todo") !== undefined;
  if (!current) throw nothing(kind.verb, kind.verb);
  const tree = await headTree(repo);
  if (tree !== undefined) await resetHard(repo, tree);
  await repo.removeNotes(...PICKED, "MERGE_MSG");
  return await goOn(repo, kind);
}
