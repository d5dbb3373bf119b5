/** What cherry-pick, revert and rebase share: one commit's change made on top of another. */
import { usageError } from "../../options.ts";
import { subjectOf } from "../../text/commit_format.ts";
import type { Index } from "../../repository/index_file.ts";
import { applyOutcome, mergeTrees, type Outcome, tellOutcome } from "../../repository/merge_trees.ts";
import type { Commit } from "../../repository/objects.ts";
import type { Repo } from "../../repository/repository.ts";
import { diffFlat, flattenTree } from "../../repository/trees.ts";
import { compareWork } from "../../repository/worktree_scan.ts";

export const PICKED = ["CHERRY_PICK_HEAD", "REVERT_HEAD"] as const;
export type Picked = typeof PICKED[number];

interface Replay {
  /** The commit whose change is made. */
  picked: Commit;
  /** The commit that it is made on. */
  onto: Commit;
  reverting?: boolean;
  /** Which parent a merge is compared with; 0 if none was named. */
  mainline?: number;
  verb: string;
}

export interface Replayed {
  outcome: Outcome;
  index: Index;
}

/** `abc1234 (subject)`, as conflict markers call a commit. */
function labelOf({ oid, message }: Commit): string {
  return `${oid.slice(0, 7)} (${subjectOf(message)})`;
}

/** Makes a commit's change in index and work tree. */
export async function replayCommit(repo: Repo, { picked, onto, reverting, mainline = 0, verb }: Replay) {
  if (picked.parents.length > 1 && mainline === 0) {
    throw usageError(`commit ${picked.oid} is a merge but no -m option was given.\nfatal: ${verb} failed`, 128);
  }
  if (mainline > Math.max(1, picked.parents.length) || mainline > 0 && picked.parents.length === 0) {
    throw usageError(`commit ${picked.oid} does not have parent ${mainline}\nfatal: ${verb} failed`, 128);
  }
  const parent = picked.parents[Math.max(0, mainline - 1)];
  const before = parent === undefined ? undefined : (await repo.objects.commit(parent)).tree;
  const [base, theirs] = reverting ? [picked.tree, before] : [before, picked.tree];
  const label = labelOf(picked);
  const labels: [string, string] = ["HEAD", reverting ? `parent of ${label}` : label];
  const outcome = await mergeTrees(repo, { base, ours: onto.tree, theirs, labels });
  const index = await applyOutcome(
    repo,
    outcome,
    verb === "rebase" ? "merge" : verb,
    verb === "rebase" ? "merge" : verb,
  );
  tellOutcome(repo, outcome);
  return { outcome, index };
}

/** Whether the index holds something that HEAD does not. */
export async function isStaged(repo: Repo): Promise<boolean> {
  const head = await repo.head();
  const tree = head === undefined ? undefined : (await repo.objects.commit(head)).tree;
  const index = await repo.index();
  return index.conflicts.size > 0 || diffFlat(await flattenTree(repo, tree), index.entries).length > 0;
}

/** Whether a tracked file of the work tree is not as the index has it. */
export async function isChanged(repo: Repo): Promise<boolean> {
  const index = await repo.index();
  const { changes, refreshed } = await compareWork(repo, index);
  if (refreshed) await repo.writeIndex(index).catch(() => {});
  return changes.length > 0;
}

/** Complains if there are conflicts that wait, or changes that the next step would overwrite. */
export async function refuseUnready(repo: Repo, verb: string, doing: string): Promise<void> {
  if ((await repo.index()).conflicts.size > 0) {
    throw usageError(
      `${doing} is not possible because you have unmerged files.\n` +
        "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\n" +
        `hint: as appropriate to mark resolution and make a commit.\nfatal: ${verb} failed`,
      128,
    );
  }
  if (await isStaged(repo)) {
    throw usageError(
      `your local changes would be overwritten by ${verb}.\n` +
        `hint: commit your changes or stash them to proceed.\nfatal: ${verb} failed`,
      128,
    );
  }
}
