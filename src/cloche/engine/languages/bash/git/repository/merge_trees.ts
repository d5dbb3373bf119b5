/** Merges two trees with a common ancestor, and puts the result into index and work tree. */
import { encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import { checkInterrupt } from "../../just_bash/command.ts";
import { isBinary } from "../text/hunks.ts";
import type { Index } from "./index_file.ts";
import { mergeTexts } from "../text/merge_text.ts";
import { alignRenames, type RenameConflict } from "./merge_renames.ts";
import type { Item } from "./objects.ts";
import { byBytes } from "./paths.ts";
import type { Repo } from "./repository.ts";
import { type Change, checkTree, type Flat, flattenTree } from "./trees.ts";
import { applyChanges, findBlocked, refuseBlocked, writeWork } from "./worktree_files.ts";

/** A path that could not be merged: its three sides, and what is put into the work tree. */
interface Conflict {
  path: string;
  sides: [base?: Item, ours?: Item, theirs?: Item];
  shown?: Item;
  /** What is said of it; one of several paths of a conflict says nothing. */
  kind?: string;
  /** Whether our side has had it under another name. */
  moved?: boolean;
}

export interface Outcome {
  /** What has to change to get from ours to the merged tree. */
  changes: Change[];
  conflicts: Conflict[];
  /** Files whose contents were merged. */
  merged: string[];
}

const same = (a: Item | undefined, b: Item | undefined) => a?.oid === b?.oid && a?.mode === b?.mode;

interface Trees {
  base: string | undefined;
  ours: string | undefined;
  theirs: string | undefined;
  labels: [string, string];
}

export async function mergeTrees(repo: Repo, trees: Trees): Promise<Outcome> {
  const given = await flattenTree(repo, trees.ours);
  const [common, other] = [await flattenTree(repo, trees.base), await flattenTree(repo, trees.theirs)];
  checkTree(other);
  const { base, ours, theirs, names, conflicts } = await alignRenames(repo, common, given, other);
  const outcome: Outcome = { changes: [], conflicts: [], merged: [] };
  const settled = new Set<string>();
  for (const conflict of conflicts) {
    await mergeRenamed(repo, conflict, [ours, theirs], trees.labels, outcome);
    for (const path of [conflict.ours, conflict.theirs]) if (path !== undefined) settled.add(path);
  }
  for (const path of [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].sort(byBytes)) {
    checkInterrupt(repo.call.ctx);
    const [o, a, b] = [base.get(path), ours.get(path), theirs.get(path)];
    if (settled.has(path) || same(a, b) || same(o, b)) continue;
    if (same(o, a)) outcome.changes.push({ path, old: a, new: b });
    else await mergeFile(repo, path, [o, a, b], labelsOf(trees.labels, names.get(path)), outcome);
  }
  // What they renamed has its old name on our side.
  for (const [path, [before]] of names) if (before !== path) moveOurs(outcome, given, ours, path, before);
  outcome.changes.sort((a, b) => byBytes(a.path, b.path));
  return outcome;
}

/** Names in the marks of a conflict say which file of a side is meant, where it is not one. */
function labelsOf([ours, theirs]: [string, string], names: [string, string] | undefined): [string, string] {
  return names ? [`${ours}:${names[0]}`, `${theirs}:${names[1]}`] : [ours, theirs];
}

/** Ours is taken away under its old name and appears under the new one. */
function moveOurs(outcome: Outcome, given: Flat, ours: Flat, path: string, before: string): void {
  outcome.changes.push({ path: before, old: given.get(before) });
  const change = outcome.changes.find((each) => each.path === path);
  const conflict = outcome.conflicts.find((each) => each.path === path);
  if (change) change.old = undefined;
  else if (conflict) conflict.moved = true;
  else outcome.changes.push({ path, new: ours.get(path) });
}

/** One side has renamed what the other has deleted, or both have, to different names. */
async function mergeRenamed(
  repo: Repo,
  { from, base, ours, theirs }: RenameConflict,
  [mine, yours]: [Flat, Flat],
  labels: [string, string],
  outcome: Outcome,
): Promise<void> {
  const [a, b] = [
    ours === undefined ? undefined : mine.get(ours),
    theirs === undefined ? undefined : yours.get(theirs),
  ];
  if (ours !== undefined && theirs !== undefined) {
    const inner: Outcome = { changes: [], conflicts: [], merged: [] };
    if (!same(a, b) && !same(base, b) && !same(base, a)) {
      await mergeFile(repo, ours, [base, a, b], [`${labels[0]}:${ours}`, `${labels[1]}:${theirs}`], inner);
    }
    const merged = inner.changes[0]?.new ?? inner.conflicts[0]?.shown ?? (same(base, a) ? b : a);
    const kind = `(rename/rename): ${from} renamed to ${ours} in ${labels[0]} and to ${theirs} in ${labels[1]}.`;
    outcome.conflicts.push(
      { path: from, sides: [base], kind },
      { path: ours, sides: [undefined, merged], shown: merged },
      { path: theirs, sides: [undefined, undefined, merged], shown: merged },
    );
    return;
  }
  const [renamed, deleted] = ours !== undefined ? labels : labels.toReversed();
  const path = ours ?? theirs ?? "";
  const kind = `(rename/delete): ${from} renamed to ${path} in ${renamed}, but deleted in ${deleted}.`;
  outcome.conflicts.push({ path, sides: [base, a, b], shown: a ?? b, kind });
  if ((a ?? b)?.oid === base.oid) return;
  const modified = `(modify/delete): ${path} deleted in ${deleted} and modified in ${renamed}.  ` +
    `Version ${renamed} of ${path} left in tree.`;
  outcome.conflicts[outcome.conflicts.length - 1].kind = `${kind}\nCONFLICT ${modified}`;
}

type Sides = [base?: Item, ours?: Item, theirs?: Item];

async function mergeFile(repo: Repo, path: string, sides: Sides, labels: [string, string], outcome: Outcome) {
  const [base, ours, theirs] = sides;
  if (!ours || !theirs) {
    const [gone, kept] = ours ? [labels[1], labels[0]] : [labels[0], labels[1]];
    const kind = `(modify/delete): ${path} deleted in ${gone} and modified in ${kept}.  ` +
      `Version ${kept} of ${path} left in tree.`;
    outcome.conflicts.push({ path, sides, shown: ours ?? theirs, kind });
    return;
  }
  const plain = (item: Item | undefined) => !item || (item.mode & 0o170000) === 0o100000;
  const read = async (item: Item | undefined) => item ? await repo.objects.blob(item.oid) : new Uint8Array();
  const datas = plain(base) && plain(ours) && plain(theirs)
    ? [await read(base), await read(ours), await read(theirs)]
    : undefined;
  const mode = base && ours.mode === base.mode ? theirs.mode : ours.mode;
  outcome.merged.push(path);
  const word = base ? "content" : "add/add";
  if (!datas || datas.some(isBinary)) {
    outcome.conflicts.push({ path, sides, shown: ours, kind: `(${word}): Merge conflict in ${path}` });
    return;
  }
  const [o, a, b] = datas.map(fromArray);
  const { text, conflicts } = mergeTexts(o, a, b, [encodeText(labels[0]), encodeText(labels[1])]);
  const item = { mode, oid: await repo.objects.write("blob", toArray(text)) };
  if (conflicts === 0) outcome.changes.push({ path, old: ours, new: item });
  else outcome.conflicts.push({ path, sides, shown: item, kind: `(${word}): Merge conflict in ${path}` });
}

/** Brings an outcome into index and work tree; refuses first if that would lose something. */
export async function applyOutcome(repo: Repo, outcome: Outcome, verb: string, advice: string): Promise<Index> {
  const index = await repo.index();
  const touched = outcome.conflicts.map(({ path, sides, shown, moved }) => ({
    path,
    old: moved ? undefined : sides[1],
    new: shown,
  }));
  refuseBlocked(await findBlocked(repo, index, [...outcome.changes, ...touched]), verb, advice);
  await applyChanges(repo, index, outcome.changes);
  for (const { path, sides, shown } of outcome.conflicts) {
    if (shown) await writeWork(repo, index, path, shown);
    index.delete(path);
    sides.forEach((item, i) => item && index.put(path, item, i + 1));
  }
  await repo.writeIndex(index);
  return index;
}

/** What git prints about an outcome. */
export function tellOutcome(repo: Repo, { merged, conflicts }: Outcome): void {
  for (const path of merged) repo.call.out(`Auto-merging ${path}\n`);
  for (const { kind } of conflicts) if (kind !== undefined) repo.call.out(`CONFLICT ${kind}\n`);
}
