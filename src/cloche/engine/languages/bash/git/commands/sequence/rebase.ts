/** git rebase. */
import { type Args, GitError, parseArgs, usageError } from "../../options.ts";
import type { Call } from "../../call.ts";
import { cleanMessage, editMessage, reportCommit } from "../commit.ts";
import { exactRef } from "../branch.ts";
import { editFile, findEditor } from "../../editor.ts";
import type { Commit } from "../../repository/objects.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, findRevision, upstreamOf } from "../../repository/revision.ts";
import { writeIndexTree } from "../../repository/trees.ts";
import { mergeBases, walkHistory } from "../../repository/history_walk.ts";
import { resetHard } from "../../repository/worktree_files.ts";
import { subjectOf } from "../../text/commit_format.ts";
import { applyAutostash, makeAutostash } from "../stash.ts";
import { store } from "./merge.ts";
import { dropApplied } from "./patch_id.ts";
import { RebaseState } from "./rebase_state.ts";
import { clearLine, RebaseRun } from "./rebase_steps.ts";
import { isChanged, isStaged } from "./replay.ts";
import { autosquash, HELP, parseSteps, renderSteps, type Step, stepOf } from "./todo.ts";

const OPTIONS = "onto= interactive,i root continue abort skip quit edit-todo show-current-patch autosquash " +
  "no-autosquash exec,x= quiet,q verbose,v force-rebase,f no-ff autostash no-autostash keep-empty no-keep-empty empty= " +
  "reapply-cherry-picks no-reapply-cherry-picks rebase-merges,r=? merge,m apply strategy,s= strategy-option,X= " +
  "no-verify verify stat no-stat,n signoff fork-point no-fork-point keep-base update-refs committer-date-is-author-date " +
  "reset-author-date ignore-date gpg-sign,S=? rerere-autoupdate no-rerere-autoupdate reschedule-failed-exec";

const REFUSED = "rebase-merges strategy strategy-option keep-base update-refs committer-date-is-author-date " +
  "reset-author-date ignore-date signoff reschedule-failed-exec";

export async function runRebase(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  for (const name of REFUSED.split(" ")) {
    if (given.has(name)) throw new GitError(`rebase --${name} is not supported here`);
  }
  const repo = await Repo.find(call);
  repo.top;
  if (given.has("abort")) return await abort(repo);
  if (given.has("quit")) {
    await (await RebaseState.open(repo)).clear();
    return 0;
  }
  if (given.has("continue")) return await resume(repo);
  if (given.has("skip")) return await skip(repo);
  if (given.has("edit-todo")) return await editTodo(repo);
  if (given.has("show-current-patch")) return await showPatch(repo);
  return await start(repo, given);
}

async function start(repo: Repo, given: Args): Promise<number> {
  if (await RebaseState.isActive(repo)) throw new GitError(BUSY);
  const plan = await readPlan(repo, given);
  const stash = given.has("autostash") || repo.config.flag("rebase.autostash") && !given.has("no-autostash")
    ? await makeAutostash(repo)
    : undefined;
  await refuseDirty(repo);
  const finish = async (code: number | undefined) => {
    if (stash !== undefined && code !== undefined && !await RebaseState.isActive(repo)) {
      await applyAutostash(repo, stash);
    }
    return code ?? 0;
  };
  if (await isCurrent(repo, given, plan)) return await finish(0);
  const steps = await listSteps(repo, given, plan);
  const state = new RebaseState(repo);
  await prepare(repo, given, plan, state, stash);
  if (given.has("interactive")) {
    const code = await editNew(repo, state, steps, plan);
    if (code !== undefined) return await finish(code);
  } else await state.write("git-rebase-todo.backup", renderSteps(steps));
  return await go(repo, plan, state, given.has("interactive") ? undefined : steps);
}

interface Plan {
  /** Commits reached from here are left alone; undefined with --root. */
  upstream: string | undefined;
  onto: string | undefined;
  ontoName: string;
  head: Commit;
  /** The whole name of the branch, or "detached HEAD". */
  branch: string;
  label: string;
}

async function readPlan(repo: Repo, given: Args): Promise<Plan> {
  const words = [...given.everything];
  const root = given.has("root");
  const name = root ? undefined : words.shift() ?? await upstreamOf(repo, "");
  if (!root && name === undefined) {
    repo.call.out(`${await noUpstream(repo)}\n`);
    throw new GitError("", 1, "");
  }
  const upstream = name === undefined ? undefined : await findCommit(repo, name, "invalid upstream");
  const onto = given.get("onto") === undefined ? upstream : await findOnto(repo, given.get("onto") ?? "");
  const [target] = words;
  if (target !== undefined) await findCommit(repo, target, "no such branch/commit");
  const isBranch = target !== undefined && await exactRef(repo, `refs/heads/${target}`) !== undefined;
  const branch = target === undefined
    ? await repo.branch() ?? "detached HEAD"
    : isBranch
    ? `refs/heads/${target}`
    : "detached HEAD";
  const head = await commitOf(repo, target ?? "HEAD");
  const label = branch === "detached HEAD" ? target ?? "HEAD" : branch.replace(/^refs\/heads\//, "");
  const short = (text: string) => text.replace(/^refs\/(heads|remotes)\//, "");
  return { upstream, onto, ontoName: short(given.get("onto") ?? name ?? ""), head, branch, label };
}

async function findCommit(repo: Repo, name: string, complaint: string): Promise<string> {
  const found = await findRevision(repo, name === "-" ? "@{-1}" : name);
  if (found === undefined) throw new GitError(`${complaint} '${name}'`);
  return (await commitOf(repo, name === "-" ? "@{-1}" : name)).oid;
}

/** `A...B` is where the two parted. */
async function findOnto(repo: Repo, name: string): Promise<string> {
  const sides = name.split("...");
  if (sides.length !== 2) {
    return await findCommit(repo, name, "Does not point to a valid commit:").catch(() => {
      throw new GitError(`Does not point to a valid commit '${name}'`);
    });
  }
  const [a, b] = [await commitOf(repo, sides[0] || "HEAD"), await commitOf(repo, sides[1] || "HEAD")];
  const bases = await mergeBases(repo, a.oid, b.oid);
  if (bases.length !== 1) throw new GitError(`'${name}': need exactly one merge base`);
  return bases[0];
}

async function noUpstream(repo: Repo): Promise<string> {
  const branch = await repo.branchName();
  if (branch === undefined) {
    return "You are not currently on a branch.\nPlease specify which branch you want to rebase against.\n" +
      "See git-rebase(1) for details.\n\n    git rebase '<branch>'\n";
  }
  return "There is no tracking information for the current branch.\n" +
    "Please specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n" +
    "    git rebase '<branch>'\n\nIf you wish to set tracking information for this branch you can do so with:\n\n" +
    `    git branch --set-upstream-to=<remote>/<branch> ${branch}\n`;
}

const BUSY = `It seems that there is already a rebase-merge directory, and
I wonder if you are in the middle of another rebase.  If that is the
case, please try
\tgit rebase (--continue | --abort | --skip)
If that is not the case, please
\trm -fr ".git/rebase-merge"
and run me again.  I am stopping in case you still have something
valuable there.
`;

async function refuseDirty(repo: Repo): Promise<void> {
  const [changed, staged] = [await isChanged(repo), await isStaged(repo)];
  if (!changed && !staged) return;
  const lines = changed ? ["cannot rebase: You have unstaged changes."] : [];
  if (staged) {
    lines.push(
      changed
        ? "additionally, your index contains uncommitted changes."
        : "cannot rebase: Your index contains uncommitted changes.",
    );
  }
  throw usageError([...lines, "Please commit or stash them."].join("\nerror: "));
}

/** Whether nothing would change; says so, unless it is to be done all the same. */
async function isCurrent(repo: Repo, given: Args, plan: Plan): Promise<boolean> {
  if (given.has("interactive") || plan.onto === undefined || plan.upstream === undefined || given.has("exec")) {
    return false;
  }
  const [base] = await mergeBases(repo, plan.onto, plan.head.oid);
  const linear = base === plan.onto && (plan.upstream === plan.onto ||
    (await mergeBases(repo, plan.upstream, plan.head.oid))[0] === base) &&
    await isLinear(repo, plan);
  if (!linear) return false;
  const forced = given.has("force-rebase") || given.has("no-ff");
  const name = plan.branch === "detached HEAD" ? "HEAD" : `Current branch ${plan.label}`;
  if (!given.has("quiet")) repo.call.out(`${name} is up to date${forced ? ", rebase forced" : ""}.\n`);
  if (!forced && await repo.branch() !== plan.branch && plan.branch !== "detached HEAD") await enterBranch(repo, plan);
  return !forced;
}

async function enterBranch(repo: Repo, plan: Plan): Promise<void> {
  await resetHard(repo, plan.head.tree);
  await repo.attachHead(plan.branch, `rebase (start): checkout ${plan.label}`);
}

async function isLinear(repo: Repo, plan: Plan): Promise<boolean> {
  const walk = walkHistory(repo, { include: [plan.head.oid], exclude: plan.onto === undefined ? [] : [plan.onto] });
  for await (const { parents } of walk) if (parents.length > 1) return false;
  return true;
}

async function listSteps(repo: Repo, given: Args, { upstream, head, onto }: Plan): Promise<Step[]> {
  const commits: Commit[] = [];
  const walk = walkHistory(repo, {
    include: [head.oid],
    exclude: upstream === undefined ? [] : [upstream],
    topological: true,
  });
  for await (const commit of walk) if (commit.parents.length < 2) commits.push(commit);
  const skipping = upstream !== undefined && !given.has("reapply-cherry-picks");
  const kept = skipping ? await dropApplied(repo, commits.reverse(), upstream) : commits.reverse();
  const all = kept.map((commit) => stepOf(commit));
  const squashing = given.has("autosquash") ||
    repo.config.flag("rebase.autosquash") === true && given.has("interactive");
  const ordered = squashing && !given.has("no-autosquash") && given.has("interactive") ? autosquash(all) : all;
  if (onto === undefined && ordered.length === 0) throw usageError("nothing to do");
  const commands = given.all("exec").map((rest) => ({ verb: "exec", oid: "", rest }));
  if (commands.length === 0) return ordered;
  return ordered.flatMap((step, i) =>
    /^(squash|fixup)$/.test(ordered[i + 1]?.verb ?? "") ? [step] : [step, ...commands]
  );
}

async function prepare(repo: Repo, given: Args, plan: Plan, state: RebaseState, stash?: string): Promise<void> {
  await state.write("head-name", `${plan.branch}\n`);
  await state.write("orig-head", `${plan.head.oid}\n`);
  await state.write("onto", `${plan.onto ?? plan.head.oid}\n`);
  await state.write("interactive", "");
  await state.write("no-reschedule-failed-exec", "");
  if (given.has("quiet")) await state.write("quiet", "");
  if (given.has("force-rebase") || given.has("no-ff")) await state.write("force", "");
  const empty = given.get("empty") ?? (given.has("interactive") ? "ask" : "drop");
  if (empty === "drop") await state.write("drop_redundant_commits", "");
  if (empty === "keep") await state.write("keep_redundant_commits", "");
  if (stash !== undefined) await state.write("autostash", `${stash}\n`);
  await repo.setRef("ORIG_HEAD", plan.head.oid);
}

/** Shows the list to the user's editor; returns an exit code if it is not to go on. */
async function editNew(repo: Repo, state: RebaseState, steps: Step[], plan: Plan): Promise<number | undefined> {
  const editor = await findEditor(repo.call, true);
  if (editor === undefined) {
    await state.clear();
    throw usageError("there is no editor in this sandbox: set GIT_SEQUENCE_EDITOR to a command that changes the list");
  }
  const brief = (oid: string | undefined) => (oid ?? "").slice(0, 7);
  const range = plan.upstream === undefined ? brief(plan.head.oid) : `${brief(plan.upstream)}..${brief(plan.head.oid)}`;
  const count = `${steps.length} command${steps.length === 1 ? "" : "s"}`;
  const list = steps.length === 0 ? "noop\n" : renderSteps(steps, 7);
  const text = `${list}\n# Rebase ${range} onto ${brief(plan.onto ?? plan.head.oid)} (${count})\n#\n${HELP}` +
    "# However, if you remove everything, the rebase will be aborted.\n#\n";
  await state.write("git-rebase-todo", text);
  await state.write("git-rebase-todo.backup", text);
  try {
    await editFile(repo.call, editor, state.path("git-rebase-todo"), repo.top);
  } catch (error) {
    await state.clear();
    throw error;
  }
  const edited = await state.read("git-rebase-todo") ?? "";
  if (!edited.split("\n").some((line) => line.trim() !== "" && !line.startsWith("#"))) {
    await state.clear();
    throw usageError("nothing to do");
  }
  return undefined;
}

const FIXABLE = "You can fix this with 'git rebase --edit-todo' and then run 'git rebase --continue'.\n" +
  "Or you can abort the rebase with 'git rebase --abort'.";

async function go(repo: Repo, plan: Plan, state: RebaseState, known?: Step[]): Promise<number> {
  const message = (oid: string) => `rebase (start): checkout ${plan.onto === undefined ? oid : plan.ontoName}`;
  const parsed = known ??
    await parseSteps(repo, await state.read("git-rebase-todo") ?? "", true).catch(async (error) => {
      const onto = plan.onto ?? plan.head.oid;
      await resetHard(repo, (await repo.objects.commit(onto)).tree);
      await repo.detachHead(onto, message(onto));
      throw error instanceof GitError ? usageError(`${error.message}\n${FIXABLE}`) : error;
    });
  const { at, steps, skipped } = await skipPicked(repo, parsed, plan, await state.read("force") !== undefined);
  await state.write("done", renderSteps(skipped));
  await state.writeSteps(steps);
  const { tree } = await repo.objects.commit(at);
  await resetHard(repo, tree);
  await repo.detachHead(at, message(at));
  return await carryOn(repo, state);
}

/** Commits at the start that are where they should be already are not made again. */
async function skipPicked(repo: Repo, steps: Step[], plan: Plan, forced: boolean) {
  let at = plan.onto;
  let count = 0;
  while (!forced && count < steps.length && steps[count].verb === "pick") {
    const { oid, parents } = await repo.objects.commit(steps[count].oid);
    if (parents[0] !== at) break;
    at = oid;
    count++;
  }
  if (at === undefined) {
    // Without anything to stand on, the first commit is taken as it is.
    at = steps.find(({ oid }) => oid !== "")?.oid ?? plan.head.oid;
    return { at, steps: steps.slice(1), skipped: steps.slice(0, 1) };
  }
  return { at, steps: steps.slice(count), skipped: steps.slice(0, count) };
}

async function carryOn(repo: Repo, state: RebaseState): Promise<number> {
  return await new RebaseRun(repo, state).run() ?? await finish(repo, state);
}

async function finish(repo: Repo, state: RebaseState): Promise<number> {
  const [branch, onto] = [await state.value("head-name"), await state.value("onto")];
  const quiet = await state.read("quiet") !== undefined;
  const stash = await state.read("autostash");
  const head = await repo.head() ?? "";
  if (branch.startsWith("refs/")) {
    await repo.updateRef(branch, head, `rebase (finish): ${branch} onto ${onto}`);
    await repo.attachHead(branch, `rebase (finish): returning to ${branch}`);
  }
  await state.clear();
  if (stash !== undefined) await applyAutostash(repo, stash.trim());
  if (!quiet) repo.call.err(`${clearLine(repo)}Successfully rebased and updated ${branch}.\n`);
  return 0;
}

async function abort(repo: Repo): Promise<number> {
  const state = await RebaseState.open(repo);
  const [branch, start] = [await state.value("head-name"), await state.value("orig-head")];
  const stash = await state.read("autostash");
  await resetHard(repo, (await repo.objects.commit(start)).tree);
  if (branch.startsWith("refs/")) await repo.attachHead(branch, `rebase (abort): returning to ${branch}`);
  else await repo.detachHead(start, `rebase (abort): returning to ${start}`);
  await state.clear();
  if (stash !== undefined) await applyAutostash(repo, stash.trim());
  return 0;
}

async function skip(repo: Repo): Promise<number> {
  const state = await RebaseState.open(repo);
  const head = await commitOf(repo, "HEAD");
  await resetHard(repo, head.tree);
  await repo.removeNotes("CHERRY_PICK_HEAD", "MERGE_MSG");
  await state.remove("amend", "stopped-sha", "message", "author-script", "patch");
  return await carryOn(repo, state);
}

async function resume(repo: Repo): Promise<number> {
  const state = await RebaseState.open(repo);
  const conflicts = [...(await repo.index()).conflicts.keys()].sort();
  if (conflicts.length > 0) {
    for (const path of conflicts) repo.call.out(`${path}: needs merge\n`);
    repo.call.out("You must edit all merge conflicts and then\nmark them as resolved using git add\n");
    return 1;
  }
  await state.steps().catch((error) => {
    throw error instanceof GitError ? usageError(`${error.message}\n${FIXABLE}`) : error;
  });
  if (await isStaged(repo)) await commitStaged(repo, state);
  await repo.removeNotes("CHERRY_PICK_HEAD", "MERGE_MSG");
  await state.remove("amend", "stopped-sha", "message", "author-script", "patch");
  return await carryOn(repo, state);
}

/** Commits what was resolved, or adds it to the commit that was stopped at. */
async function commitStaged(repo: Repo, state: RebaseState): Promise<void> {
  const head = await commitOf(repo, "HEAD");
  const amended = await state.value("amend");
  if (amended !== "" && amended !== head.oid) {
    throw usageError(
      "\nYou have uncommitted changes in your working tree. Please, commit them\nfirst and then run 'git rebase --continue' again.",
    );
  }
  const noted = amended === "" || await repo.note("MERGE_MSG") !== undefined
    ? (await repo.note("MERGE_MSG") ?? await state.read("message") ?? "")
    : head.message;
  const index = await repo.index();
  const editor = await findEditor(repo.call);
  const text = editor === undefined ? noted : await editMessage(repo, editor, noted, index);
  const message = cleanMessage(text.replace(/^#.*\n?/gm, ""));
  const parents = amended === "" ? [head.oid] : head.parents;
  const author = await state.author() ?? head.author;
  const oid = await store(repo, await writeIndexTree(repo, index), parents, message, author);
  await repo.moveHead(oid, `rebase (continue): ${subjectOf(message)}`);
  await state.remove("current-fixups", "message-squash");
  const before = parents[0] === undefined ? undefined : (await repo.objects.commit(parents[0])).tree;
  await reportCommit(repo, await repo.objects.commit(oid), before, false, amended !== "");
}

async function editTodo(repo: Repo): Promise<number> {
  const state = await RebaseState.open(repo);
  const editor = await findEditor(repo.call, true);
  if (editor === undefined) throw usageError("there is no editor in this sandbox: set GIT_SEQUENCE_EDITOR");
  const text = await state.read("git-rebase-todo") ?? "";
  const list = text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).join("\n");
  await state.write("git-rebase-todo", `${list}\n\n${HELP}`);
  await editFile(repo.call, editor, state.path("git-rebase-todo"), repo.top);
  await state.steps().catch((error) => {
    throw error instanceof GitError ? usageError(`${error.message}\n${FIXABLE}`) : error;
  });
  return 0;
}

async function showPatch(repo: Repo): Promise<number> {
  const state = await RebaseState.open(repo);
  const { runShow } = await import("../log.ts");
  return await runShow(repo.call, [await state.value("stopped-sha")]);
}
