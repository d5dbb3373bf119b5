/** git reflog, and the walk along a log that `git log -g` makes. */
import { encodeText } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs, usageError } from "../../options.ts";
import type { Call } from "../../call.ts";
import { approximateTime } from "../../people.ts";
import type { LogEntry } from "../../repository/reflog.ts";
import { NOTHING } from "../../repository/reflog.ts";
import { Repo } from "../../repository/repository.ts";
import { fullRef, resolveRevision } from "../../repository/revision.ts";
import { dateText, renderCommit } from "../../text/commit_format.ts";

const OPTIONS = "max-count,count,n= skip= format,pretty=? date= oneline all abbrev-commit no-abbrev-commit no-abbrev " +
  "abbrev= decorate=? no-decorate walk-reflogs,g expire= expire-unreachable= rewrite updateref stale-fix dry-run " +
  "verbose,v grep-reflog= no-patch,s color=? no-color";

export async function runReflog(call: Call, args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  const repo = await Repo.find(call);
  switch (verb) {
    case "show":
      return await showLog(repo, parseArgs(rest, OPTIONS), "oneline");
    case "exists": {
      if (rest[0] === undefined) throw new GitError("usage: git reflog exists <ref>", 129, "");
      return await repo.reflog.exists(rest[0]) ? 0 : 1;
    }
    case "delete":
      return await deleteEntries(repo, parseArgs(rest, OPTIONS));
    case "expire":
      return await expire(repo, parseArgs(rest, OPTIONS));
    default:
      return await showLog(repo, parseArgs(args, OPTIONS), "oneline");
  }
}

/** `git log -g`. */
export async function runLogWalk(repo: Repo, given: Args): Promise<number> {
  return await showLog(repo, given, given.has("oneline") ? "oneline" : "medium");
}

interface Shown {
  /** The name as it is shown in `NAME@{0}`. */
  name: string;
  ref: string;
  from: number;
}

async function findLog(repo: Repo, word: string): Promise<Shown> {
  const [, base, number = "0"] = word.match(/^(.*?)(?:@\{(\d+)\})?$/s) ?? ["", word];
  const name = base === "" ? await repo.branchName() ?? "HEAD" : base === "@" ? "HEAD" : base;
  const ref = await fullRef(repo, name);
  if (ref !== undefined) return { name, ref, from: Number(number) };
  await resolveRevision(repo, word);
  throw new GitError(`log for '${word}' is empty`);
}

async function showLog(repo: Repo, given: Args, usual: string): Promise<number> {
  const { call } = repo;
  const words = given.everything.length > 0 ? given.everything : ["HEAD"];
  if (await repo.head() === undefined && words[0] === "HEAD") {
    const branch = await repo.branchName() ?? "HEAD";
    throw new GitError(`your current branch '${branch}' does not have any commits yet`);
  }
  let [skip, left] = [given.number("skip", 0), given.number("max-count", Infinity)];
  const pattern = given.get("grep-reflog");
  for (const word of words) {
    const { name, ref, from } = await findLog(repo, word);
    for (const [i, entry] of (await repo.reflog.read(ref)).entries()) {
      if (i < from || pattern !== undefined && !new RegExp(pattern).test(entry.message) || skip-- > 0) continue;
      if (left-- <= 0 || call.closed) return 0;
      await showEntry(repo, given, usual, entry, `${name}@{${mark(given, entry, i)}}`, i > from);
    }
  }
  return 0;
}

/** A number, or the date where one was asked for. */
function mark(given: Args, entry: LogEntry, number: number): string {
  const form = given.get("date");
  return form === undefined ? String(number) : dateText(entry.who, form);
}

async function showEntry(repo: Repo, given: Args, usual: string, entry: LogEntry, name: string, later: boolean) {
  const { call } = repo;
  const format = given.get("format") || (given.has("oneline") ? "oneline" : usual);
  const whole = given.has("no-abbrev-commit") || given.has("no-abbrev");
  if (format === "oneline") {
    call.out(`${whole ? entry.oid : entry.oid.slice(0, 7)} ${name}: ${entry.message}\n`);
    return;
  }
  const commit = await repo.objects.commit(entry.oid);
  const parts: Record<string, string> = {
    gd: name,
    gD: name,
    gs: entry.message,
    gn: entry.who.name,
    ge: entry.who.email,
  };
  const filled = format.replace(/%(g[dDsne])/g, (_, code: string) => parts[code].replaceAll("%", "%%"));
  const text = renderCommit(filled, { commit, refs: "", date: given.get("date") ?? "default", abbreviate: false });
  if (/%/.test(format)) {
    call.bytes(`${format.startsWith("format:") && later ? "\n" : ""}${encodeText(text)}`);
    if (!format.startsWith("format:")) call.out("\n");
    return;
  }
  const [first, ...lines] = text.split("\n");
  const notes = `Reflog: ${name} (${entry.who.name} <${entry.who.email}>)\nReflog message: ${entry.message}`;
  call.out(`${later ? "\n" : ""}${[first, notes, ...lines].join("\n")}`);
}

async function deleteEntries(repo: Repo, given: Args): Promise<number> {
  for (const word of given.everything) {
    const number = word.match(/@\{(\d+)\}$/)?.[1];
    if (number === undefined) throw usageError(`not a reflog: ${word}`);
    const { ref } = await findLog(repo, word.replace(/@\{\d+\}$/, "") || "HEAD");
    const entries = await repo.reflog.read(ref);
    entries.splice(Number(number), 1);
    if (given.has("rewrite")) {
      entries.forEach((entry, i) => entry.old = entries[i + 1]?.oid ?? NOTHING);
    }
    await repo.reflog.write(ref, entries);
  }
  return 0;
}

/** The age from which entries go: everything before this second. */
function limitOf(given: Args): number {
  const text = given.get("expire") ?? "90 days ago";
  if (text === "never" || text === "false") return -Infinity;
  return text === "all" || text === "now" ? Infinity : approximateTime(text);
}

async function expire(repo: Repo, given: Args): Promise<number> {
  const limit = limitOf(given);
  const refs = given.has("all")
    ? ["HEAD", ...(await repo.refs("refs")).map((name) => `refs/${name}`)]
    : (await Promise.all(given.everything.map((word) => findLog(repo, word)))).map(({ ref }) => ref);
  if (given.has("dry-run")) return 0;
  for (const ref of refs) {
    if (!await repo.reflog.exists(ref)) continue;
    const kept = (await repo.reflog.read(ref)).filter(({ who }) => who.time >= limit);
    await repo.reflog.write(ref, kept);
  }
  return 0;
}
