/** git rev-list. */
import { encodeText } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { splitWords } from "../diff.ts";
import { filterOf, readRanges } from "../log.ts";
import type { Commit } from "../../repository/objects.ts";
import { Pathspec } from "../../repository/pathspec.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf } from "../../repository/revision.ts";
import { findAncestors, walkHistory } from "../../repository/history_walk.ts";
import { renderCommit } from "../../text/commit_format.ts";

const OPTIONS =
  "count number,max-count,n= skip= all branches tags remotes=? first-parent reverse oneline format,pretty=? " +
  "parents children timestamp abbrev-commit abbrev=? no-merges merges since,after= until,before= author= committer= grep= " +
  "regexp-ignore-case,i extended-regexp,E fixed-strings,F invert-grep topo-order date-order left-right left-only right-only " +
  "objects objects-edge quiet header no-commit-header date= cherry-pick cherry-mark ancestry-path=? boundary " +
  "no-walk=? full-history simplify-merges disk-usage=? use-bitmap-index";
const REFUSED = "children objects objects-edge header cherry-pick cherry-mark ancestry-path boundary no-walk " +
  "simplify-merges full-history disk-usage";

export async function runRevList(call: Call, args: string[]): Promise<number> {
  const counted = args.map((word) => /^-\d+$/.test(word) ? `--max-count=${word.slice(1)}` : word);
  const given = parseArgs(readNot(counted), OPTIONS);
  for (const name of REFUSED.split(" ")) {
    if (given.has(name)) throw new GitError(`rev-list --${name} is not supported here`);
  }
  const repo = await Repo.find(call);
  const { revisions, paths } = await splitWords(repo, given.words, given.after);
  const many = ["all", "branches", "tags", "remotes"].some((name) => given.has(name));
  if (revisions.length === 0 && !many) {
    throw new GitError("usage: git rev-list [<options>] <commit>... [--] [<path>...]", 129, "");
  }
  const sides = await readSides(repo, revisions);
  const walk = {
    ...await readRanges(repo, revisions, given),
    spec: new Pathspec(repo, paths),
    firstParent: given.has("first-parent"),
    topological: given.has("topo-order"),
  };
  const wanted = filterOf(given);
  let [skip, left] = [given.number("skip", 0), given.number("number", Infinity)];
  const kept: Commit[] = [];
  const counts = { "<": 0, ">": 0 };
  for await (const commit of walkHistory(repo, walk)) {
    if (left <= 0 || call.closed) break;
    const side = sides?.(commit.oid) ?? ">";
    const other = given.has("left-only") && side === ">" || given.has("right-only") && side === "<";
    if (other || !wanted(commit) || skip-- > 0) continue;
    left--;
    counts[side]++;
    if (given.has("count") || given.has("quiet")) continue;
    if (given.has("reverse")) kept.push(commit);
    else call.bytes(encodeText(render(commit, given, side)));
  }
  for (const commit of kept.reverse()) call.bytes(encodeText(render(commit, given, sides?.(commit.oid) ?? ">")));
  if (given.has("count")) {
    call.out(given.has("left-right") ? `${counts["<"]}\t${counts[">"]}\n` : `${counts["<"] + counts[">"]}\n`);
  }
  return 0;
}

/** What follows `--not` is left out instead. */
function readNot(words: string[]): string[] {
  let isNot = false;
  return words.flatMap((word) => {
    if (word !== "--not") {
      return [isNot && !word.startsWith("-") ? word.startsWith("^") ? word.slice(1) : `^${word}` : word];
    }
    isNot = !isNot;
    return [];
  });
}

/** For `A...B`: which side a commit is on. */
async function readSides(repo: Repo, words: string[]): Promise<((oid: string) => "<" | ">") | undefined> {
  const range = words.find((word) => word.includes("..."));
  if (range === undefined) return undefined;
  const [left] = range.split("...");
  const reached = await findAncestors(repo, [(await commitOf(repo, left || "HEAD")).oid]);
  return (oid) => reached.has(oid) ? "<" : ">";
}

function render(commit: Commit, given: Args, side: "<" | ">"): string {
  const mark = given.has("left-right") ? side : "";
  const short = given.has("oneline") || given.has("abbrev-commit");
  const brief = (oid: string) => short ? oid.slice(0, 7) : oid;
  const time = given.has("timestamp") ? `${commit.committer.time} ` : "";
  const parents = given.has("parents") ? commit.parents.map((oid) => ` ${brief(oid)}`).join("") : "";
  const name = `${time}${mark}${brief(commit.oid)}${parents}`;
  const format = given.get("format") ?? (given.has("oneline") ? "oneline" : undefined);
  if (format === undefined) return `${name}\n`;
  const shown = { commit, refs: "", date: given.get("date") ?? "default", abbreviate: short };
  if (format === "oneline") return `${name} ${renderCommit("%s", shown)}\n`;
  const text = renderCommit(format, shown);
  if (!format.includes("%")) return `${text}\n`;
  return given.has("no-commit-header") ? `${text}\n` : `commit ${name}\n${text}\n`;
}
