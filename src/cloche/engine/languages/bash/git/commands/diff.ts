/** git diff. */
import { fromArray } from "../../text/byte_strings.ts";
import { type Args, GitError, parseArgs, usageError } from "../options.ts";
import { hashOf } from "../repository/objects.ts";
import { compareTexts, isBinary, renderChanges } from "../text/hunks.ts";
import type { Call } from "../call.ts";
import { ChangePrinter, SHOWING } from "../text/changes.ts";
import { byBytes, quotePath } from "../repository/paths.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Repo } from "../repository/repository.ts";
import { findRevision, peelObject, resolveRevision, treeOf } from "../repository/revision.ts";
import { compareWork, hashFile, statFile } from "../repository/worktree_scan.ts";
import { type Change, diffFlat, diffTrees, type Flat, flattenTree } from "../repository/trees.ts";
import { mergeBases } from "../repository/history_walk.ts";
import { INTENT } from "../repository/trees.ts";
import type { Index } from "../repository/index_file.ts";

export async function runDiff(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, `${SHOWING} cached,staged merge-base no-index ignore-submodules=? submodule=? check`);
  if (given.has("no-index")) return await diffFiles(call, given);
  const repo = await Repo.find(call);
  const { revisions, paths } = await splitWords(repo, given.words, given.after);
  const spec = new Pathspec(repo, paths);
  const printer = new ChangePrinter(repo, given);
  const changes = await find(repo, revisions, spec, given.has("cached"), printer.onlyPatches);
  call.bytes(await printer.show(changes));
  return (given.has("exit-code") || given.has("quiet")) && changes.length > 0 ? 1 : 0;
}

/** Two files outside of any repository. */
async function diffFiles(call: Call, given: Args): Promise<number> {
  const names = given.everything;
  if (names.length !== 2) throw new GitError("usage: git diff --no-index [<options>] <path> <path>", 129, "");
  const sides: (Uint8Array | undefined)[] = [];
  const modes: string[] = [];
  for (const name of names) {
    const stat = await call.ctx.fs.stat(call.path(name)).catch(() => undefined);
    if (!stat) throw usageError(`Could not access '${name}'`);
    if (stat.isDirectory) throw new GitError("--no-index compares files, not folders, here: use `diff -ru A B`");
    modes.push(stat.mode & 0o100 ? "100755" : "100644");
    sides.push(name === "/dev/null" ? undefined : await call.ctx.fs.readFileBuffer(call.path(name)));
  }
  const patch = await renderFiles(names, sides, modes, given.number("unified", 3));
  if (!given.has("quiet")) call.bytes(patch);
  return patch === "" ? 0 : 1;
}

async function renderFiles(names: string[], sides: (Uint8Array | undefined)[], modes: string[], context: number) {
  const [a, b] = sides.map((side) => side ?? new Uint8Array());
  const [old, fresh] = [await hashOf("blob", a), await hashOf("blob", b)];
  if (old === fresh && modes[0] === modes[1]) return "";
  const path = (i: number) => names[sides[i] ? i : 1 - i].replace(/^\/+/, "");
  const [from, to] = [quotePath(`a/${path(0)}`), quotePath(`b/${path(1)}`)];
  const short = (oid: string, side: Uint8Array | undefined) => side ? oid.slice(0, 7) : "0000000";
  const range = `index ${short(old, sides[0])}..${short(fresh, sides[1])}`;
  const head = !sides[0]
    ? `new file mode ${modes[1]}\n${range}\n`
    : !sides[1]
    ? `deleted file mode ${modes[0]}\n${range}\n`
    : modes[0] === modes[1]
    ? `${range} ${modes[0]}\n`
    : `old mode ${modes[0]}\nnew mode ${modes[1]}\n${old === fresh ? "" : `${range}\n`}`;
  const start = `diff --git ${from} ${to}\n${head}`;
  const [left, right] = [sides[0] ? from : "/dev/null", sides[1] ? to : "/dev/null"];
  if (isBinary(a) || isBinary(b)) return `${start}Binary files ${left} and ${right} differ\n`;
  const hunks = renderChanges(compareTexts(fromArray(a), fromArray(b)), context);
  return hunks === "" ? start : `${start}--- ${left}\n+++ ${right}\n${hunks}`;
}

/** Words that name objects come first; what follows is paths. */
export async function splitWords(repo: Repo, words: string[], after: string[] | undefined) {
  const revisions: string[] = [];
  for (const [i, word] of words.entries()) {
    const isRange = /\.\./.test(word) && await isKnownRange(repo, word);
    if (isRange || await findRevision(repo, word.replace(/^\^/, "")) !== undefined) {
      revisions.push(word);
      continue;
    }
    if (after !== undefined) throw new GitError(`bad revision '${word}'`);
    const rest = words.slice(i);
    for (const path of rest) if (!/[*?[:]/.test(path)) await checkExists(repo, path);
    return { revisions, paths: rest };
  }
  return { revisions, paths: after ?? [] };
}

async function isKnownRange(repo: Repo, word: string): Promise<boolean> {
  const sides = word.split(/\.{2,3}/);
  if (sides.length !== 2) return false;
  const found = await Promise.all(sides.map((side) => findRevision(repo, side === "" ? "HEAD" : side)));
  return found.every((oid) => oid !== undefined);
}

async function checkExists(repo: Repo, path: string): Promise<void> {
  if (await repo.call.ctx.fs.lstat(repo.call.path(path)).catch(() => undefined)) return;
  await resolveRevision(repo, path);
}

async function find(
  repo: Repo,
  revisions: string[],
  spec: Pathspec,
  cached: boolean,
  combined: boolean,
): Promise<Change[]> {
  const [first, second, ...more] = await expandRanges(repo, revisions);
  if (more.length > 0) {
    throw new GitError("usage: git diff [<options>] [<commit>] [<commit>] [--] [<path>...]", 129, "");
  }
  if (second !== undefined) return await diffObjects(repo, first, second, spec);
  if (cached) {
    const tree = first === undefined ? await headTree(repo) : await treeOf(repo, first);
    return await diffIndex(repo, await flattenTree(repo, tree, spec), spec);
  }
  if (first === undefined) return await diffWork(repo, spec, combined);
  return await diffTreeWork(repo, await flattenTree(repo, await treeOf(repo, first), spec), spec);
}

async function expandRanges(repo: Repo, revisions: string[]): Promise<string[]> {
  const out: string[] = [];
  for (const word of revisions) {
    const range = word.match(/^(.*?)(\.{2,3})(.*)$/s);
    if (!range) {
      out.push(word);
      continue;
    }
    const [from, to] = [range[1] || "HEAD", range[3] || "HEAD"];
    if (range[2] === "..") out.push(from, to);
    else {
      const [a, b] = [await commitId(repo, from), await commitId(repo, to)];
      const [base] = await mergeBases(repo, a, b);
      if (base === undefined) throw new GitError(`${word}: no merge base`);
      out.push(base, b);
    }
  }
  return out;
}

async function commitId(repo: Repo, name: string): Promise<string> {
  return await peelObject(repo, await resolveRevision(repo, name), "commit") ?? "";
}

async function diffObjects(repo: Repo, first: string, second: string, spec: Pathspec): Promise<Change[]> {
  const [a, b] = [await resolveRevision(repo, first), await resolveRevision(repo, second)];
  const kinds = [(await repo.objects.read(a)).kind, (await repo.objects.read(b)).kind];
  if (kinds[0] === "blob" && kinds[1] === "blob") {
    const path = second.split(":").at(-1) ?? second;
    return a === b ? [] : [{ path, old: { mode: 0o100644, oid: a }, new: { mode: 0o100644, oid: b } }];
  }
  return await diffTrees(repo, await treeOf(repo, first), await treeOf(repo, second), spec);
}

export async function headTree(repo: Repo): Promise<string | undefined> {
  const head = await repo.head();
  return head === undefined ? undefined : (await repo.objects.commit(head)).tree;
}

export async function diffIndex(repo: Repo, tree: Flat, spec: Pathspec): Promise<Change[]> {
  const index = await repo.index();
  const entries = new Map(
    [...index.entries].filter(([path, entry]) => spec.matches(path) && !(entry.extended & INTENT)),
  );
  const waiting = [...index.conflicts.keys()].filter((path) => spec.matches(path));
  const changes: Change[] = diffFlat(tree, entries).filter(({ path }) => !index.conflicts.has(path));
  return [...changes, ...waiting.map((path) => ({ path, unmerged: true }))].sort((a, b) => byBytes(a.path, b.path));
}

export async function diffWork(repo: Repo, spec: Pathspec, combined = false): Promise<Change[]> {
  const index = await repo.index();
  const work = await compareWork(repo, index, spec);
  if (work.refreshed) await repo.writeIndex(index).catch(() => {});
  const announced = work.changes.map((change) =>
    index.entries.get(change.path)?.extended === INTENT ? { path: change.path, new: change.new } : change
  );
  return [...announced, ...await conflicted(repo, index, spec, combined)].sort((a, b) => byBytes(a.path, b.path));
}

/** Files in conflict are compared with both sides, or named and compared with ours. */
async function conflicted(repo: Repo, index: Index, spec: Pathspec, combined: boolean): Promise<Change[]> {
  const changes: Change[] = [];
  for (const [path, stages] of index.conflicts) {
    if (!spec.matches(path)) continue;
    const stat = await statFile(repo, path);
    const [ours, theirs] = [2, 3].map((side) => stages.find(({ stage }) => stage === side));
    const now = stat && await hashFile(repo, path, stat);
    if (combined && ours && theirs) changes.push({ path, versions: [ours, theirs], new: now, work: true });
    else {
      changes.push({ path, unmerged: true });
      if (ours && ours.oid !== now?.oid) changes.push({ path, old: ours, new: now });
    }
  }
  return changes;
}

/** Compares a tree with the files that the index knows. */
export async function diffTreeWork(repo: Repo, tree: Flat, spec: Pathspec): Promise<Change[]> {
  const index = await repo.index();
  const now: Flat = new Map([...index.entries].filter(([path]) => spec.matches(path)));
  for (const path of index.conflicts.keys()) {
    const stat = spec.matches(path) ? await statFile(repo, path) : undefined;
    if (stat) now.set(path, await hashFile(repo, path, stat));
  }
  for (const { path, new: fresh } of (await compareWork(repo, index, spec)).changes) {
    if (fresh) now.set(path, fresh);
    else now.delete(path);
  }
  return diffFlat(tree, now);
}
