/** What a repository is in the middle of, and what that forbids. */
import { type Args, GitError } from "../options.ts";
import type { Repo } from "../repository/repository.ts";

/** Files that say so, with what it is called and how it is ended. */
const OPERATIONS: [file: string, doing: string, ending: string][] = [
  ["MERGE_HEAD", "while merging", "merge --quit"],
  ["rebase-apply/applying", "in the middle of an am session", "am --quit"],
  ["rebase-merge/onto", "while rebasing", "rebase --quit"],
  ["CHERRY_PICK_HEAD", "while cherry-picking", "cherry-pick --quit"],
  ["REVERT_HEAD", "while reverting", "revert --quit"],
  ["BISECT_LOG", "while bisecting", "bisect reset"],
];

/** Throws if something is under way that another branch would confuse. */
export async function refuseOngoing(repo: Repo): Promise<void> {
  for (const [file, doing, ending] of OPERATIONS) {
    if (await repo.note(file) === undefined) continue;
    throw new GitError(`cannot switch branch ${doing}\nConsider "git ${ending}" or "git worktree add".`);
  }
}

/** Prints which files have conflicts; whether there are any. */
export async function tellUnmerged(repo: Repo): Promise<boolean> {
  const { conflicts } = await repo.index();
  for (const path of [...conflicts.keys()].sort()) repo.call.out(`${path}: needs merge\n`);
  return conflicts.size > 0;
}

/** Throws if the files of another commit would take the place of conflicts. */
export async function refuseUnmerged(repo: Repo, given: Args): Promise<void> {
  if (given.has("force") || given.has("discard-changes") || !await tellUnmerged(repo)) return;
  throw new GitError("you need to resolve your current index first", 1, "error: ");
}

/** What a command says that would make another commit of conflicts. */
export function unresolved(doing: string): GitError {
  return new GitError(
    "Exiting because of an unresolved conflict.",
    128,
    `error: ${doing} is not possible because you have unmerged files.\n` +
      "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\n" +
      "hint: as appropriate to mark resolution and make a commit.\nfatal: ",
  );
}
