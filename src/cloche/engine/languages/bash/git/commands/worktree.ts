/** git worktree: further work trees of one repository. */
import { type Args, GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { checkBranchName, exactRef, makeBranch } from "./branch.ts";
import { parentOf } from "../repository/paths.ts";
import { Repo } from "../repository/repository.ts";
import { commitOf, findRevision } from "../repository/revision.ts";
import { resetHard } from "../repository/worktree_files.ts";
import { subjectOf } from "../text/commit_format.ts";
import { readState } from "./status.ts";

const OPTIONS = "force,f b= B= detach,d checkout no-checkout quiet,q porcelain z verbose,v expire= dry-run,n lock " +
  "reason= track no-track guess-remote no-guess-remote orphan";

export async function runWorktree(call: Call, args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  const given = parseArgs(rest, OPTIONS);
  const repo = await Repo.find(call);
  switch (verb) {
    case "add":
      return await add(repo, given);
    case "list":
      return await list(repo, given);
    case "remove":
      return await remove(repo, given);
    case "prune":
      return await prune(repo, given);
    case "lock":
    case "unlock":
      return await lock(repo, given, verb === "lock");
    case undefined:
      throw new GitError("usage: git worktree add [<options>] <path> [<commit-ish>]", 129, "");
    default:
      throw new GitError(`worktree ${verb} is not supported here: use add, list, remove, prune, lock or unlock`);
  }
}

interface Tree {
  path: string;
  gitdir: string;
  head: string | undefined;
  branch: string | undefined;
  /** The name of its folder below `worktrees`; undefined for the main one. */
  name: string | undefined;
  bare: boolean;
  locked: string | undefined;
  gone: boolean;
}

/** All work trees, the main one first. */
export async function listTrees(repo: Repo): Promise<Tree[]> {
  const { fs } = repo.call.ctx;
  const main = repo.common.endsWith("/.git") ? repo.common.slice(0, -5) || "/" : repo.common;
  const trees = [await readTree(repo, main, repo.common, undefined)];
  const folder = `${repo.common}/worktrees`;
  const names = await fs.exists(folder) ? (await fs.readdir(folder)).sort() : [];
  for (const name of names) {
    const text = await repo.call.text(`${folder}/${name}/gitdir`);
    if (text !== undefined) trees.push(await readTree(repo, parentOf(text.trim()), `${folder}/${name}`, name));
  }
  return trees;
}

async function readTree(repo: Repo, path: string, gitdir: string, name: string | undefined): Promise<Tree> {
  const text = (await repo.call.text(`${gitdir}/HEAD`) ?? "").trim();
  const branch = text.startsWith("ref:") ? text.slice(4).trim() : undefined;
  const head = branch === undefined ? text : await repo.ref(branch);
  const bare = name === undefined && repo.config.flag("core.bare") === true;
  const gone = name !== undefined && !await repo.call.ctx.fs.exists(`${path}/.git`);
  return { path, gitdir, head, branch, name, bare, gone, locked: await repo.call.text(`${gitdir}/locked`) };
}

/** Complains if another work tree is on a branch. */
export async function refuseUsed(repo: Repo, ref: string): Promise<void> {
  const used = (await listTrees(repo)).find(({ branch, gitdir, gone }) =>
    branch === ref && gitdir !== repo.gitdir && !gone
  );
  if (used) throw new GitError(`'${ref.replace(/^refs\/heads\//, "")}' is already checked out at '${used.path}'`);
}

async function add(repo: Repo, given: Args): Promise<number> {
  const { call } = repo;
  const [name, start] = given.everything;
  if (name === undefined) throw new GitError("usage: git worktree add [<options>] <path> [<commit-ish>]", 129, "");
  if (given.has("orphan")) throw new GitError("worktree add --orphan is not supported here");
  const path = call.path(name);
  const taken = await call.ctx.fs.exists(path) && (await call.ctx.fs.readdir(path)).length > 0;
  const target = await chooseTarget(repo, given, path, start, () => {
    if (taken) throw new GitError(`'${name}' already exists`);
  });
  const gitdir = await makeFolder(repo, path);
  await call.ctx.fs.writeFile(
    `${gitdir}/HEAD`,
    target.branch === undefined ? `${target.oid}\n` : `ref: ${target.branch}\n`,
  );
  if (given.has("lock")) await call.ctx.fs.writeFile(`${gitdir}/locked`, given.get("reason") ?? "");
  const tree = await Repo.open(call, gitdir, path);
  await tree.reflog.add("HEAD", undefined, target.oid, "");
  if (given.has("no-checkout")) return 0;
  const { tree: contents, message } = await repo.objects.commit(target.oid);
  await resetHard(tree, contents);
  if (!given.has("quiet")) call.out(`HEAD is now at ${target.oid.slice(0, 7)} ${subjectOf(message)}\n`);
  return 0;
}

async function chooseTarget(repo: Repo, given: Args, path: string, start: string | undefined, check: () => void) {
  const fresh = given.get("b") ?? given.get("B");
  const say = (text: string) => given.has("quiet") || repo.call.err(`Preparing worktree (${text})\n`);
  const base = path.slice(path.lastIndexOf("/") + 1);
  const own = start === undefined && fresh === undefined && !given.has("detach") ? base : undefined;
  const existing = fresh === undefined && !given.has("detach") ? start ?? base : undefined;
  const ref = `refs/heads/${existing}`;
  if (existing !== undefined && await exactRef(repo, ref) !== undefined) {
    say(`checking out '${existing}'`);
    if (!given.has("force")) await refuseAny(repo, ref);
    const { oid } = await commitOf(repo, ref);
    check();
    return { oid, branch: ref };
  }
  const name = start ?? "HEAD";
  if (await findRevision(repo, name) === undefined) throw new GitError(`invalid reference: ${name}`);
  const { oid } = await commitOf(repo, name);
  const branch = fresh ?? own;
  if (branch === undefined) {
    say(`detached HEAD ${oid.slice(0, 7)}`);
    check();
    return { oid, branch: undefined };
  }
  checkBranchName(branch);
  const old = await exactRef(repo, `refs/heads/${branch}`);
  if (old !== undefined && !given.has("B")) throw new GitError(`a branch named '${branch}' already exists`);
  say(old === undefined ? `new branch '${branch}'` : `resetting branch '${branch}'; was at ${old.slice(0, 7)}`);
  check();
  await makeBranch(repo, branch, name, given.has("B"));
  return { oid, branch: `refs/heads/${branch}` };
}

async function refuseAny(repo: Repo, ref: string): Promise<void> {
  const used = (await listTrees(repo)).find(({ branch, gone }) => branch === ref && !gone);
  if (used) throw new GitError(`'${ref.replace(/^refs\/heads\//, "")}' is already checked out at '${used.path}'`);
}

async function makeFolder(repo: Repo, path: string): Promise<string> {
  const { fs } = repo.call.ctx;
  const base = path.slice(path.lastIndexOf("/") + 1).replace(/[^\w.-]/g, "-");
  let gitdir = `${repo.common}/worktrees/${base}`;
  for (let number = 1; await fs.exists(gitdir); number++) gitdir = `${repo.common}/worktrees/${base}${number}`;
  await fs.mkdir(`${gitdir}/logs`, { recursive: true });
  await fs.mkdir(path, { recursive: true });
  await fs.writeFile(`${gitdir}/commondir`, "../..\n");
  await fs.writeFile(`${gitdir}/gitdir`, `${path}/.git\n`);
  await fs.writeFile(`${path}/.git`, `gitdir: ${gitdir}\n`);
  return gitdir;
}

async function list(repo: Repo, given: Args): Promise<number> {
  const trees = await listTrees(repo);
  const width = Math.max(...trees.map(({ path }) => path.length));
  const end = given.has("z") ? "\0" : "\n";
  for (const tree of trees) {
    if (given.has("porcelain")) {
      const lines = [`worktree ${tree.path}`];
      if (tree.bare) lines.push("bare");
      else {
        lines.push(
          `HEAD ${tree.head ?? "0".repeat(40)}`,
          tree.branch === undefined ? "detached" : `branch ${tree.branch}`,
        );
      }
      if (tree.locked !== undefined) lines.push(tree.locked.trim() === "" ? "locked" : `locked ${tree.locked.trim()}`);
      if (tree.gone) lines.push("prunable gitdir file points to non-existent location");
      repo.call.out(lines.map((line) => line + end).join("") + end);
      continue;
    }
    const where = tree.branch === undefined ? "(detached HEAD)" : `[${tree.branch.replace(/^refs\/heads\//, "")}]`;
    const state = tree.bare ? "(bare)" : `${(tree.head ?? "0".repeat(40)).slice(0, 7)} ${where}`;
    const more = `${tree.locked === undefined ? "" : " locked"}${tree.gone ? " prunable" : ""}`;
    repo.call.out(`${tree.path.padEnd(width)}  ${state}${more}\n`);
  }
  return 0;
}

async function findTree(repo: Repo, name: string | undefined): Promise<Tree> {
  if (name === undefined) throw new GitError("usage: git worktree remove [-f] <worktree>", 129, "");
  const path = repo.call.path(name);
  const trees = await listTrees(repo);
  const found = trees.find((tree) => tree.path === path) ??
    trees.find((tree) => tree.name !== undefined && tree.path.endsWith(`/${name}`));
  if (!found) throw new GitError(`'${name}' is not a working tree`);
  return found;
}

async function remove(repo: Repo, given: Args): Promise<number> {
  const { call } = repo;
  const [name] = given.everything;
  const tree = await findTree(repo, name);
  if (tree.name === undefined) throw new GitError(`'${name}' is a main working tree`);
  if (tree.locked !== undefined && given.all("force").length < 2) {
    throw new GitError("cannot remove a locked working tree;\nuse 'remove -f -f' to override or unlock first");
  }
  if (!tree.gone && !given.has("force")) {
    const state = await readState(await Repo.open(call, tree.gitdir, tree.path), "normal");
    if (state.staged.length + state.changed.length + state.conflicts.length + state.untracked.length > 0) {
      throw new GitError(`'${name}' contains modified or untracked files, use --force to delete it`);
    }
  }
  await call.ctx.fs.rm(tree.path, { recursive: true, force: true });
  await forgetTree(repo, tree);
  return 0;
}

async function forgetTree(repo: Repo, tree: Tree): Promise<void> {
  const { fs } = repo.call.ctx;
  await fs.rm(tree.gitdir, { recursive: true, force: true });
  const folder = `${repo.common}/worktrees`;
  if ((await fs.readdir(folder)).length === 0) await fs.rm(folder, { recursive: true });
}

async function prune(repo: Repo, given: Args): Promise<number> {
  for (const tree of await listTrees(repo)) {
    if (!tree.gone || tree.locked !== undefined) continue;
    if (given.has("dry-run") || given.has("verbose")) {
      repo.call.err(`Removing worktrees/${tree.name}: gitdir file points to non-existent location\n`);
    }
    if (!given.has("dry-run")) await forgetTree(repo, tree);
  }
  return 0;
}

async function lock(repo: Repo, given: Args, locking: boolean): Promise<number> {
  const [name] = given.everything;
  const tree = await findTree(repo, name);
  if (tree.name === undefined) throw new GitError("The main working tree cannot be locked or unlocked");
  if (locking && tree.locked !== undefined) throw new GitError(`'${name}' is already locked`);
  if (!locking && tree.locked === undefined) throw new GitError(`'${name}' is not locked`);
  if (locking) await repo.call.ctx.fs.writeFile(`${tree.gitdir}/locked`, given.get("reason") ?? "");
  else await repo.call.ctx.fs.rm(`${tree.gitdir}/locked`);
  return 0;
}
