/** What is under way in a repository (a rebase, a cherry-pick, a bisection), as `git status` tells it. */
import type { Repo } from "../repository/repository.ts";
import { fullRef } from "../repository/revision.ts";

interface Progress {
  /** The first line, if it is another than the branch's. */
  head?: string;
  lines: string;
  /** Whether the hint on unstaging is left out. */
  plain: boolean;
}

export async function readProgress(repo: Repo, unmerged: boolean): Promise<Progress> {
  const bisecting = await bisectLines(repo);
  const found = await mergeProgress(repo, unmerged) ?? await amProgress(repo) ?? await rebaseProgress(repo, unmerged) ??
    await pickProgress(repo, unmerged) ?? { lines: "", plain: false };
  const gap = found.lines !== "" && bisecting !== "" ? "\n" : "";
  return { ...found, lines: found.lines + gap + bisecting };
}

async function mergeProgress(repo: Repo, unmerged: boolean): Promise<Progress | undefined> {
  if (await repo.note("MERGE_HEAD") === undefined) return undefined;
  const lines = unmerged
    ? 'You have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n'
    : 'All conflicts fixed but you are still merging.\n  (use "git commit" to conclude merge)\n';
  return { lines, plain: true };
}

async function amProgress(repo: Repo): Promise<Progress | undefined> {
  if (await repo.note("rebase-apply/applying") === undefined) return undefined;
  const lines = 'You are in the middle of an am session.\n  (fix conflicts and then run "git am --continue")\n' +
    '  (use "git am --skip" to skip this patch)\n  (use "git am --abort" to restore the original branch)\n';
  return { lines, plain: false };
}

async function rebaseProgress(repo: Repo, unmerged: boolean): Promise<Progress | undefined> {
  const onto = (await repo.note("rebase-merge/onto"))?.trim().slice(0, 7);
  if (onto === undefined) return undefined;
  const name = (await repo.note("rebase-merge/head-name") ?? "").trim();
  const branch = name.startsWith("refs/heads/") ? ` branch '${name.slice(11)}' on '${onto}'` : "";
  const doing = `You are currently rebasing${branch}.\n`;
  const settled = await repo.note("MERGE_MSG") !== undefined ||
    await repo.note("rebase-merge/message-squash") !== undefined;
  const lines = unmerged
    ? `${doing}  (fix conflicts and then run "git rebase --continue")\n  (use "git rebase --skip" to skip this patch)\n` +
      '  (use "git rebase --abort" to check out the original branch)\n'
    : settled
    ? `${doing}  (all conflicts fixed: run "git rebase --continue")\n`
    : `You are currently editing a commit while rebasing${branch}.\n` +
      '  (use "git commit --amend" to amend the current commit)\n' +
      '  (use "git rebase --continue" once you are satisfied with your changes)\n';
  const head = `interactive rebase in progress; onto ${onto}\n${await stepLines(repo)}`;
  return { head, lines, plain: false };
}

async function stepLines(repo: Repo): Promise<string> {
  const read = async (name: string) =>
    (await repo.note(`rebase-merge/${name}`) ?? "").split("\n").filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => `   ${line.replace(/\b[0-9a-f]{40}\b/, (oid) => oid.slice(0, 7))}\n`);
  const [done, left] = [await read("done"), await read("git-rebase-todo")];
  const plural = (count: number) => count === 1 ? "" : "s";
  const last = done.length === 0
    ? "No commands done.\n"
    : `Last command${plural(done.length)} done (${done.length} command${plural(done.length)} done):\n` +
      done.slice(-2).join("") + (done.length > 2 ? "  (see more in file .git/rebase-merge/done)\n" : "");
  const next = left.length === 0
    ? "No commands remaining.\n"
    : `Next command${plural(left.length)} to do (${left.length} remaining command${plural(left.length)}):\n` +
      `${left.slice(0, 2).join("")}  (use "git rebase --edit-todo" to view and edit)\n`;
  return last + next;
}

async function pickProgress(repo: Repo, unmerged: boolean): Promise<Progress | undefined> {
  const todo = await repo.note("sequencer/todo");
  const kinds = [["CHERRY_PICK_HEAD", "cherry-pick", "Cherry-pick", "cherry-picking"], [
    "REVERT_HEAD",
    "revert",
    "Revert",
    "reverting",
  ]];
  for (const [file, verb, title, doing] of kinds) {
    const oid = (await repo.note(file))?.trim();
    const sequence = todo?.startsWith(verb === "revert" ? "revert" : "pick") ?? false;
    if (oid === undefined && !sequence) continue;
    const first = sequence
      ? `${title} currently in progress.\n`
      : `You are currently ${doing} commit ${oid?.slice(0, 7)}.\n`;
    const how = unmerged
      ? `  (fix conflicts and run "git ${verb} --continue")\n`
      : sequence
      ? `  (run "git ${verb} --continue" to continue)\n`
      : `  (all conflicts fixed: run "git ${verb} --continue")\n`;
    const lines = `${first}${how}  (use "git ${verb} --skip" to skip this patch)\n` +
      `  (use "git ${verb} --abort" to cancel the ${verb} operation)\n`;
    return { lines, plain: verb === "cherry-pick" && oid !== undefined };
  }
  return undefined;
}

async function bisectLines(repo: Repo): Promise<string> {
  const start = (await repo.note("BISECT_START"))?.trim();
  if (start === undefined || await repo.note("BISECT_LOG") === undefined) return "";
  const branch = /^[0-9a-f]{40}$/.test(start) ? "" : `, started from branch '${start}'`;
  return `You are currently bisecting${branch}.\n  (use "git bisect reset" to get back to the original branch)\n`;
}

/** "HEAD detached at v1", by what the log says of where HEAD went. */
export async function detachedLine(repo: Repo, head: string): Promise<string> {
  const entry = (await repo.reflog.read("HEAD")).find(({ message }) => message.startsWith("checkout: moving from "));
  if (!entry) return "Not currently on any branch.";
  const target = entry.message.replace(/^checkout: moving from \S+ to /, "");
  const ref = /^[0-9a-f]{40}$/.test(target) ? undefined : await fullRef(repo, target);
  const led = ref === undefined || ref === "HEAD" ? undefined : await repo.ref(ref);
  const name = ref !== undefined && led !== undefined && ref !== "HEAD"
    ? ref.replace(/^refs\/(tags|remotes)\//, "")
    : entry.oid.slice(0, 7);
  return `HEAD detached ${entry.oid === head ? "at" : "from"} ${name}`;
}
