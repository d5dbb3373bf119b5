/** git shortlog: commits by author. */
import { encodeText } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { splitWords } from "../diff.ts";
import { filterOf, readRanges } from "../log.ts";
import type { Commit } from "../../repository/objects.ts";
import { byBytes } from "../../repository/paths.ts";
import { Pathspec } from "../../repository/pathspec.ts";
import { Repo } from "../../repository/repository.ts";
import { walkHistory } from "../../repository/history_walk.ts";
import { renderCommit, subjectOf } from "../../text/commit_format.ts";

const OPTIONS = "summary,s numbered,n email,e committer,c format= w=? all branches tags remotes=? no-merges merges " +
  "since,after= until,before= author= committer-name= grep= group= first-parent max-count= date= " +
  "regexp-ignore-case,i extended-regexp,E fixed-strings,F invert-grep";

export async function runShortlog(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  const group = given.get("group") ?? (given.has("committer") ? "committer" : "author");
  if (group !== "author" && group !== "committer") {
    throw new GitError(`shortlog --group=${group} is not supported here`);
  }
  if (given.has("w")) throw new GitError("shortlog -w is not supported here");
  const repo = await Repo.find(call);
  const { revisions, paths } = await splitWords(repo, given.words, given.after);
  const wanted = filterOf(parseArgs(args.filter((word) => !/^(-c|--committer)$/.test(word)), `${OPTIONS} committer=?`));
  const groups = new Map<string, string[]>();
  const walk = { ...await readRanges(repo, revisions, given), firstParent: given.has("first-parent") };
  for await (const commit of walkHistory(repo, { ...walk, spec: new Pathspec(repo, paths) })) {
    if (!wanted(commit)) continue;
    const { name, email } = commit[group];
    const key = given.has("email") ? `${name} <${email}>` : name;
    groups.set(key, [...groups.get(key) ?? [], lineOf(commit, given)]);
  }
  const rows = [...groups].sort(([a], [b]) => byBytes(a, b));
  if (given.has("numbered")) rows.sort(([, a], [, b]) => b.length - a.length);
  for (const [name, lines] of rows) call.bytes(encodeText(render(name, lines, given)));
  return 0;
}

function lineOf(commit: Commit, given: Args): string {
  const format = given.get("format");
  if (format === undefined) return subjectOf(commit.message).replace(/^\[PATCH[^\]]*\] ?/, "");
  return renderCommit(format, { commit, refs: "", date: given.get("date") ?? "default", abbreviate: false });
}

function render(name: string, lines: string[], given: Args): string {
  if (given.has("summary")) return `${String(lines.length).padStart(6)}\t${name}\n`;
  return `${name} (${lines.length}):\n${lines.reverse().map((line) => `      ${line}\n`).join("")}\n`;
}
