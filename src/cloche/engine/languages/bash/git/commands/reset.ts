/** git reset. */
import { GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { changeLetter } from "../text/changes.ts";
import { headTree, splitWords } from "./diff.ts";
import { subjectOf } from "../text/commit_format.ts";
import { quotePath } from "../repository/paths.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Repo } from "../repository/repository.ts";
import { commitOf, treeOf } from "../repository/revision.ts";
import { compareWork } from "../repository/worktree_scan.ts";
import { flattenTree } from "../repository/trees.ts";
import { resetHard, resetIndex, switchTree } from "../repository/worktree_files.ts";

export async function runReset(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "hard soft mixed merge keep quiet,q no-refresh refresh intent-to-add,N patch,p");
  if (given.has("patch")) throw new GitError("reset --patch asks questions, and nobody is there to answer");
  const repo = await Repo.find(call);
  const { revisions: [name = "HEAD"], paths } = await splitReset(repo, given.words, given.after);
  if (paths.length > 0) {
    const mode = ["hard", "soft", "merge", "keep"].find((each) => given.has(each));
    if (mode !== undefined) throw new GitError(`Cannot do ${mode} reset with paths.`);
    return await resetPaths(repo, name, paths, given.has("quiet"));
  }
  if (name === "HEAD" && await repo.head() === undefined) return await resetUnborn(repo, given.has("hard"));
  const target = await commitOf(repo, name);
  if (given.has("hard")) await resetHard(repo, target.tree);
  else if (given.has("keep") || given.has("merge")) {
    await switchTree(repo, await headTree(repo), target.tree, "reset", "reset");
  } else if (!given.has("soft")) {
    const index = await repo.index();
    resetIndex(index, await flattenTree(repo, target.tree));
    if (!given.has("quiet")) await tellUnstaged(repo, index, new Pathspec(repo, []));
    await repo.writeIndex(index);
  }
  const old = await repo.head();
  if (old !== undefined) await repo.setRef("ORIG_HEAD", old);
  await repo.moveHead(target.oid, `reset: moving to ${name}`);
  for (const file of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    if (!given.has("soft")) await call.ctx.fs.rm(`${repo.gitdir}/${file}`, { force: true });
  }
  if (given.has("hard") && !given.has("quiet")) {
    call.out(`HEAD is now at ${target.oid.slice(0, 7)} ${subjectOf(target.message)}\n`);
  }
  return 0;
}

/** In a repository without commits, everything in a path is a path. */
async function splitReset(repo: Repo, words: string[], after: string[] | undefined) {
  if (await repo.head() !== undefined) return await splitWords(repo, words, after);
  const [first, ...rest] = words;
  return first === "HEAD"
    ? { revisions: [first], paths: [...rest, ...after ?? []] }
    : { revisions: [], paths: [...words, ...after ?? []] };
}

async function resetUnborn(repo: Repo, hard: boolean): Promise<number> {
  const index = await repo.index();
  if (hard) await resetHard(repo, "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  else {
    resetIndex(index, new Map());
    await repo.writeIndex(index);
  }
  return 0;
}

async function resetPaths(repo: Repo, name: string, paths: string[], quiet: boolean): Promise<number> {
  const spec = new Pathspec(repo, paths);
  const index = await repo.index();
  const tree = name === "HEAD" ? await headTree(repo) : await treeOf(repo, name);
  const target = await flattenTree(repo, tree, spec);
  for (const { path } of index.all()) if (spec.matches(path) && !target.has(path)) index.delete(path);
  for (const [path, item] of target) {
    const entry = index.entries.get(path);
    if (entry?.oid !== item.oid || entry.mode !== item.mode) index.put(path, item);
  }
  if (!quiet) await tellUnstaged(repo, index, new Pathspec(repo, []));
  await repo.writeIndex(index);
  return 0;
}

async function tellUnstaged(repo: Repo, index: Awaited<ReturnType<Repo["index"]>>, spec: Pathspec): Promise<void> {
  if (repo.root === undefined) return;
  const { changes } = await compareWork(repo, index, spec);
  if (changes.length === 0) return;
  repo.call.out("Unstaged changes after reset:\n");
  for (const change of changes) repo.call.bytes(`${changeLetter(change)}\t${quotePath(change.path)}\n`);
}
