/** git checkout, switch and restore. */
import { type Args, GitError, parseArgs, usageError } from "../options.ts";
import { checkBranchName, exactRef, makeBranch, writeUpstream } from "./branch.ts";
import type { Call } from "../call.ts";
import { changeLetter } from "../text/changes.ts";
import { diffTreeWork, headTree } from "./diff.ts";
import { subjectOf } from "../text/commit_format.ts";
import type { Index } from "../repository/index_file.ts";
import { quotePath } from "../repository/paths.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Repo } from "../repository/repository.ts";
import { refuseOngoing, refuseUnmerged } from "./ongoing.ts";
import { commitOf, findRevision, peelObject, treeOf } from "../repository/revision.ts";
import { refuseUsed } from "./worktree.ts";
import { trackingLines } from "./status.ts";
import { checkTree, flattenTree } from "../repository/trees.ts";
import { removeWork, resetHard, switchTree, writeWork } from "../repository/worktree_files.ts";

const SWITCHING = "quiet,q force,f detach,d track,t=? no-track orphan= guess no-guess merge,m progress no-progress " +
  "discard-changes overwrite-ignore ignore-other-worktrees";

export async function runCheckout(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, `${SWITCHING} b= B= ours theirs patch,p`);
  if (given.has("patch")) throw new GitError("checkout --patch asks questions, and nobody is there to answer");
  const repo = await Repo.find(call);
  repo.top;
  const fresh = given.get("b") ?? given.get("B");
  const [first, ...others] = given.words;
  if (fresh !== undefined) return await startBranch(repo, given, fresh, first ?? "HEAD", given.has("B"));
  if (given.has("orphan")) return await startOrphan(repo, given.get("orphan") ?? "");
  if (given.after !== undefined) {
    return await checkoutPaths(repo, given, first === undefined ? undefined : first, [...others, ...given.after]);
  }
  if (await repo.head() === undefined && given.words.length === 0) {
    throw new GitError("You are on a branch yet to be born");
  }
  if (first === undefined && given.has("detach")) return await switchTo(repo, given, "HEAD");
  if (first === undefined) return await listChanges(repo);
  if (first === "HEAD" && others.length === 0 && !given.has("detach")) return await reportCurrentBranch(repo, given);
  const known = await findRevision(repo, await realName(repo, first)) !== undefined;
  if (others.length > 0) {
    return await checkoutPaths(repo, given, known ? first : undefined, known ? others : given.words);
  }
  if (known) return await switchTo(repo, given, first);
  if (await guessRemote(repo, given, first)) return 0;
  return await checkoutPaths(repo, given, undefined, [first]);
}

export async function runSwitch(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, `${SWITCHING} create,c= force-create,C=`);
  const repo = await Repo.find(call);
  await refuseOngoing(repo);
  const fresh = given.get("create") ?? given.get("force-create");
  const [name] = given.everything;
  if (fresh !== undefined) return await startBranch(repo, given, fresh, name ?? "HEAD", given.has("force-create"));
  if (given.has("orphan")) return await startOrphan(repo, given.get("orphan") ?? "");
  if (name === undefined) throw new GitError("missing branch or commit argument");
  const target = await realName(repo, name);
  const isBranch = await exactRef(repo, `refs/heads/${target}`) !== undefined;
  if (!isBranch && await guessRemote(repo, given, target)) return 0;
  const oid = await findRevision(repo, target);
  if (oid === undefined) throw new GitError(`invalid reference: ${name}`);
  if (!isBranch && !given.has("detach")) {
    throw new GitError(
      `a branch is expected, got commit '${name}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.`,
    );
  }
  return await switchTo(repo, given, target);
}

/** A name as it was given; `-` and `@{-1}` stand for what HEAD was on before. */
async function realName(repo: Repo, name: string): Promise<string> {
  const back = name === "-" ? "1" : name.match(/^@\{-(\d+)\}$/)?.[1];
  return back === undefined ? name : await repo.reflog.previous(Number(back)) ?? name;
}

/** What the log says of a switch. */
async function switchMessage(repo: Repo, to: string): Promise<string> {
  return `checkout: moving from ${await repo.branchName() ?? await repo.head()} to ${to}`;
}

async function startBranch(repo: Repo, given: Args, name: string, start: string, force: boolean): Promise<number> {
  checkBranchName(name);
  const { call } = repo;
  const existed = await exactRef(repo, `refs/heads/${name}`) !== undefined;
  if (existed && !force) throw new GitError(`a branch named '${name}' already exists`);
  const head = await repo.head();
  if (head === undefined && start === "HEAD") {
    await repo.setRef("HEAD", `refs/heads/${name}`, true);
  } else {
    const { oid, tree } = await commitOf(repo, start);
    if (start !== "HEAD" || given.has("force") || given.has("discard-changes")) await moveTree(repo, given, tree);
    if (existed) await repo.updateRef(`refs/heads/${name}`, oid, `branch: Reset to ${start}`);
    else await makeBranch(repo, name, start, false);
    await repo.attachHead(`refs/heads/${name}`, await switchMessage(repo, name));
  }
  const verb = existed ? "Switched to and reset branch" : "Switched to a new branch";
  if (!given.has("quiet")) call.err(`${verb} '${name}'\n`);
  return 0;
}

async function startOrphan(repo: Repo, name: string): Promise<number> {
  checkBranchName(name);
  if (await exactRef(repo, `refs/heads/${name}`) !== undefined) {
    throw new GitError(`a branch named '${name}' already exists`);
  }
  await repo.setRef("HEAD", `refs/heads/${name}`, true);
  repo.call.err(`Switched to a new branch '${name}'\n`);
  return 0;
}

async function moveTree(repo: Repo, given: Args, tree: string): Promise<void> {
  await refuseUnmerged(repo, given);
  if (given.has("force") || given.has("discard-changes")) await resetHard(repo, tree);
  else await switchTree(repo, await headTree(repo), tree, "checkout", "switch branches");
}

/** HEAD itself is where the user is; with force, what was changed is undone. */
async function reportCurrentBranch(repo: Repo, given: Args): Promise<number> {
  const tree = await headTree(repo);
  if (given.has("force") && tree !== undefined) await resetHard(repo, tree);
  return given.has("quiet") ? 0 : await listChanges(repo);
}

/** A name that only one remote has becomes a branch that follows it. */
async function guessRemote(repo: Repo, given: Args, name: string): Promise<boolean> {
  const found = (await repo.refs("refs/remotes")).filter((ref) => ref.slice(ref.indexOf("/") + 1) === name);
  if (found.length !== 1 || given.has("no-guess") || given.has("detach")) return false;
  await startBranch(repo, parseArgs(["--quiet"], "quiet force discard-changes"), name, found[0], false);
  await writeUpstream(repo, name, found[0]);
  if (given.has("quiet")) return true;
  repo.call.err(`Switched to a new branch '${name}'\n`);
  repo.call.out(`branch '${name}' set up to track '${found[0]}'.\n`);
  return true;
}

async function switchTo(repo: Repo, given: Args, given_name: string): Promise<number> {
  const { call } = repo;
  const name = await realName(repo, given_name);
  const ref = `refs/heads/${name}`;
  const isBranch = await exactRef(repo, ref) !== undefined && !given.has("detach");
  const before = await repo.head();
  const was = await repo.branch();
  const target = await commitOf(repo, name);
  if (isBranch && was !== ref && !given.has("ignore-other-worktrees")) await refuseUsed(repo, ref);
  await moveTree(repo, given, target.tree);
  const message = await switchMessage(repo, name);
  if (isBranch) await repo.attachHead(ref, message);
  else await repo.detachHead(target.oid, message);
  if (given.has("quiet")) return 0;
  if (was === undefined && before !== undefined && before !== target.oid) {
    call.err(`Previous HEAD position was ${await oneLine(repo, before)}\n`);
  }
  await listChanges(repo);
  if (!isBranch) tellDetached(call, name, await oneLine(repo, target.oid), was !== undefined && !given.has("detach"));
  else {
    call.err(`${was === ref ? "Already on" : "Switched to branch"} '${name}'\n`);
    call.out(await trackingLines(repo, name, target.oid));
  }
  return 0;
}

async function oneLine(repo: Repo, oid: string): Promise<string> {
  return `${oid.slice(0, 7)} ${subjectOf((await repo.objects.commit(oid)).message)}`;
}

function tellDetached(call: Call, name: string, line: string, advise: boolean): void {
  const advice = `Note: switching to '${name}'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false

`;
  call.err(`${advise ? advice : ""}HEAD is now at ${line}\n`);
}

/** What is changed locally, as `git checkout` lists it. */
async function listChanges(repo: Repo): Promise<number> {
  const all = new Pathspec(repo, []);
  for (const change of await diffTreeWork(repo, await flattenTree(repo, await headTree(repo)), all)) {
    repo.call.bytes(`${changeLetter(change)}\t${quotePath(change.path)}\n`);
  }
  return 0;
}

async function checkoutPaths(repo: Repo, given: Args, source: string | undefined, names: string[]): Promise<number> {
  const index = await repo.index();
  const spec = new Pathspec(repo, names);
  let count = 0;
  if (source !== undefined) {
    const target = await flattenTree(repo, await treeOf(repo, source), spec);
    checkTree(target);
    refuseUnknown(spec);
    for (const [path, item] of target) await writeWork(repo, index, path, item);
    count = target.size;
  } else count = await restoreFromIndex(repo, index, spec, given.has("ours") ? 2 : given.has("theirs") ? 3 : 0);
  await repo.writeIndex(index);
  const from = source === undefined
    ? "the index"
    : (await peelObject(repo, await findRevision(repo, source) ?? "") ?? source).slice(0, 7);
  if (!given.has("quiet") && given.after === undefined) {
    repo.call.err(`Updated ${count} path${count === 1 ? "" : "s"} from ${from}\n`);
  }
  return 0;
}

function refuseUnknown(spec: Pathspec): void {
  const [name] = spec.unused;
  if (name !== undefined) throw usageError(`pathspec '${name}' did not match any file(s) known to git`);
}

async function restoreFromIndex(repo: Repo, index: Index, spec: Pathspec, stage: number): Promise<number> {
  const wanted = [...index.entries.values()].filter(({ path }) => spec.matches(path));
  const conflicts = [...index.conflicts].filter(([path]) => spec.matches(path));
  refuseUnknown(spec);
  let count = 0;
  const state = new Set(
    (await diffTreeWork(repo, new Map(wanted.map((entry) => [entry.path, entry])), spec)).map(({ path }) => path),
  );
  for (const entry of wanted) {
    if (!state.has(entry.path)) continue;
    await writeWork(repo, index, entry.path, entry);
    count++;
  }
  for (const [path, stages] of conflicts) {
    const side = stages.find((entry) => entry.stage === stage);
    if (!side) throw usageError(`path '${path}' is unmerged`);
    await writeWork(repo, index, path, side);
    index.delete(path);
    for (const each of stages) index.put(path, each, each.stage);
    count++;
  }
  return count;
}

export async function runRestore(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    "staged,S worktree,W source,s= quiet,q ours theirs progress no-progress patch,p overlay no-overlay",
  );
  if (given.has("patch")) throw new GitError("restore --patch asks questions, and nobody is there to answer");
  const repo = await Repo.find(call);
  const names = given.everything;
  if (names.length === 0) throw new GitError("you must specify path(s) to restore");
  const spec = new Pathspec(repo, names);
  const index = await repo.index();
  const staged = given.has("staged");
  const work = given.has("worktree") || !staged;
  const source = given.get("source") ?? (staged ? "HEAD" : undefined);
  if (source === undefined) {
    await restoreFromIndex(repo, index, spec, given.has("ours") ? 2 : given.has("theirs") ? 3 : 0);
  } else {
    const tree = source === "HEAD" ? await headTree(repo) : await treeOf(repo, source);
    await restoreFromTree(repo, index, spec, tree, { staged, work });
  }
  await repo.writeIndex(index);
  return 0;
}

async function restoreFromTree(
  repo: Repo,
  index: Index,
  spec: Pathspec,
  tree: string | undefined,
  { staged, work }: { staged: boolean; work: boolean },
): Promise<void> {
  const target = await flattenTree(repo, tree, spec);
  checkTree(target);
  const known = index.all().map(({ path }) => path).filter((path) => spec.matches(path));
  refuseUnknown(spec);
  for (const path of new Set(known)) {
    if (target.has(path)) continue;
    if (work) await removeWork(repo, path);
    if (staged) index.delete(path);
  }
  for (const [path, item] of target) {
    const entry = index.entries.get(path);
    const noted = index.conflicts.get(path);
    if (work) await writeWork(repo, index, path, item);
    if (staged && !work && (entry?.oid !== item.oid || entry.mode !== item.mode)) index.put(path, item);
    if (staged) continue;
    // Only the work tree was asked for: the index stays as it was.
    index.delete(path);
    if (entry) index.set({ ...entry, mtime: 0 });
    for (const each of noted ?? []) index.put(path, each, each.stage);
  }
}
