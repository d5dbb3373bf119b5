/** `log --follow`: the history of one file, also from before it was renamed. */
import { GitError } from "../options.ts";
import { walkHistory } from "./history_walk.ts";
import type { Commit } from "./objects.ts";
import { detectRenames } from "./renames.ts";
import type { Repo } from "./repository.ts";
import { type Change, diffTrees, flattenTree } from "./trees.ts";

/** The commits that changed a file, with what each did to it, under the name that it had then. */
export async function* followFile(
  repo: Repo,
  ends: { include: string[]; exclude: string[] },
  name: string,
): AsyncGenerator<[commit: Commit, change: Change]> {
  let path = name;
  for await (const commit of walkHistory(repo, ends)) {
    if (commit.parents.length > 1) continue;
    const [parent] = commit.parents;
    const before = parent === undefined ? undefined : (await repo.objects.commit(parent)).tree;
    const changes = await diffTrees(repo, before, commit.tree);
    const change = changes.find((each) => each.path === path);
    if (!change) continue;
    const found = change.old ? change : await findOrigin(repo, changes, change, before);
    yield [commit, found];
    path = found.from ?? path;
  }
}

/** A file that appears may be one that has gone, or a copy. */
async function findOrigin(repo: Repo, changes: Change[], change: Change, before?: string): Promise<Change> {
  const renamed = (await detectRenames(repo, changes, { copies: true })).find(({ path }) => path === change.path);
  if (renamed?.from !== undefined) return renamed;
  for (const [from, item] of await flattenTree(repo, before)) {
    if (item.oid === change.new?.oid) return { ...change, old: item, from, score: 60_000, copied: true };
  }
  return change;
}

export function readFollowed(paths: string[]): string {
  if (paths.length !== 1) throw new GitError("--follow requires exactly one pathspec");
  return paths[0];
}
