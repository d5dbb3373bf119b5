/** git merge. */
import { type Args, GitError, parseArgs, usageError } from "../../options.ts";
import type { Call } from "../../call.ts";
import { ChangePrinter, modeLines } from "../../text/changes.ts";
import { cleanMessage, runCommit } from "../commit.ts";
import { headTree } from "../diff.ts";
import { applyOutcome, mergeTrees, tellOutcome } from "../../repository/merge_trees.ts";
import type { Commit } from "../../repository/objects.ts";
import { personFor } from "../../people.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, upstreamOf } from "../../repository/revision.ts";
import { diffTrees, writeIndexTree } from "../../repository/trees.ts";
import { mergeBases } from "../../repository/history_walk.ts";
import { resetHard, switchTree } from "../../repository/worktree_files.ts";

const OPTIONS =
  "message,m= no-ff ff ff-only squash abort quiet,q no-edit edit,e no-commit commit continue strategy,s= " +
  "strategy-option,X= no-stat stat,n allow-unrelated-histories no-verify signoff verbose,v quit log=?";

export async function runMerge(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  const repo = await Repo.find(call);
  if (given.has("abort")) return await abort(repo, "MERGE_HEAD", "There is no merge to abort (MERGE_HEAD missing).");
  if (given.has("continue")) {
    if (await repo.note("MERGE_HEAD") === undefined) {
      throw new GitError("There is no merge in progress (MERGE_HEAD missing).");
    }
    return await runCommit(call, ["--no-edit"]);
  }
  await refuseUnfinished(repo);
  const [name = await upstreamOf(repo, ""), ...more] = given.everything;
  if (name === undefined) throw new GitError("No remote for the current branch.");
  if (more.length > 0) throw new GitError("only one branch can be merged at a time here");
  const label = name.replace(/^refs\/(heads|remotes)\//, "");
  const theirs = await commitOf(repo, name).catch(() => {
    throw new GitError(`${name} - not something we can merge`, 1, "merge: ");
  });
  return await mergeCommit(repo, given, theirs, label, await describe(repo, label));
}

/** "branch 'x'", as the message of a merge calls it. */
async function describe(repo: Repo, name: string): Promise<string> {
  if ((await repo.refs("refs/heads")).includes(name)) return `branch '${name}'`;
  if ((await repo.refs("refs/tags")).includes(name)) return `tag '${name}'`;
  if ((await repo.refs("refs/remotes")).includes(name)) return `remote-tracking branch '${name}'`;
  return `commit '${name}'`;
}

async function refuseUnfinished(repo: Repo): Promise<void> {
  const unmerged = (await repo.index()).conflicts.size > 0;
  if (unmerged) {
    throw usageError(
      "Merging is not possible because you have unmerged files.\n" +
        "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\n" +
        "hint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
      128,
    );
  }
  if (await repo.call.text(`${repo.gitdir}/MERGE_HEAD`) !== undefined) {
    throw new GitError(
      "You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.",
    );
  }
}

/** Merges a commit into the current branch; `what` is its name in the message. */
export async function mergeCommit(
  repo: Repo,
  given: Args,
  theirs: Commit,
  label: string,
  what: string,
): Promise<number> {
  const { call } = repo;
  const head = await repo.head();
  if (head === undefined) return await adopt(repo, theirs);
  const [base] = await mergeBases(repo, head, theirs.oid);
  if (base === theirs.oid) {
    if (!given.has("quiet")) call.out("Already up to date.\n");
    return 0;
  }
  if (base === undefined && !given.has("allow-unrelated-histories")) {
    throw new GitError("refusing to merge unrelated histories");
  }
  if (base === head && !given.has("no-ff")) {
    return await fastForward(repo, given, head, theirs, label);
  }
  if (given.has("ff-only")) throw new GitError("Not possible to fast-forward, aborting.");
  const ours = await repo.objects.commit(head);
  const common = base === undefined ? undefined : (await repo.objects.commit(base)).tree;
  const trees = { base: common, ours: ours.tree, theirs: theirs.tree, labels: ["HEAD", label] as [string, string] };
  const outcome = await mergeTrees(repo, trees);
  const index = await applyOutcome(repo, outcome, "merge", "merge").catch((error) => {
    throw error instanceof GitError ? usageError(`${error.message}\nMerge with strategy ort failed.`, 2) : error;
  });
  tellOutcome(repo, outcome);
  const message = given.has("message") ? given.all("message").join("\n\n") : await messageFor(repo, what);
  if (given.has("squash")) {
    call.out("Squash commit -- not updating HEAD\n");
    return outcome.conflicts.length > 0 ? 1 : 0;
  }
  await repo.setRef("ORIG_HEAD", head);
  if (outcome.conflicts.length > 0 || given.has("no-commit")) {
    await note(repo, "MERGE_HEAD", theirs.oid, message, outcome.conflicts.map(({ path }) => path));
    const failed = outcome.conflicts.length > 0;
    call.out(
      failed
        ? "Automatic merge failed; fix conflicts and then commit the result.\n"
        : "Automatic merge went well; stopped before committing as requested\n",
    );
    return failed ? 1 : 0;
  }
  const tree = await writeIndexTree(repo, index);
  const made = await store(repo, tree, [head, theirs.oid], cleanMessage(message));
  await repo.moveHead(made, `${actionOf(given, label)}: Merge made by the 'ort' strategy.`);
  if (!given.has("quiet")) call.out("Merge made by the 'ort' strategy.\n");
  if (!given.has("quiet")) await tellChanges(repo, ours.tree, tree);
  return 0;
}

async function adopt(repo: Repo, theirs: Commit): Promise<number> {
  await switchTree(repo, undefined, theirs.tree, "merge", "merge");
  await repo.moveHead(theirs.oid, "initial pull");
  return 0;
}

/** How the logs of refs call a merge. */
function actionOf(given: Args, label: string): string {
  return given.get("reflog-action") ?? `merge ${label}`;
}

async function messageFor(repo: Repo, what: string): Promise<string> {
  const branch = (await repo.branch())?.replace(/^refs\/heads\//, "") ?? "HEAD";
  return `Merge ${what}${branch === "main" || branch === "master" ? "" : ` into ${branch}`}`;
}

async function fastForward(repo: Repo, given: Args, head: string, theirs: Commit, label: string): Promise<number> {
  const ours = await repo.objects.commit(head);
  await switchTree(repo, ours.tree, theirs.tree, "merge", "merge");
  await repo.setRef("ORIG_HEAD", head);
  const squash = given.has("squash");
  if (!squash) await repo.moveHead(theirs.oid, `${actionOf(given, label)}: Fast-forward`);
  if (given.has("quiet")) return 0;
  repo.call.out(`Updating ${head.slice(0, 7)}..${theirs.oid.slice(0, 7)}\nFast-forward\n`);
  if (squash) repo.call.out("Squash commit -- not updating HEAD\n");
  await tellChanges(repo, ours.tree, theirs.tree);
  return 0;
}

async function tellChanges(repo: Repo, from: string, to: string): Promise<void> {
  const printer = new ChangePrinter(repo, parseArgs([], "unified="));
  const changes = await printer.findRenames(await diffTrees(repo, from, to));
  repo.call.bytes(await printer.stat(changes) + modeLines(changes));
}

export async function store(repo: Repo, tree: string, parents: string[], message: string, author?: Commit["author"]) {
  const committer = personFor(repo.call, repo.config, "COMMITTER");
  const by = author ?? personFor(repo.call, repo.config, "AUTHOR");
  return await repo.objects.writeCommit({ tree, parents, author: by, committer, message });
}

/** Leaves word of a merge that waits for its conflicts to be resolved. */
export async function note(repo: Repo, file: string, oid: string, message: string, conflicts: string[]): Promise<void> {
  const { fs } = repo.call.ctx;
  const list = conflicts.length > 0 ? `\n# Conflicts:\n${conflicts.map((path) => `#\t${path}\n`).join("")}` : "";
  await fs.writeFile(`${repo.gitdir}/${file}`, `${oid}\n`);
  await fs.writeFile(`${repo.gitdir}/MERGE_MSG`, `${message.trimEnd()}\n${list}`);
  if (file === "MERGE_HEAD") await fs.writeFile(`${repo.gitdir}/MERGE_MODE`, "");
}

async function abort(repo: Repo, file: string, complaint: string): Promise<number> {
  if (await repo.call.text(`${repo.gitdir}/${file}`) === undefined) throw new GitError(complaint);
  const tree = await headTree(repo);
  if (tree !== undefined) await resetHard(repo, tree);
  for (const name of [file, "MERGE_MSG", "MERGE_MODE"]) {
    await repo.call.ctx.fs.rm(`${repo.gitdir}/${name}`, { force: true });
  }
  return 0;
}
