/** git status. */
import { encodeText } from "../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { changeLetter, ChangePrinter } from "../text/changes.ts";
import type { Index } from "../repository/index_file.ts";
import { byBytes, quotePath, relativePath } from "../repository/paths.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Repo } from "../repository/repository.ts";
import { upstreamOf } from "../repository/revision.ts";
import { compareWork, Finder, type Untracked } from "../repository/worktree_scan.ts";
import { detachedLine, readProgress } from "./progress.ts";
import { type Change, diffFlat, flattenTree } from "../repository/trees.ts";
import { countBetween } from "../repository/history_walk.ts";

/** Everything that status shows. */
interface State {
  repo: Repo;
  index: Index;
  head: string | undefined;
  staged: Change[];
  changed: Change[];
  conflicts: string[];
  untracked: string[];
  ignored: string[];
}

/** Compares HEAD, index and work tree. */
export async function readState(
  repo: Repo,
  mode: Untracked,
  spec?: Pathspec,
  ignored = false,
  given = parseArgs([], ""),
  /** What is staged is found by this tree instead of that of HEAD. */
  against?: { tree: string | undefined },
): Promise<State> {
  const index = await repo.index();
  const head = await repo.head();
  const own = head === undefined ? undefined : (await repo.objects.commit(head)).tree;
  const tree = against ? against.tree : own;
  const staged = diffFlat(await flattenTree(repo, tree), index.entries).filter(({ path }) =>
    !index.conflicts.has(path) && (!spec || spec.matches(path))
  );
  const work = await compareWork(repo, index, spec);
  const finder = new Finder(repo, index, await repo.ignore(), mode, spec, ignored);
  const untracked = await finder.run();
  // What was learned is kept for the next time, if that is possible.
  if (work.refreshed) await repo.writeIndex(index).catch(() => {});
  const conflicts = [...index.conflicts.keys()].filter((path) => !spec || spec.matches(path)).sort();
  return {
    repo,
    index,
    head,
    staged: await new ChangePrinter(repo, given).findRenames(staged),
    changed: work.changes,
    conflicts,
    untracked,
    ignored: finder.ignored.sort(byBytes),
  };
}

export async function runStatus(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    "short,s porcelain=? branch,b long z untracked-files,u=? ignored=? verbose,v no-renames ahead-behind no-ahead-behind " +
      "ignore-submodules=? no-column column=? find-renames=?",
  );
  const repo = await Repo.find(call);
  repo.top;
  const spec = new Pathspec(repo, given.everything);
  const state = await readState(repo, untrackedMode(given), spec, given.has("ignored"), given);
  if (given.get("porcelain") === "v2") throw new GitError("--porcelain=v2 is not supported here; use --porcelain");
  if (given.has("short") || given.has("porcelain") || given.has("z")) call.bytes(await short(state, given));
  else call.out(await printLong(state, given.has("ignored")));
  return 0;
}

function untrackedMode(given: Args): Untracked {
  const mode = given.get("untracked-files");
  if (mode === undefined) return "normal";
  if (mode === "" || mode === "all") return "all";
  if (mode !== "no" && mode !== "normal") throw new GitError(`Invalid untracked files mode '${mode}'`);
  return mode;
}

async function short(state: State, given: Args): Promise<string> {
  const marks = new Map<string, [string, string]>();
  const at = (path: string) => marks.get(path) ?? [" ", " "];
  for (const change of state.staged) marks.set(change.path, [changeLetter(change), " "]);
  for (const change of state.changed) marks.set(change.path, [at(change.path)[0], changeLetter(change)]);
  for (const path of state.conflicts) marks.set(path, conflictMark(state.index, path));
  // Porcelain shows paths from the top, for scripts; the short form as seen from where the user stands.
  const prefix = given.has("porcelain") || given.has("z") ? "" : state.repo.prefix;
  const end = given.has("z") ? "\0" : "\n";
  const name = (path: string) => {
    if (given.has("z")) return encodeText(path);
    const seen = relativePath(prefix, path.replace(/\/$/, ""));
    return quotePath(seen + (path.endsWith("/") && !seen.endsWith("/") ? "/" : ""), true);
  };
  const paths = [...marks.keys()].sort();
  const origins = new Map(state.staged.map(({ path, from }) => [path, from]));
  const lines = paths.map((path) => {
    const [mark, from] = [at(path).join(""), origins.get(path)];
    if (from === undefined) return `${mark} ${name(path)}`;
    return given.has("z") ? `${mark} ${name(path)}\0${name(from)}` : `${mark} ${name(from)} -> ${name(path)}`;
  });
  lines.push(...state.untracked.map((path) => `?? ${name(path)}`));
  if (given.has("ignored")) lines.push(...state.ignored.map((path) => `!! ${name(path)}`));
  if (given.has("branch")) lines.unshift(await branchLine(state));
  return lines.map((line) => line + end).join("");
}

function conflictMark(index: Index, path: string): [string, string] {
  const stages = (index.conflicts.get(path) ?? []).map(({ stage }) => stage).join("");
  const marks: Record<string, string> = { 1: "DD", 2: "AU", 3: "UA", 12: "UD", 13: "DU", 23: "AA", 123: "UU" };
  const mark = marks[stages] ?? "UU";
  return [mark[0], mark[1]];
}

async function branchLine({ repo, head }: State): Promise<string> {
  const branch = (await repo.branch())?.replace(/^refs\/heads\//, "");
  if (branch === undefined) return "## HEAD (no branch)";
  if (head === undefined) return `## No commits yet on ${branch}`;
  const upstream = await upstreamOf(repo, branch);
  if (upstream === undefined) return `## ${branch}`;
  const name = upstream.replace(/^refs\/remotes\//, "");
  const theirs = await repo.ref(upstream);
  if (theirs === undefined) return `## ${branch}...${name} [gone]`;
  const { ahead, behind } = await countBetween(repo, head, theirs);
  const parts = [ahead > 0 ? `ahead ${ahead}` : "", behind > 0 ? `behind ${behind}` : ""].filter(Boolean);
  return `## ${branch}...${name}${parts.length > 0 ? ` [${parts.join(", ")}]` : ""}`;
}

const WORDS: Record<string, string> = {
  A: "new file:   ",
  M: "modified:   ",
  D: "deleted:    ",
  T: "typechange: ",
  R: "renamed:    ",
};
const CONFLICTS: Record<string, string> = {
  UU: "both modified:   ",
  AA: "both added:      ",
  DD: "both deleted:    ",
  AU: "added by us:     ",
  UA: "added by them:   ",
  UD: "deleted by them: ",
  DU: "deleted by us:   ",
};

/** The form for people; also what a commit without changes says. */
export async function printLong(state: State, showIgnored = false, committing = false): Promise<string> {
  const { repo, head } = state;
  const shown = (path: string) => {
    const seen = relativePath(repo.prefix, path.replace(/\/$/, ""));
    return quotePath(seen + (path.endsWith("/") && !seen.endsWith("/") ? "/" : ""));
  };
  const list = (changes: Change[]) =>
    changes.map((each) =>
      `\t${WORDS[changeLetter(each)]}${each.from === undefined ? "" : `${shown(each.from)} -> `}${shown(each.path)}\n`
    ).join("");
  const names = (paths: string[]) => paths.map((path) => `\t${shown(path)}\n`).join("");
  const merging = await repo.note("MERGE_HEAD") !== undefined;
  const progress = await readProgress(repo, state.conflicts.length > 0);
  const top = progress.head ?? await headLines(state, committing);
  const parts = [progress.head === undefined ? top : top + progress.lines];
  if (progress.head === undefined && progress.lines !== "") parts[0] = joinProgress(top, progress.lines);
  if (state.staged.length > 0) {
    const unstage = head === undefined ? '"git rm --cached <file>..."' : '"git restore --staged <file>..."';
    parts.push(
      `Changes to be committed:\n${progress.plain ? "" : `  (use ${unstage} to unstage)\n`}${list(state.staged)}`,
    );
  }
  if (state.conflicts.length > 0) {
    const lines = state.conflicts.map((path) =>
      `\t${CONFLICTS[conflictMark(state.index, path).join("")]}${shown(path)}\n`
    );
    const gone = lines.some((line) => line.includes("deleted"));
    const how = gone ? '"git add/rm <file>..." as appropriate' : '"git add <file>..."';
    const undo = progress.plain || head === undefined ? "" : '  (use "git restore --staged <file>..." to unstage)\n';
    parts.push(`Unmerged paths:\n${undo}  (use ${how} to mark resolution)\n${lines.join("")}`);
  }
  if (state.changed.length > 0) {
    const verb = state.changed.some((change) => !change.new) ? "add/rm" : "add";
    parts.push(
      `Changes not staged for commit:\n  (use "git ${verb} <file>..." to update what will be committed)\n` +
        `  (use "git restore <file>..." to discard changes in working directory)\n${list(state.changed)}`,
    );
  }
  if (state.untracked.length > 0) {
    const hint = '  (use "git add <file>..." to include in what will be committed)\n';
    parts.push(`Untracked files:\n${hint}${names(state.untracked)}`);
  }
  if (showIgnored && state.ignored.length > 0) {
    const hint = '  (use "git add -f <file>..." to include in what will be committed)\n';
    parts.push(`Ignored files:\n${hint}${names(state.ignored)}`);
  }
  return joinParts(parts, lastLine(state, merging));
}

/** A line is left after each part; the head has one only if it has something to say itself. */
function joinParts([head, ...rest]: string[], last: string): string {
  const gap = head.trimEnd().includes("\n") ? "\n" : "";
  return `${head}${gap}${rest.map((part) => part + "\n").join("")}${last === "" ? "" : last + "\n"}`;
}

/** What is under way comes at once after the branch, unless that has more to say. */
function joinProgress(top: string, lines: string): string {
  return top.trimEnd().includes("\n") ? `${top}\n${lines}` : top + lines;
}

async function headLines({ repo, head }: State, committing: boolean): Promise<string> {
  const branch = (await repo.branch())?.replace(/^refs\/heads\//, "");
  if (branch === undefined) {
    return head === undefined ? "Not currently on any branch.\n" : `${await detachedLine(repo, head)}\n`;
  }
  if (head === undefined) return `On branch ${branch}\n\n${committing ? "Initial commit" : "No commits yet"}\n`;
  return `On branch ${branch}\n${await trackingLines(repo, branch, head)}`;
}

/** How far a branch is ahead of the one it follows, or behind it. */
export async function trackingLines(repo: Repo, branch: string, head: string): Promise<string> {
  const upstream = await upstreamOf(repo, branch);
  if (upstream === undefined) return "";
  const name = upstream.replace(/^refs\/(remotes|heads)\//, "");
  const theirs = await repo.ref(upstream);
  if (theirs === undefined) {
    return `Your branch is based on '${name}', but the upstream is gone.\n  (use "git branch --unset-upstream" to fixup)\n`;
  }
  const { ahead, behind } = await countBetween(repo, head, theirs);
  const commits = (count: number) => `${count} commit${count === 1 ? "" : "s"}`;
  if (ahead === 0 && behind === 0) return `Your branch is up to date with '${name}'.\n`;
  if (behind === 0) {
    return `Your branch is ahead of '${name}' by ${
      commits(ahead)
    }.\n  (use "git push" to publish your local commits)\n`;
  }
  if (ahead === 0) {
    return `Your branch is behind '${name}' by ${commits(behind)}, and can be fast-forwarded.\n` +
      '  (use "git pull" to update your local branch)\n';
  }
  return `Your branch and '${name}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n` +
    '  (use "git pull" to merge the remote branch into yours)\n';
}

function lastLine({ head, staged, changed, conflicts, untracked }: State, merging: boolean): string {
  if (staged.length > 0) return "";
  if (changed.length > 0 || conflicts.length > 0) {
    return 'no changes added to commit (use "git add" and/or "git commit -a")';
  }
  if (merging) return "";
  if (untracked.length > 0) {
    return 'nothing added to commit but untracked files present (use "git add" to track)';
  }
  if (head === undefined) return 'nothing to commit (create/copy files and use "git add" to track)';
  return "nothing to commit, working tree clean";
}
