/** Comparisons for scripts: diff-tree, diff-index, diff-files, cherry, merge-file. */
import { encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { diffIndex, diffTreeWork, diffWork, splitWords } from "../diff.ts";
import type { Commit, Item } from "../../repository/objects.ts";
import { quotePath } from "../../repository/paths.ts";
import { Pathspec } from "../../repository/pathspec.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, findRevision, treeOf, upstreamOf } from "../../repository/revision.ts";
import { type Change, diffTrees, flattenTree } from "../../repository/trees.ts";
import { walkHistory } from "../../repository/history_walk.ts";
import { patchId } from "../sequence/patch_id.ts";
import { changeMark, ChangePrinter, pathsOf, SHOWING } from "../../text/changes.ts";
import { renderCommit, subjectOf } from "../../text/commit_format.ts";
import { mergeTexts } from "../../text/merge_text.ts";

const OPTIONS =
  `${SHOWING} r t root no-commit-id format,pretty=? stdin m c cc v cached abbrev=? date= always merge-base`;
const NOTHING = "0".repeat(40);

/** The raw form with whole names; a side that is only in the work tree has none. */
function rawLines(changes: Change[], stored: boolean, given: Args): string {
  const mode = (item: Item | undefined) => (item?.mode ?? 0).toString(8).padStart(6, "0");
  const digits = given.has("abbrev") ? Number(given.get("abbrev") || 7) : 40;
  const end = given.has("z") ? "\0" : "\n";
  return changes.map((change) => {
    const { old, new: fresh } = change;
    const oids = [old?.oid ?? NOTHING, stored ? fresh?.oid ?? NOTHING : NOTHING].map((oid) => oid.slice(0, digits));
    const names = pathsOf(change).map((path) => given.has("z") ? `\0${encodeText(path)}` : `\t${quotePath(path)}`);
    return `:${mode(old)} ${mode(fresh)} ${oids.join(" ")} ${changeMark(change)}${names.join("")}${end}`;
  }).join("");
}

async function print(repo: Repo, changes: Change[], given: Args, stored: boolean): Promise<number> {
  const printer = new ChangePrinter(repo, given, false);
  if (printer.asked && !given.has("raw")) repo.call.bytes(await printer.show(changes));
  else repo.call.bytes(rawLines(await printer.findRenames(changes), stored, given));
  return (given.has("exit-code") || given.has("quiet")) && changes.length > 0 ? 1 : 0;
}

/** Without -r a folder that changed is one line. */
async function topChanges(repo: Repo, from: string | undefined, to: string, spec: Pathspec): Promise<Change[]> {
  const read = async (tree: string | undefined) =>
    new Map(
      (tree === undefined ? [] : await repo.objects.tree(tree)).map(({ name, mode, oid }) => [name, { mode, oid }]),
    );
  const [olds, news] = [await read(from), await read(to)];
  const names = [...new Set([...olds.keys(), ...news.keys()])].filter((name) => spec.empty || spec.mayHold(name))
    .sort();
  return names.map((path) => ({ path, old: olds.get(path), new: news.get(path) })).filter(({ old, new: fresh }) =>
    old?.oid !== fresh?.oid || old?.mode !== fresh?.mode
  );
}

export async function runDiffTree(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  if (given.has("stdin")) throw new GitError("diff-tree --stdin is not supported here: name the commits");
  const repo = await Repo.find(call);
  const { revisions: [first, second], paths } = await splitWords(repo, given.words, given.after);
  if (first === undefined) {
    throw new GitError("usage: git diff-tree [<options>] <tree-ish> [<tree-ish>] [<path>...]", 129, "");
  }
  const spec = new Pathspec(repo, paths);
  const deep = given.has("r") || given.has("patch") ||
    new ChangePrinter(repo, given).asked && !given.has("name-only") &&
      !given.has("name-status") && !given.has("raw");
  const find = async (from: string | undefined, to: string) =>
    deep ? await diffTrees(repo, from, to, spec) : await topChanges(repo, from, to, spec);
  if (second !== undefined) {
    return await print(repo, await find(await treeOf(repo, first), await treeOf(repo, second)), given, true);
  }
  const commit = await commitOf(repo, first);
  if (commit.parents.length === 0 && !given.has("root")) return 0;
  if (commit.parents.length > 1 && !given.has("m")) return 0;
  const [parent] = commit.parents;
  const changes = await find(parent && (await repo.objects.commit(parent)).tree, commit.tree);
  if (changes.length > 0 || given.has("always")) tellCommit(call, commit, given);
  return await print(repo, changes, given, true);
}

function tellCommit(call: Call, commit: Commit, given: Args): void {
  const format = given.get("format") ?? (given.has("v") ? "medium" : undefined);
  if (given.has("no-commit-id") && format === undefined) return;
  if (format === undefined) return call.out(`${commit.oid}\n`);
  const text = renderCommit(format || "medium", {
    commit,
    refs: "",
    date: given.get("date") ?? "default",
    abbreviate: false,
  });
  call.bytes(`${encodeText(text)}\n`);
}

export async function runDiffIndex(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  const repo = await Repo.find(call);
  const { revisions: [name], paths } = await splitWords(repo, given.words, given.after);
  if (name === undefined) {
    throw new GitError("usage: git diff-index [-m] [--cached] [<options>] <tree-ish> [<path>...]", 129, "");
  }
  const spec = new Pathspec(repo, paths);
  const tree = await flattenTree(repo, await treeOf(repo, name), spec);
  const cached = given.has("cached");
  const changes = cached ? await diffIndex(repo, tree, spec) : await diffTreeWork(repo, tree, spec);
  return await print(repo, changes, given, cached);
}

export async function runDiffFiles(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  const repo = await Repo.find(call);
  const changes = await diffWork(repo, new Pathspec(repo, given.everything));
  return await print(repo, changes, given, false);
}

/** Commits that the other side has not got: `+`, or `-` if it has their change. */
export async function runCherry(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "verbose,v abbrev=?");
  const repo = await Repo.find(call);
  const [name, head = "HEAD", limit] = given.everything;
  const upstream = name ?? await upstreamOf(repo, "");
  if (upstream === undefined) {
    throw new GitError("Could not find a tracked remote branch, please specify <upstream> manually.", 1, "");
  }
  for (const each of [upstream, head]) {
    if (await findRevision(repo, each) === undefined) throw new GitError(`unknown commit ${each}`);
  }
  const [theirs, ours] = [await commitOf(repo, upstream), await commitOf(repo, head)];
  const hidden = limit === undefined ? [] : [(await commitOf(repo, limit)).oid];
  const known = new Set<string>();
  for await (const commit of walkHistory(repo, { include: [theirs.oid], exclude: [ours.oid] })) {
    if (commit.parents.length < 2) known.add(await patchId(repo, commit));
  }
  const lines: string[] = [];
  for await (const commit of walkHistory(repo, { include: [ours.oid], exclude: [theirs.oid, ...hidden] })) {
    if (commit.parents.length > 1) continue;
    const mark = known.has(await patchId(repo, commit)) ? "-" : "+";
    const oid = given.has("abbrev") ? commit.oid.slice(0, Number(given.get("abbrev") || 7)) : commit.oid;
    lines.push(`${mark} ${oid}${given.has("verbose") ? ` ${subjectOf(commit.message)}` : ""}\n`);
  }
  call.out(lines.reverse().join(""));
  return 0;
}

/** Merges files outside of any repository. */
export async function runMergeFile(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "stdout,p quiet,q L= ours theirs union diff3 zdiff3 marker-size=");
  for (const name of ["ours", "theirs", "union", "diff3", "zdiff3", "marker-size"]) {
    if (given.has(name)) throw new GitError(`merge-file --${name} is not supported here`);
  }
  const names = given.everything;
  if (names.length !== 3) {
    throw new GitError(
      "usage: git merge-file [<options>] [-L <name1> [-L <orig> [-L <name2>]]] <file1> <orig-file> <file2>",
      129,
      "",
    );
  }
  const texts: string[] = [];
  for (const name of names) {
    const data = await call.ctx.fs.readFileBuffer(call.path(name)).catch(() => undefined);
    if (!data) throw new GitError(`Could not stat ${name}: No such file or directory`, 255, "error: ");
    texts.push(fromArray(data));
  }
  const labels = given.all("L");
  const ends: [string, string] = [encodeText(labels[0] ?? names[0]), encodeText(labels[2] ?? names[2])];
  const { text, conflicts } = mergeTexts(texts[1], texts[0], texts[2], ends);
  if (given.has("stdout")) call.bytes(text);
  else await call.ctx.fs.writeFile(call.path(names[0]), toArray(text));
  return Math.min(conflicts, 127);
}
