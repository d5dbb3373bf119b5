/** git log and git show. */
import { decodeText, encodeText, fromArray } from "../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { ChangePrinter, SHOWING } from "../text/changes.ts";
import { splitWords } from "./diff.ts";
import { dateText, renderCommit, type Shown } from "../text/commit_format.ts";
import { type Commit, parsePerson } from "../repository/objects.ts";
import { quotePath } from "../repository/paths.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Notes } from "./notes.ts";
import { runLogWalk } from "./refs/reflog.ts";
import { approximateTime } from "../people.ts";
import { Repo } from "../repository/repository.ts";
import { peelObject, resolveRevision } from "../repository/revision.ts";
import { type Change, diffTrees } from "../repository/trees.ts";
import { walkHistory } from "../repository/history_walk.ts";
import { mergeBases } from "../repository/history_walk.ts";

const OPTIONS = `${SHOWING} oneline max-count,count,n= skip= format,pretty=? date= all branches tags remotes=? graph ` +
  "decorate=? no-decorate author= committer= grep= regexp-ignore-case,i since,after= until,before= merges no-merges " +
  "first-parent reverse abbrev-commit no-abbrev-commit abbrev=? follow cc c m root no-walk topo-order date-order " +
  "extended-regexp,E fixed-strings,F invert-grep S= G= no-notes show-signature left-right cherry-pick simplify-by-decoration walk-reflogs,g grep-reflog=";

export async function runLog(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  refuseOptions(given);
  const repo = await Repo.find(call);
  if (given.has("walk-reflogs")) return await runLogWalk(repo, given);
  const { revisions, paths } = await splitWords(repo, given.words, given.after);
  const { include, exclude } = await readRanges(repo, revisions, given);
  const spec = new Pathspec(repo, paths);
  const printer = new Printer(repo, given, spec);
  const topological = given.has("topo-order") || given.has("graph");
  const wanted = filterOf(given);
  let [skip, left] = [given.number("skip", 0), given.number("max-count", Infinity)];
  const kept: Commit[] = [];
  for await (
    const commit of walkHistory(repo, { include, exclude, firstParent: given.has("first-parent"), spec, topological })
  ) {
    if (call.closed || left <= 0) break;
    if (!wanted(commit) || skip-- > 0) continue;
    left--;
    if (given.has("reverse")) kept.push(commit);
    else await printer.print(commit);
  }
  for (const commit of kept.reverse()) await printer.print(commit);
  return 0;
}

function refuseOptions(given: Args): void {
  for (const name of ["S", "G", "left-right", "cherry-pick", "show-signature", "simplify-by-decoration"]) {
    if (given.has(name)) throw new GitError(`log ${name.length === 1 ? "-" : "--"}${name} is not supported here`);
  }
}

/** Commits to start from and commits to leave out. */
export async function readRanges(repo: Repo, words: string[], given: Args) {
  const [include, exclude]: string[][] = [[], []];
  const commit = async (name: string) => {
    const oid = await peelObject(repo, await resolveRevision(repo, name === "" ? "HEAD" : name), "commit");
    if (oid === undefined) throw new GitError(`${name} does not name a commit`);
    return oid;
  };
  for (const word of words) {
    const range = word.match(/^(.*?)(\.{2,3})(.*)$/s);
    if (word.startsWith("^")) exclude.push(await commit(word.slice(1)));
    else if (!range) include.push(await commit(word));
    else {
      const [from, to] = [await commit(range[1]), await commit(range[3])];
      include.push(to);
      if (range[2] === "..") exclude.push(from);
      else {
        include.push(from);
        exclude.push(...await mergeBases(repo, from, to));
      }
    }
  }
  const folders = given.has("all") ? ["refs"] : [
    ...given.has("branches") ? ["refs/heads"] : [],
    ...given.has("tags") ? ["refs/tags"] : [],
    ...given.has("remotes") ? ["refs/remotes"] : [],
  ];
  for (const folder of folders) {
    for (const name of await repo.refs(folder)) {
      const oid = await repo.ref(`${folder}/${name}`);
      const target = oid && await peelObject(repo, oid, "commit");
      if (target) include.push(target);
    }
  }
  if (include.length === 0 && folders.length === 0) include.push(await startOf(repo));
  else if (given.has("all") && await repo.head() !== undefined) include.push(await startOf(repo));
  return { include, exclude };
}

async function startOf(repo: Repo): Promise<string> {
  const head = await repo.head();
  if (head !== undefined) return head;
  const branch = (await repo.branch())?.replace(/^refs\/heads\//, "") ?? "HEAD";
  throw new GitError(`your current branch '${branch}' does not have any commits yet`);
}

export function filterOf(given: Args): (commit: Commit) => boolean {
  const flags = given.has("regexp-ignore-case") ? "i" : "";
  const pattern = (text: string) => {
    try {
      return new RegExp(given.has("fixed-strings") ? text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : text, flags);
    } catch {
      throw new GitError(`invalid pattern: ${text}`);
    }
  };
  const tests: ((commit: Commit) => boolean)[] = [];
  for (const role of ["author", "committer"] as const) {
    const patterns = given.all(role).map(pattern);
    if (patterns.length > 0) {
      tests.push((commit) => patterns.some((each) => each.test(`${commit[role].name} <${commit[role].email}>`)));
    }
  }
  const greps = given.all("grep").map(pattern);
  if (greps.length > 0) {
    tests.push((commit) => greps.some((each) => each.test(commit.message)) !== given.has("invert-grep"));
  }
  const [since, until] = [given.get("since"), given.get("until")].map((text) => text && approximateTime(text));
  if (since) tests.push((commit) => commit.committer.time >= since);
  if (until) tests.push((commit) => commit.committer.time <= until);
  if (given.has("merges")) tests.push((commit) => commit.parents.length > 1);
  if (given.has("no-merges")) tests.push((commit) => commit.parents.length < 2);
  return (commit) => tests.every((test) => test(commit));
}

/** Prints commits one after the other. */
class Printer {
  readonly #shower: ChangePrinter;
  readonly #form: string;
  readonly #between: boolean;
  #first = true;
  #refs: Promise<Map<string, string>> | undefined;
  #notes: Notes | undefined;

  constructor(
    private readonly repo: Repo,
    private readonly given: Args,
    private readonly spec: Pathspec,
    form?: string,
  ) {
    this.#shower = new ChangePrinter(repo, given);
    const format = given.get("format");
    this.#form = given.has("oneline") ? "oneline" : format || form || repo.config.get("format.pretty") || "medium";
    // `format:` puts line ends between commits, everything else after them; the long forms have a line between.
    this.#between = !/^(oneline|reference|tformat:)/.test(this.#form) && !/^(?!format:).*%/.test(this.#form);
  }

  async print(commit: Commit, changes?: Change[]): Promise<void> {
    const { call } = this.repo;
    const long = !/%|^oneline|^reference/.test(this.#form);
    const note = long && !this.given.has("no-notes") ? await this.#noteOf(commit.oid) : "";
    const text = encodeText(renderCommit(this.#form, await this.#shown(commit)) + note);
    const gap = this.#between && !this.#first ? "\n" : "";
    this.#first = false;
    const ended = long || this.#form.startsWith("format:") ? text : text + "\n";
    let out = gap + ended;
    if (this.#shower.asked || changes) {
      const diff = await this.#shower.show(changes ?? await this.#changes(commit));
      if (diff !== "" || changes && commit.parents.length > 1) out += this.#beforeDiff(long) + diff;
    }
    call.bytes(this.given.has("graph") ? graphed(out) : out);
  }

  /** Long forms are set off from what follows by a line; `format:` has not ended its own. */
  #beforeDiff(long: boolean): string {
    if (this.#form === "oneline" || this.#form === "reference") return "";
    return long || this.#form.startsWith("format:") || !this.#between ? "\n" : "";
  }

  async #changes(commit: Commit): Promise<Change[]> {
    if (commit.parents.length > 1 && !this.given.has("m") && !this.given.has("first-parent")) return [];
    const [parent] = commit.parents;
    const before = parent === undefined ? undefined : (await this.repo.objects.commit(parent)).tree;
    return await diffTrees(this.repo, before, commit.tree, this.spec);
  }

  async #shown(commit: Commit): Promise<Shown> {
    const { given } = this;
    const decorated = given.has("decorate") ? given.get("decorate") !== "no" : /%[dD]/.test(this.#form);
    const refs = decorated && !given.has("no-decorate") ? (await this.#names()).get(commit.oid) ?? "" : "";
    const abbreviate = given.has("oneline") || given.has("abbrev-commit");
    return {
      commit,
      refs,
      date: given.get("date") ?? "default",
      abbreviate: abbreviate && !given.has("no-abbrev-commit"),
    };
  }

  async #noteOf(oid: string): Promise<string> {
    this.#notes ??= new Notes(this.repo);
    const text = await this.#notes.text(oid);
    if (text === undefined) return "";
    return `\nNotes:\n${text.trimEnd().split("\n").map((line) => `    ${line}\n`).join("")}`;
  }

  #names(): Promise<Map<string, string>> {
    return this.#refs ??= decorations(this.repo);
  }
}

/** The bars of a history without branches. */
function graphed(text: string): string {
  const lines = text.replace(/^\n/, "").replace(/\n$/, "").split("\n");
  const gap = text.startsWith("\n") ? "| \n" : "";
  return gap + lines.map((line, i) => i === 0 ? `* ${line}\n` : `| ${line}\n`).join("");
}

/** The names of refs by the commit they lead to. */
async function decorations(repo: Repo): Promise<Map<string, string>> {
  const names = new Map<string, string[]>();
  const add = async (oid: string | undefined, name: string) => {
    const target = oid && await peelObject(repo, oid);
    if (target) names.set(target, [...names.get(target) ?? [], name]);
  };
  const branch = (await repo.branch())?.replace(/^refs\/heads\//, "");
  await add(await repo.head(), branch === undefined ? "HEAD" : `HEAD -> ${branch}`);
  for (const tag of await repo.refs("refs/tags")) await add(await repo.ref(`refs/tags/${tag}`), `tag: ${tag}`);
  for (const name of await repo.refs("refs/remotes")) await add(await repo.ref(`refs/remotes/${name}`), name);
  for (const name of await repo.refs("refs/heads")) {
    if (name !== branch) await add(await repo.ref(`refs/heads/${name}`), name);
  }
  return new Map([...names].map(([oid, list]) => [oid, list.join(", ")]));
}

export async function runShow(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  const repo = await Repo.find(call);
  const { revisions, paths } = await splitWords(repo, given.words, given.after);
  const spec = new Pathspec(repo, paths);
  const printer = new Printer(repo, given, spec);
  if (revisions.length === 0) await startOf(repo);
  for (const name of revisions.length > 0 ? revisions : ["HEAD"]) await showOne(repo, printer, name, given, spec);
  return 0;
}

async function showOne(repo: Repo, printer: Printer, name: string, given: Args, spec: Pathspec): Promise<void> {
  const { call } = repo;
  const oid = await resolveRevision(repo, name);
  const { kind, data } = await repo.objects.read(oid);
  if (kind === "blob") call.bytes(fromArray(data));
  else if (kind === "tree") {
    call.out(`tree ${name}\n\n`);
    for (const entry of await repo.objects.tree(oid)) {
      call.bytes(`${quotePath(entry.name)}${entry.mode === 0o040000 ? "/" : ""}\n`);
    }
  } else if (kind === "tag") await showTag(repo, printer, decodeText(fromArray(data)), given, spec);
  else await printer.print(await repo.objects.commit(oid), await shownChanges(repo, oid, given, spec));
}

async function shownChanges(repo: Repo, oid: string, given: Args, spec: Pathspec): Promise<Change[]> {
  const { tree, parents } = await repo.objects.commit(oid);
  if (parents.length > 1 && !given.has("m") && !given.has("first-parent")) return [];
  const before = parents.length === 0 ? undefined : (await repo.objects.commit(parents[0])).tree;
  return await diffTrees(repo, before, tree, spec);
}

async function showTag(repo: Repo, printer: Printer, text: string, given: Args, spec: Pathspec): Promise<void> {
  const value = (name: string) => text.match(new RegExp(`^${name} (.*)$`, "m"))?.[1] ?? "";
  const tagger = parsePerson(value("tagger"));
  const message = text.slice(text.indexOf("\n\n") + 2);
  repo.call.out(
    `tag ${value("tag")}\nTagger: ${tagger.name} <${tagger.email}>\nDate:   ${
      dateText(tagger, "default")
    }\n\n${message}\n`,
  );
  await showOne(repo, printer, value("object"), given, spec);
}
