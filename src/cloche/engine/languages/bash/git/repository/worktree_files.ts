/** Puts files of a commit into the work tree: only below it, never through a link. */
import { decodeText, fromArray } from "../../text/byte_strings.ts";
import { checkInterrupt } from "../../just_bash/command.ts";
import { usageError } from "../options.ts";
import { entryOf, type Index } from "./index_file.ts";
import { type Item, LINK, MODULE } from "./objects.ts";
import { checkPath, parentOf } from "./paths.ts";
import type { Repo } from "./repository.ts";
import { forget, hashFile, statFile } from "./worktree_scan.ts";
import { type Change, checkTree, diffFlat, type Flat, flattenTree } from "./trees.ts";

const LINK_TEXT = 4096;

/** Writes one file and records it in the index; what is in its way is removed. */
export async function writeWork(repo: Repo, index: Index, path: string, item: Item): Promise<void> {
  checkInterrupt(repo.call.ctx);
  checkPath(path);
  await makeFolders(repo, parentOf(path));
  await clear(repo, path);
  forget(repo);
  const { fs } = repo.call.ctx;
  const file = repo.file(path);
  if (item.mode === MODULE) {
    await fs.mkdir(file, { recursive: true });
    return index.put(path, item);
  }
  const data = await repo.objects.blob(item.oid);
  if (item.mode === LINK) {
    if (data.length > LINK_TEXT || data.includes(0)) throw usageError(`unable to create symlink ${path}: bad target`);
    await fs.symlink(decodeText(fromArray(data)), file);
  } else {
    await fs.writeFile(file, data);
    if (item.mode === 0o100755) await fs.chmod(file, 0o755);
  }
  index.set(entryOf(path, item.oid, await fs.lstat(file), item.mode));
}

/** Makes the folders above a file; a link or a file in the place of one is removed. */
async function makeFolders(repo: Repo, folder: string): Promise<void> {
  if (folder === "") return;
  await makeFolders(repo, parentOf(folder));
  const { fs } = repo.call.ctx;
  const stat = await fs.lstat(repo.file(folder)).catch(() => undefined);
  if (stat?.isDirectory) return;
  if (stat) await fs.rm(repo.file(folder));
  await fs.mkdir(repo.file(folder));
}

async function clear(repo: Repo, path: string): Promise<void> {
  const { fs } = repo.call.ctx;
  const stat = await fs.lstat(repo.file(path)).catch(() => undefined);
  if (!stat) return;
  if (stat.isDirectory) {
    if ((await fs.readdir(repo.file(path))).length > 0) {
      throw usageError(`unable to write ${path}: a folder is in its place`);
    }
  }
  await fs.rm(repo.file(path));
}

/** Removes a file, and the folders above it that become empty. */
export async function removeWork(repo: Repo, path: string): Promise<void> {
  const { fs } = repo.call.ctx;
  if (!await statFile(repo, path)) return;
  await fs.rm(repo.file(path));
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
    if (repo.file(folder) === repo.call.cwd || (await fs.readdir(repo.file(folder))).length > 0) break;
    await fs.rm(repo.file(folder));
  }
  forget(repo);
}

/** Whether a file of the work tree is what the index says, or is as absent as it says. */
async function isClean(repo: Repo, index: Index, path: string): Promise<boolean> {
  const entry = index.entries.get(path);
  const stat = await statFile(repo, path);
  if (!entry || !stat) return !stat;
  if (entry.mode === MODULE || index.isFresh(entry, stat)) return true;
  const now = await hashFile(repo, path, stat, entry.mode);
  return now.oid === entry.oid && now.mode === entry.mode;
}

const same = (a: Item | undefined, b: Item | undefined) => a?.oid === b?.oid && a?.mode === b?.mode;

/** Files that stop a change from being made, by what is wrong with them. */
interface Blocked {
  changed: string[];
  untracked: string[];
}

/** Which of these changes would lose something that is not committed. */
export async function findBlocked(repo: Repo, index: Index, changes: Change[]): Promise<Blocked> {
  const blocked: Blocked = { changed: [], untracked: [] };
  for (const { path, old, new: fresh } of changes) {
    const entry = index.entries.get(path);
    if (index.conflicts.has(path)) blocked.changed.push(path);
    else if (entry && same(entry, fresh)) continue;
    else if (!same(entry, old)) blocked.changed.push(path);
    else if (!await isClean(repo, index, path)) (entry ? blocked.changed : blocked.untracked).push(path);
  }
  for (const path of [...blocked.untracked]) {
    // A file that is there already, and the same, is nothing lost.
    const stat = await statFile(repo, path);
    const wanted = changes.find((change) => change.path === path)?.new;
    const now = stat && await hashFile(repo, path, stat);
    if (now && same(now, wanted)) blocked.untracked.splice(blocked.untracked.indexOf(path), 1);
  }
  return blocked;
}

/** Complains about blocked files in git's words. */
export function refuseBlocked({ changed, untracked }: Blocked, verb: string, advice: string): void {
  const list = (paths: string[]) => paths.map((path) => `\t${path}\n`).join("");
  if (changed.length > 0) {
    throw usageError(
      `Your local changes to the following files would be overwritten by ${verb}:\n${list(changed)}` +
        `Please commit your changes or stash them before you ${advice}.\nAborting`,
    );
  }
  if (untracked.length > 0) {
    throw usageError(
      `The following untracked working tree files would be overwritten by ${verb}:\n${list(untracked)}` +
        `Please move or remove them before you ${advice}.\nAborting`,
    );
  }
}

/** Makes changes in the index and the work tree; entries that are as wanted already are left alone. */
export async function applyChanges(repo: Repo, index: Index, changes: Change[]): Promise<void> {
  for (const { path, new: fresh } of changes) {
    if (fresh) continue;
    await removeWork(repo, path);
    index.delete(path);
  }
  for (const { path, new: fresh } of changes) {
    if (fresh && !same(index.entries.get(path), fresh)) await writeWork(repo, index, path, fresh);
  }
}

/** Goes from one tree to another and keeps what was changed locally; refuses where that is impossible. */
export async function switchTree(repo: Repo, from: string | undefined, to: string, verb: string, advice: string) {
  const target = await flattenTree(repo, to);
  checkTree(target);
  const changes = diffFlat(await flattenTree(repo, from), target);
  const index = await repo.index();
  refuseBlocked(await findBlocked(repo, index, changes), verb, advice);
  await applyChanges(repo, index, changes);
  await repo.writeIndex(index);
  return index;
}

/** Makes index and work tree equal to a tree, whatever was there. */
export async function resetHard(repo: Repo, tree: string): Promise<void> {
  const target = await flattenTree(repo, tree);
  checkTree(target);
  const index = await repo.index();
  for (const path of new Set([...index.entries.keys(), ...index.conflicts.keys()])) {
    if (target.has(path)) continue;
    await removeWork(repo, path);
    index.delete(path);
  }
  for (const [path, item] of target) {
    if (!same(index.entries.get(path), item) || !await isClean(repo, index, path) || !await isThere(repo, path, item)) {
      await writeWork(repo, index, path, item);
    }
  }
  await repo.writeIndex(index);
}

async function isThere(repo: Repo, path: string, item: Item): Promise<boolean> {
  return item.mode === MODULE || await statFile(repo, path) !== undefined;
}

/** Makes the index equal to a tree; files that did not change keep what was noted of them. */
export function resetIndex(index: Index, target: Flat): void {
  checkTree(target);
  for (const path of new Set([...index.entries.keys(), ...index.conflicts.keys()])) {
    if (!target.has(path)) index.delete(path);
  }
  for (const [path, item] of target) {
    if (!same(index.entries.get(path), item) || index.conflicts.has(path)) index.put(path, item);
  }
}
