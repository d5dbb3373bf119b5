/** git blame and git annotate. */
import { encodeText, fromArray } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { whenOf } from "../../people.ts";
import type { Commit, Person } from "../../repository/objects.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, findRevision } from "../../repository/revision.ts";
import { readWork, statFile } from "../../repository/worktree_scan.ts";
import { dateText, subjectOf } from "../../text/commit_format.ts";
import { BlameWalk, blobAt, linesOf, type Origin } from "./blame_walk.ts";

const OPTIONS = "L= s porcelain,p line-porcelain w show-email,e l t show-number,n show-name,f date= root b c abbrev= " +
  "first-parent incremental progress no-progress M=? C=? reverse= contents= ignore-rev= ignore-revs-file= score-debug " +
  "color-lines color-by-age encoding= show-stats minimal";
const REFUSED = [
  "incremental",
  "M",
  "C",
  "reverse",
  "contents",
  "ignore-rev",
  "ignore-revs-file",
  "score-debug",
  "show-stats",
];
const UNKNOWN = "0".repeat(40);

export async function runBlame(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  for (const name of REFUSED) {
    if (given.has(name)) throw new GitError(`blame ${name.length === 1 ? "-" : "--"}${name} is not supported here`);
  }
  const repo = await Repo.find(call);
  const { revision, excluded, path } = await readWords(repo, given);
  const keep = given.has("w") ? (line: string) => line.replace(/\s+/g, "") : (line: string) => line;
  const walk = new BlameWalk(repo, keep, excluded, given.has("first-parent"));
  const text = await prepare(repo, walk, revision, path);
  const ranges = given.all("L").map((range) => readRange(range, text, path));
  await walk.run();
  const shown = text.map((_, i) => i).filter((i) =>
    ranges.length === 0 || ranges.some(([from, to]) => i >= from && i < to)
  );
  if (given.has("porcelain") || given.has("line-porcelain")) printPorcelain(call, walk.origins, text, shown, given);
  else printLines(repo, walk.origins, text, shown, given, path);
  return 0;
}

export async function runAnnotate(call: Call, args: string[]): Promise<number> {
  return await runBlame(call, ["-c", ...args]);
}

async function readWords(repo: Repo, given: Args) {
  const words = [...given.words];
  const isName = words.length > 1 && !/\.\.|^\^/.test(words[0]) && await findRevision(repo, words[0]) === undefined;
  const name = given.after?.[0] ?? words.splice(isName ? 0 : -1, 1)[0];
  if (name === undefined) throw new GitError("usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>", 129, "");
  const path = repo.locate(name);
  const excluded = new Set<string>();
  let revision: string | undefined;
  for (const word of words) {
    const [, from, to] = word.match(/^(.*)\.\.(.*)$/) ?? [];
    if (from !== undefined) {
      excluded.add((await commitOf(repo, from || "HEAD")).oid);
      revision = to || "HEAD";
    } else if (word.startsWith("^")) excluded.add((await commitOf(repo, word.slice(1))).oid);
    else revision = word;
  }
  return { revision, excluded, path };
}

/** Sets out from a commit, or from the work tree; returns the lines of the file. */
async function prepare(repo: Repo, walk: BlameWalk, revision: string | undefined, path: string): Promise<string[]> {
  const commit = await commitOf(repo, revision ?? "HEAD");
  const blob = await blobAt(repo, commit.tree, path);
  const index = revision === undefined ? await repo.index() : undefined;
  if (blob === undefined && !index?.has(path)) throw new GitError(`no such path '${path}' in ${revision ?? "HEAD"}`);
  if (revision !== undefined && blob !== undefined) {
    const lines = await walk.lines(blob);
    walk.add({ commit, path, blob, lines: lines.map((_, i) => [i, i]) });
    return lines;
  }
  const stat = await statFile(repo, path);
  if (!stat) throw new GitError(`Cannot lstat '${path}': No such file or directory`);
  const now = linesOf(fromArray(await readWork(repo, path, stat)));
  const same = blob === undefined ? new Map<number, number>() : walk.match(now, await walk.lines(blob));
  const previous = { oid: commit.oid, path };
  now.forEach((_, i) => {
    if (!same.has(i)) walk.origins[i] = { commit: undefined, path, line: i, previous, boundary: false };
  });
  if (blob !== undefined) walk.add({ commit, path, blob, lines: [...same] });
  return now;
}

/** `-L 2,5`, `-L 2,+3`, `-L /text/,+1`. */
function readRange(text: string, lines: string[], path: string): [from: number, to: number] {
  const match = text.match(/^(\/(?:[^/\\]|\\.)*\/|\d*)(?:,(\/(?:[^/\\]|\\.)*\/|[-+]?\d*))?$/);
  if (!match) throw new GitError(`-L invalid line range: ${text}`);
  const find = (pattern: string, from: number) => {
    const expression = new RegExp(pattern.slice(1, -1));
    const at = lines.findIndex((line, i) => i >= from && expression.test(line));
    if (at < 0) throw new GitError(`-L parameter '${pattern.slice(1, -1)}' starting at line ${from + 1}: No match`);
    return at;
  };
  const [, first, second] = match;
  const from = first === "" ? 0 : first.startsWith("/") ? find(first, 0) : Number(first) - 1;
  if (from >= lines.length && lines.length > 0) {
    throw new GitError(`file ${path} has only ${lines.length} line${lines.length === 1 ? "" : "s"}`);
  }
  if (from < 0) throw new GitError(`-L invalid line number: ${first}`);
  if (second === undefined || second === "") return [from, lines.length];
  if (second.startsWith("/")) return [from, find(second, from + 1) + 1];
  if (second.startsWith("+")) return [from, from + Number(second.slice(1))];
  if (second.startsWith("-")) return [Math.max(0, from + 1 - Number(second.slice(1))), from + 1];
  return Number(second) < from + 1 ? [Number(second) - 1, from + 1] : [from, Number(second)];
}

function nobody(): Person {
  return { name: "Not Committed Yet", email: "not.committed.yet", ...whenOf() };
}

function printLines(repo: Repo, origins: Origin[], text: string[], shown: number[], given: Args, path: string): void {
  const { call } = repo;
  const has = (name: string) => given.has(name);
  const people = new Map<Commit | undefined, Person>();
  const author = (commit: Commit | undefined) => {
    const known = people.get(commit) ?? commit?.author ?? nobody();
    people.set(commit, known);
    return known;
  };
  const who = (origin: Origin) => {
    const { name, email } = author(origin.commit);
    return has("show-email") ? `<${email}>` : name;
  };
  const named = has("show-name") || origins.some((origin) => origin?.path !== path);
  const wide = (values: string[]) => Math.max(0, ...values.map((value) => [...value].length));
  const widths = {
    name: wide(shown.map((i) => who(origins[i]))),
    path: wide(shown.map((i) => origins[i].path)),
    line: wide(shown.map((i) => String(i + 1))),
    old: wide(shown.map((i) => String(origins[i].line + 1))),
  };
  const digits = has("l") ? 40 : given.number("abbrev", 7) + 1;
  for (const i of shown) {
    const origin = origins[i];
    const oid = origin.commit?.oid ?? UNKNOWN;
    const marked = origin.boundary && !has("root") && !has("c");
    const name = marked ? has("b") ? " ".repeat(digits) : `^${oid.slice(0, digits - 1)}` : oid.slice(0, digits);
    const person = author(origin.commit);
    const date = has("t") ? `${person.time} ${person.zone}` : dateText(person, given.get("date") ?? "iso");
    if (has("c")) {
      call.bytes(encodeText(`${name}\t(${who(origin).padStart(10)}\t${date}\t${i + 1})`) + `${text[i]}\n`);
      continue;
    }
    const parts = [name];
    if (named) parts.push(origin.path.padEnd(widths.path));
    if (has("show-number")) parts.push(String(origin.line + 1).padStart(widths.old));
    const number = String(i + 1).padStart(widths.line);
    const pad = " ".repeat(widths.name - [...who(origin)].length);
    parts.push(has("s") ? `${number})` : `(${who(origin)}${pad} ${date} ${number})`);
    call.bytes(`${encodeText(parts.join(" "))} ${text[i]}\n`);
  }
}

/** Lines of one commit that follow each other are one group. */
function printPorcelain(call: Call, origins: Origin[], text: string[], shown: number[], given: Args): void {
  const told = new Set<string>();
  const isNext = (i: number) => {
    const [a, b] = [origins[i - 1], origins[i]];
    return a !== undefined && a.commit?.oid === b.commit?.oid && a.path === b.path && a.line + 1 === b.line;
  };
  shown.forEach((i, at) => {
    const origin = origins[i];
    const oid = origin.commit?.oid ?? UNKNOWN;
    const starts = at === 0 || shown[at - 1] !== i - 1 || !isNext(i);
    let count = 1;
    while (starts && shown[at + count] === i + count && isNext(i + count)) count++;
    call.out(`${oid} ${origin.line + 1} ${i + 1}${starts ? ` ${count}` : ""}\n`);
    const key = `${oid}:${origin.path}`;
    if (given.has("line-porcelain") || !told.has(key)) call.out(details(origin));
    told.add(key);
    call.bytes(`\t${text[i]}\n`);
  });
}

function details({ commit, path, previous, boundary }: Origin): string {
  const lines = (role: string, { name, email, time, zone }: Person) =>
    `${role} ${name}\n${role}-mail <${email}>\n${role}-time ${time}\n${role}-tz ${zone}\n`;
  const unknown = nobody();
  const summary = commit ? subjectOf(commit.message) : `Version of ${path} from ${path}`;
  return lines("author", commit?.author ?? unknown) + lines("committer", commit?.committer ?? unknown) +
    `summary ${summary}\n` + (boundary ? "boundary\n" : "") +
    (previous ? `previous ${previous.oid} ${previous.path}\n` : "") + `filename ${path}\n`;
}
