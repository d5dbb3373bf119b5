/** Trees as flat lists of paths, the differences between them, and trees made from the index. */
import { GitError } from "../options.ts";
import type { Index } from "./index_file.ts";
import { FOLDER, type Item, type TreeEntry } from "./objects.ts";
import { byBytes, checkPath } from "./paths.ts";
import type { Pathspec } from "./pathspec.ts";
import type { Repo } from "./repository.ts";

const DEPTH = 512;
const ITEMS = 1_000_000;

export type Flat = Map<string, Item>;

/** A path that differs; a side is missing where the path is. */
export interface Change {
  path: string;
  old?: Item;
  new?: Item;
  /** The path that the old side had, if it is another. */
  from?: string;
  /** How much of it is the same, of 60,000. */
  score?: number;
  /** Whether what it came from is still there. */
  copied?: boolean;
  /** The sides of a merge, where there is not one old side. */
  versions?: (Item | undefined)[];
  /** Whether the new side of such a change is a file of the work tree. */
  work?: boolean;
  /** Whether the path waits for its conflict to be resolved. */
  unmerged?: boolean;
}

/** Everything in a tree but folders. */
export async function flattenTree(repo: Repo, tree: string | undefined, spec?: Pathspec): Promise<Flat> {
  const flat: Flat = new Map();
  const walk = async (oid: string, prefix: string, depth: number): Promise<void> => {
    if (depth > DEPTH) throw new GitError("the tree is too deep to be read here");
    for (const { name, mode, oid: child } of await repo.objects.tree(oid)) {
      const path = prefix + name;
      if (mode !== FOLDER) {
        if (!spec || spec.matches(path)) flat.set(path, { mode, oid: child });
      } else if (!spec || spec.mayHold(path)) await walk(child, path + "/", depth + 1);
      if (flat.size > ITEMS) throw new GitError("the tree has too many files to be read here");
    }
  };
  if (tree !== undefined) await walk(tree, "", 0);
  return flat;
}

/** Throws if a tree holds paths that must not be checked out. */
export function checkTree(flat: Flat): void {
  for (const path of flat.keys()) {
    checkPath(path);
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
      // A link and a folder of one name: what is below it would be written to where the link leads.
      if (flat.has(path.slice(0, at))) {
        throw new GitError(`invalid path '${path}': '${path.slice(0, at)}' is no folder`);
      }
    }
  }
}

/** What differs between two trees; folders that are the same are not even read. */
export async function diffTrees(repo: Repo, from?: string, to?: string, spec?: Pathspec): Promise<Change[]> {
  const changes: Change[] = [];
  const note = (path: string, old: TreeEntry | undefined, fresh: TreeEntry | undefined) => {
    if (!spec || spec.matches(path)) changes.push({ path, old: item(old), new: item(fresh) });
  };
  const walk = async (a: string | undefined, b: string | undefined, prefix: string, depth: number): Promise<void> => {
    if (a === b || spec && !spec.mayHold(prefix.slice(0, -1))) return;
    if (depth > DEPTH) throw new GitError("the tree is too deep to be read here");
    const [olds, news] = [await byName(repo, a), await byName(repo, b)];
    for (const name of new Set([...olds.keys(), ...news.keys()])) {
      const [old, fresh, path] = [olds.get(name), news.get(name), prefix + name];
      if (old?.oid === fresh?.oid && old?.mode === fresh?.mode) continue;
      if (isFolder(old) || isFolder(fresh)) await walk(folder(old), folder(fresh), path + "/", depth + 1);
      const [oldFile, newFile] = [isFolder(old) ? undefined : old, isFolder(fresh) ? undefined : fresh];
      if (oldFile || newFile) note(path, oldFile, newFile);
    }
  };
  await walk(from, to, "", 0);
  return changes.sort((a, b) => byBytes(a.path, b.path));
}

function item(entry: TreeEntry | undefined): Item | undefined {
  return entry && { mode: entry.mode, oid: entry.oid };
}

function isFolder(entry: TreeEntry | undefined): boolean {
  return entry?.mode === FOLDER;
}

function folder(entry: TreeEntry | undefined): string | undefined {
  return entry?.mode === FOLDER ? entry.oid : undefined;
}

async function byName(repo: Repo, tree: string | undefined): Promise<Map<string, TreeEntry>> {
  const entries = tree === undefined ? [] : await repo.objects.tree(tree);
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** What differs between two flat lists. */
export function diffFlat(from: ReadonlyMap<string, Item>, to: ReadonlyMap<string, Item>): Change[] {
  const changes: Change[] = [];
  for (const [path, old] of from) {
    const fresh = to.get(path);
    if (fresh?.oid !== old.oid || fresh.mode !== old.mode) changes.push({ path, old, new: fresh });
  }
  for (const [path, fresh] of to) if (!from.has(path)) changes.push({ path, new: fresh });
  return changes.sort((a, b) => byBytes(a.path, b.path));
}

interface Branch {
  files: TreeEntry[];
  folders: Map<string, Branch>;
}

/** Writes the index as trees and returns the topmost. */
export async function writeIndexTree(repo: Repo, index: Index): Promise<string> {
  const [conflict] = index.conflicts.keys();
  if (conflict !== undefined) throw new GitError(`${conflict}: unmerged`, 128, "error: ");
  const top: Branch = { files: [], folders: new Map() };
  for (const { path, mode, oid, extended } of index.entries.values()) {
    if (extended & INTENT) continue;
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    let at = top;
    for (const part of parts) {
      let below = at.folders.get(part);
      if (!below) at.folders.set(part, below = { files: [], folders: new Map() });
      at = below;
    }
    at.files.push({ name, mode, oid });
  }
  return await writeBranch(repo, top) ?? await repo.objects.writeTree([]);
}

/** The flag of an entry that was only announced, with `add -N`. */
export const INTENT = 0x2000;

async function writeBranch(repo: Repo, branch: Branch): Promise<string | undefined> {
  const entries = [...branch.files];
  for (const [name, below] of branch.folders) {
    const oid = await writeBranch(repo, below);
    if (oid !== undefined) entries.push({ name, mode: FOLDER, oid });
  }
  return entries.length === 0 ? undefined : await repo.objects.writeTree(entries);
}
