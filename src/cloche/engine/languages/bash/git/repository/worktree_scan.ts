/** Scans the work tree: which files differ from the index, and which are untracked. */
import type { FsStat } from "just-bash";
import { encodeText, toArray } from "../../text/byte_strings.ts";
import { checkInterrupt } from "../../just_bash/command.ts";
import { isMissing } from "../isomorphic_files.ts";
import type { Ignore } from "./ignore.ts";
import { entryOf, type Index, type IndexEntry, modeOf } from "./index_file.ts";
import { hashOf, type Item, LINK, MODULE } from "./objects.ts";
import { byBytes, isSafeName } from "./paths.ts";
import type { Pathspec } from "./pathspec.ts";
import type { Repo } from "./repository.ts";
import type { Change } from "./trees.ts";

/** What a file of the work tree is now; undefined if it is not there, or no file. */
export async function statFile(repo: Repo, path: string): Promise<FsStat | undefined> {
  try {
    const stat = await repo.call.ctx.fs.lstat(repo.file(path));
    if (!stat.isFile && !stat.isSymbolicLink) return undefined;
    // A folder on the way may have become a link: then the file is another one.
    return await isReached(repo, path) ? stat : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const reached = new WeakMap<Repo, Map<string, boolean>>();

/** Whether the folders above a path are real ones; remembered for the call. */
async function isReached(repo: Repo, path: string): Promise<boolean> {
  const known = reached.get(repo) ?? new Map<string, boolean>([["", true]]);
  reached.set(repo, known);
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const found = known.get(folder);
  if (found !== undefined) return found;
  const stat = await repo.call.ctx.fs.lstat(repo.file(folder)).catch(() => undefined);
  const good = stat?.isDirectory === true && await isReached(repo, folder);
  known.set(folder, good);
  return good;
}

/** Forgets what was seen of the folders; to be called after changing them. */
export function forget(repo: Repo): void {
  reached.delete(repo);
}

/** The contents of a file or link of the work tree as git would store them. */
export async function readWork(repo: Repo, path: string, stat: FsStat): Promise<Uint8Array> {
  const { fs } = repo.call.ctx;
  if (stat.isSymbolicLink) return toArray(encodeText(await fs.readlink(repo.file(path))));
  return await repo.call.fs.readFile(repo.file(path)) as Uint8Array;
}

/** The contents of one side of a change: an object, or a file of the work tree that is not stored yet. */
export async function readItem(repo: Repo, path: string, item: Item): Promise<Uint8Array> {
  if (item.mode === MODULE) return new TextEncoder().encode(`Subproject commit ${item.oid}\n`);
  if (await repo.objects.has(item.oid)) return await repo.objects.blob(item.oid);
  const stat = await statFile(repo, path);
  return stat ? await readWork(repo, path, stat) : new Uint8Array();
}

interface Work {
  changes: Change[];
  /** Whether the index learned something that is worth writing. */
  refreshed: boolean;
}

/** Compares the files that the index knows with it; `new` is missing where the file is. */
export async function compareWork(repo: Repo, index: Index, spec?: Pathspec): Promise<Work> {
  const work: Work = { changes: [], refreshed: false };
  const modes = repo.config.flag("core.filemode") ?? true;
  for (const entry of index.entries.values()) {
    if (spec && !spec.matches(entry.path)) continue;
    checkInterrupt(repo.call.ctx);
    const change = await compareFile(repo, index, entry, modes, work);
    if (change) work.changes.push(change);
  }
  work.changes.sort((a, b) => byBytes(a.path, b.path));
  return work;
}

async function compareFile(
  repo: Repo,
  index: Index,
  entry: IndexEntry,
  modes: boolean,
  work: Work,
): Promise<Change | undefined> {
  const { path, oid, mode } = entry;
  // The contents of other repositories are not looked at; those left out of the work tree are not missed.
  if (mode === MODULE || entry.extended & 0x4000) return undefined;
  const stat = await statFile(repo, path);
  if (!stat) return { path, old: { mode, oid } };
  if (index.isFresh(entry, stat)) return undefined;
  const fresh = await hashFile(repo, path, stat, modes ? undefined : mode);
  if (fresh.oid !== oid || fresh.mode !== mode) return { path, old: { mode, oid }, new: fresh };
  index.entries.set(path, { ...entryOf(path, oid, stat, mode), extended: entry.extended });
  work.refreshed = true;
  return undefined;
}

/** The item that a file would be; `known` is its mode where the file system has none. */
export async function hashFile(repo: Repo, path: string, stat: FsStat, known?: number): Promise<Item> {
  const mode = known !== undefined && known !== LINK && !stat.isSymbolicLink ? known : modeOf(stat);
  return { mode, oid: await hashOf("blob", await readWork(repo, path, stat)) };
}

export type Untracked = "no" | "normal" | "all";

/** Walks the work tree for what the index does not know. */
export class Finder {
  readonly found: string[] = [];
  readonly ignored: string[] = [];
  readonly #folders = new Set<string>();

  constructor(
    private readonly repo: Repo,
    private readonly index: Index,
    private readonly ignore: Ignore | undefined,
    private readonly mode: Untracked,
    private readonly spec?: Pathspec,
    private readonly wantIgnored = false,
  ) {
    for (const path of [...index.entries.keys(), ...index.conflicts.keys()]) {
      for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) this.#folders.add(path.slice(0, at));
    }
  }

  /** Untracked files, and folders (with a slash) in which nothing is tracked. */
  async run(): Promise<string[]> {
    if (this.mode !== "no") await this.#walk("");
    return this.found.sort(byBytes);
  }

  async #walk(folder: string): Promise<void> {
    for (const { name, isDirectory, isOther } of await this.#list(folder)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (isOther || name === ".git" || !isSafeName(name) && !isDirectory) continue;
      if (isDirectory) await this.#folder(path);
      else if (!this.index.has(path) && !await this.#isIgnored(path, false)) this.#add(path);
    }
  }

  async #folder(path: string): Promise<void> {
    if (this.index.entries.get(path)?.mode === MODULE || this.spec && !this.spec.mayHold(path)) return;
    if (this.#folders.has(path)) return await this.#walk(path);
    if (await this.#isIgnored(path, true)) return;
    if (await this.repo.call.ctx.fs.exists(this.repo.file(`${path}/.git`))) return this.#add(path + "/");
    if (this.mode === "all") return await this.#walk(path);
    if (await this.#holdsAny(path)) this.#add(path + "/");
  }

  #add(path: string): void {
    if (!this.spec || this.spec.matches(path.replace(/\/$/, "")) || path.endsWith("/")) this.found.push(path);
  }

  async #isIgnored(path: string, isFolder: boolean): Promise<boolean> {
    if (!this.ignore || !await this.ignore.matches(path, isFolder)) return false;
    this.ignored.push(isFolder ? path + "/" : path);
    return true;
  }

  /** Whether a folder has at least one file that is not ignored. */
  async #holdsAny(folder: string): Promise<boolean> {
    let found = false;
    for (const { name, isDirectory, isOther } of await this.#list(folder)) {
      const path = `${folder}/${name}`;
      if (isOther || name === ".git" || await this.#isIgnored(path, isDirectory)) continue;
      found ||= !isDirectory || await this.#holdsAny(path);
      if (found && !this.wantIgnored) return true;
    }
    return found;
  }

  async #list(folder: string) {
    checkInterrupt(this.repo.call.ctx);
    const { fs } = this.repo.call.ctx;
    const entries = await fs.readdirWithFileTypes?.(folder === "" ? this.repo.top : this.repo.file(folder)) ?? [];
    return entries.map(({ name, isFile, isDirectory, isSymbolicLink }) => ({
      name,
      isDirectory,
      isOther: !isFile && !isDirectory && !isSymbolicLink,
    }));
  }
}
