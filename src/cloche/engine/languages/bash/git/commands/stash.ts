/** git stash: changes put aside, in the form that git itself keeps them. */
import git from "isomorphic-git";
import { type Args, GitError, parseArgs, usageError } from "../options.ts";
import type { Call } from "../call.ts";
import { ChangePrinter, SHOWING } from "../text/changes.ts";
import { subjectOf } from "../text/commit_format.ts";
import { Index } from "../repository/index_file.ts";
import { applyOutcome, mergeTrees, tellOutcome } from "../repository/merge_trees.ts";
import { personText } from "../repository/objects.ts";
import { personFor } from "../people.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Repo } from "../repository/repository.ts";
import { tellUnmerged } from "./ongoing.ts";
import { compareWork, readWork, statFile } from "../repository/worktree_scan.ts";
import { printLong, readState } from "./status.ts";
import { diffTrees, flattenTree, writeIndexTree } from "../repository/trees.ts";
import { removeWork, resetHard, resetIndex, writeWork } from "../repository/worktree_files.ts";

const REF = "refs/stash";

export async function runStash(call: Call, args: string[]): Promise<number> {
  const verbs = ["push", "save", "list", "show", "pop", "apply", "drop", "clear"];
  const [verb, rest] = verbs.includes(args[0]) ? [args[0], args.slice(1)] : ["push", args];
  if (verb === "push" && rest === args && args[0] !== undefined && !args[0].startsWith("-")) {
    throw new GitError(`subcommand wasn't specified; 'push' can't be assumed due to unexpected token '${args[0]}'`);
  }
  const repo = await Repo.find(call);
  if (verb === "push" || verb === "save") return await push(repo, rest, verb === "save");
  const given = parseArgs(rest, `${SHOWING} index quiet,q include-untracked`);
  const log = await readLog(repo);
  if (verb === "list") {
    log.forEach(({ message }, i) => call.out(`stash@{${i}}: ${message}\n`));
    return 0;
  }
  if (verb === "clear") return await writeLog(repo, []);
  const number = numberOf(given.words[0]);
  const chosen = log[number];
  if (!chosen) {
    throw log.length === 0
      ? new GitError("No stash entries found.", 1, "")
      : usageError(`stash@{${number}} is not a valid reference`);
  }
  if (verb === "show") return await show(repo, chosen.oid, given);
  if (verb === "drop") return await drop(repo, log, number, given.has("quiet"));
  return await apply(repo, log, number, verb === "pop", given);
}

interface Line {
  oid: string;
  who: string;
  message: string;
}

/** The stack, the latest first; git keeps it as the history of one ref. */
async function readLog(repo: Repo): Promise<Line[]> {
  const text = await repo.call.text(`${repo.common}/logs/${REF}`) ?? "";
  return text.split("\n").filter(Boolean).map((line) => {
    const [head, message = ""] = line.split("\t");
    const [, oid, ...who] = head.split(" ");
    return { oid, who: who.join(" "), message };
  }).reverse();
}

async function writeLog(repo: Repo, lines: Line[]): Promise<number> {
  const { fs } = repo.call.ctx;
  const path = `${repo.common}/logs/${REF}`;
  if (lines.length === 0) {
    await fs.rm(path, { force: true });
    await git.deleteRef({ ...repo.where, ref: REF });
    return 0;
  }
  const oldest = lines.toReversed();
  const text = oldest.map(({ oid, who, message }, i) =>
    `${oldest[i - 1]?.oid ?? "0".repeat(40)} ${oid} ${who}\t${message}\n`
  );
  await fs.mkdir(`${repo.common}/logs/refs`, { recursive: true });
  await repo.setRef(REF, lines[0].oid);
  await fs.writeFile(path, text.join(""));
  return 0;
}

function numberOf(word = "0"): number {
  const match = word.match(/^(?:stash@\{)?(\d+)\}?$/);
  if (!match) throw usageError(`${word} is not a valid reference`);
  return Number(match[1]);
}

async function push(repo: Repo, args: string[], saving: boolean): Promise<number> {
  const given = parseArgs(
    args,
    "message,m= include-untracked,u keep-index,k no-keep-index quiet,q all,a patch,p staged,S",
  );
  for (const name of ["patch", "staged", "all"]) {
    if (given.has(name)) throw new GitError(`stash push --${name} is not supported here`);
  }
  const spec = new Pathspec(repo, saving ? [] : given.everything);
  const head = await repo.head();
  if (head === undefined) throw usageError("You do not have the initial commit yet");
  const state = await readState(repo, given.has("include-untracked") ? "all" : "no", spec);
  const known = spec.empty || [...(await repo.index()).entries.keys()].some((path) => spec.matches(path));
  if (!known && !given.has("include-untracked")) {
    throw usageError(
      `pathspec ':(,prefix:${repo.prefix.length})${spec.unused[0]}' did not match any file(s) known to git\n` +
        "Did you forget to 'git add'?",
    );
  }
  if (await tellUnmerged(repo)) return 1;
  if (state.staged.length + state.changed.length + state.untracked.length === 0) {
    repo.call.out("No local changes to save\n");
    return 0;
  }
  const { tree, message: last } = await repo.objects.commit(head);
  const branch = (await repo.branch())?.replace(/^refs\/heads\//, "") ?? "(no branch)";
  const base = `${branch}: ${head.slice(0, 7)} ${subjectOf(last)}`;
  const words = given.get("message") ?? (saving ? given.everything.join(" ") : "");
  const message = words === "" ? `WIP on ${base}` : `On ${branch}: ${words}`;
  const index = await repo.index();
  const oid = await store(repo, head, index, state.untracked, message, base, spec);
  const kept = await writeIndexTree(repo, index);
  for (const path of state.untracked) await removeWork(repo, path);
  if (spec.empty) await resetHard(repo, tree);
  else await resetPaths(repo, tree, spec);
  if (given.has("keep-index")) await resetHard(repo, kept);
  const who = personText(personFor(repo.call, repo.config, "COMMITTER"));
  await writeLog(repo, [{ oid, who, message }, ...await readLog(repo)]);
  if (!given.has("quiet")) repo.call.out(`Saved working directory and index state ${message}\n`);
  return 0;
}

/** Creates commits for the index, the untracked files and the work tree; returns the last, which contains all. */
async function store(
  repo: Repo,
  head: string,
  index: Index,
  untracked: string[],
  message: string,
  base: string,
  spec?: Pathspec,
) {
  const committer = personFor(repo.call, repo.config, "COMMITTER");
  const author = personFor(repo.call, repo.config, "AUTHOR");
  const write = async (tree: string, parents: string[], text: string) =>
    await repo.objects.writeCommit({ tree, parents, author, committer, message: text });
  const parents = [head, await write(await writeIndexTree(repo, index), [head], `index on ${base}\n`)];
  if (untracked.length > 0) {
    const others = new Index();
    for (const path of untracked) await take(repo, others, path);
    parents.push(await write(await writeIndexTree(repo, others), [], `untracked files on ${base}\n`));
  }
  const work = new Index();
  for (const entry of index.entries.values()) work.set(entry);
  for (const { path } of (await compareWork(repo, index, spec)).changes) await take(repo, work, path);
  return await write(await writeIndexTree(repo, work), parents, message);
}

/** Brings some paths back to what a commit has. */
async function resetPaths(repo: Repo, tree: string, spec: Pathspec): Promise<void> {
  const index = await repo.index();
  const wanted = await flattenTree(repo, tree, spec);
  for (const path of [...index.entries.keys()]) {
    if (!spec.matches(path) || wanted.has(path)) continue;
    await removeWork(repo, path);
    index.delete(path);
  }
  for (const [path, item] of wanted) await writeWork(repo, index, path, item);
  await repo.writeIndex(index);
}

/** Puts changes of tracked files aside for a rebase; undefined if there are none. */
export async function makeAutostash(repo: Repo): Promise<string | undefined> {
  const head = await repo.head();
  const state = await readState(repo, "no");
  if (head === undefined || state.staged.length + state.changed.length === 0) return undefined;
  const { tree, message } = await repo.objects.commit(head);
  const base = `${await repo.branchName() ?? "(no branch)"}: ${head.slice(0, 7)} ${subjectOf(message)}`;
  const oid = await store(repo, head, await repo.index(), [], `On ${base.split(":")[0]}: autostash`, base);
  await resetHard(repo, tree);
  repo.call.out(`Created autostash: ${oid.slice(0, 7)}\n`);
  return oid;
}

/** Brings them back; if that is impossible they become an entry of the stash. */
export async function applyAutostash(repo: Repo, oid: string): Promise<void> {
  const saved = await repo.objects.commit(oid);
  const base = (await repo.objects.commit(saved.parents[0])).tree;
  const ours = await writeIndexTree(repo, await repo.index());
  const labels: [string, string] = ["Updated upstream", "Stashed changes"];
  const outcome = await mergeTrees(repo, { base, ours, theirs: saved.tree, labels });
  if (outcome.conflicts.length > 0) {
    const who = personText(personFor(repo.call, repo.config, "COMMITTER"));
    await writeLog(repo, [{ oid, who, message: "autostash" }, ...await readLog(repo)]);
    repo.call.err(
      "Applying autostash resulted in conflicts.\nYour changes are safe in the stash.\n" +
        'You can run "git stash pop" or "git stash drop" at any time.\n',
    );
    return;
  }
  const index = await applyOutcome(repo, outcome, "merge", "merge");
  const target = await flattenTree(repo, ours);
  for (const [path, entry] of index.entries) if (!target.has(path)) target.set(path, entry);
  resetIndex(index, target);
  await repo.writeIndex(index);
  repo.call.err("Applied autostash.\n");
}

async function take(repo: Repo, index: Index, path: string): Promise<void> {
  const stat = await statFile(repo, path);
  index.delete(path);
  if (!stat) return;
  const mode = stat.isSymbolicLink ? 0o120000 : stat.mode & 0o100 ? 0o100755 : 0o100644;
  index.put(path, { mode, oid: await repo.objects.write("blob", await readWork(repo, path, stat)) });
}

async function apply(repo: Repo, log: Line[], number: number, popping: boolean, given: Args): Promise<number> {
  const { call } = repo;
  const saved = await repo.objects.commit(log[number].oid);
  const head = await repo.head();
  const base = (await repo.objects.commit(saved.parents[0])).tree;
  const ours = await writeIndexTree(repo, await repo.index());
  const labels: [string, string] = ["Updated upstream", "Stashed changes"];
  const outcome = await mergeTrees(repo, { base, ours, theirs: saved.tree, labels });
  if (saved.parents.length > 2) await restoreUntracked(repo, saved.parents[2]);
  const index = await applyOutcome(repo, outcome, "merge", "merge");
  if (saved.tree === base && !given.has("quiet")) call.out("Already up to date.\n");
  tellOutcome(repo, outcome);
  if (outcome.conflicts.length > 0) {
    if (!given.has("quiet")) call.out(await printLong(await readState(repo, "normal")));
    if (popping) call.out("The stash entry is kept in case you need it again.\n");
    return 1;
  }
  // Only new files stay staged, since nothing else would know of them.
  const tree = given.has("index")
    ? (await repo.objects.commit(saved.parents[1])).tree
    : head === undefined
    ? undefined
    : (await repo.objects.commit(head)).tree;
  const target = await flattenTree(repo, tree);
  for (const [path, entry] of index.entries) if (!target.has(path)) target.set(path, entry);
  resetIndex(index, target);
  await repo.writeIndex(index);
  if (!given.has("quiet")) call.out(await printLong(await readState(repo, "normal")));
  return popping ? await drop(repo, log, number, given.has("quiet")) : 0;
}

async function restoreUntracked(repo: Repo, oid: string): Promise<void> {
  const files = await flattenTree(repo, (await repo.objects.commit(oid)).tree);
  for (const path of files.keys()) {
    if (await statFile(repo, path)) {
      throw usageError(`${path} already exists, no checkout\nerror: could not restore untracked files from stash`);
    }
  }
  const aside = new Index();
  for (const [path, item] of files) await writeWork(repo, aside, path, item);
}

async function drop(repo: Repo, log: Line[], number: number, quiet: boolean): Promise<number> {
  const [gone] = log.splice(number, 1);
  await writeLog(repo, log);
  if (!quiet) repo.call.out(`Dropped refs/stash@{${number}} (${gone.oid})\n`);
  return 0;
}

async function show(repo: Repo, oid: string, given: Args): Promise<number> {
  const saved = await repo.objects.commit(oid);
  const base = (await repo.objects.commit(saved.parents[0])).tree;
  const shower = new ChangePrinter(repo, given);
  const changes = await diffTrees(repo, base, saved.tree);
  repo.call.bytes(shower.asked ? await shower.show(changes) : await shower.stat(await shower.findRenames(changes)));
  return 0;
}
