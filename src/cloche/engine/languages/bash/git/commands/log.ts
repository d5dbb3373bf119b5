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
import { mergeBases, walkHistory } from "../repository/history_walk.ts";
import { followFile, readFollowed } from "../repository/follow.ts";
import { Graph } from "../text/graph.ts";
import { readPickaxe } from "../text/pickaxe.ts";

const OPTIONS = `${SHOWING} oneline max-count,count,n= skip= format,pretty=? date= all branches tags remotes=? graph ` +
  "decorate=? no-decorate author= committer= grep= regexp-ignore-case,i since,after= until,before= merges no-merges " +
  "first-parent reverse abbrev-commit no-abbrev-commit abbrev=? follow cc c m root no-walk topo-order date-order " +
  "extended-regexp,E fixed-strings,F invert-grep S= G= pickaxe-all pickaxe-regex no-notes show-signature left-right cherry-pick simplify-by-decoration walk-reflogs,g grep-reflog=";

export async function runLog(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  refuseOptions(given);
  const repo = await Repo.find(call);
  if (given.has("walk-reflogs")) return await runLogWalk(repo, given);
  const { revisions, paths } = await splitWords(repo, given.words, given.after);
  const { include, exclude } = await readRanges(repo, revisions, given);
  const spec = new Pathspec(repo, paths);
  const printer = new Printer(repo, given, spec);
  const found = given.has("follow")
    ? followFile(repo, { include, exclude }, repo.locate(readFollowed(paths)))
    : walkChanges(repo, { include, exclude, firstParent: given.has("first-parent"), spec }, printer);
  const wanted = filterOf(given);
  let [skip, left] = [given.number("skip", 0), given.number("max-count", Infinity)];
  const kept: [Commit, Change[] | undefined][] = [];
  for await (const [commit, change] of found) {
    if (call.closed || left <= 0 && !given.has("graph")) break;
    const changes = wanted(commit) ? await printer.select(commit, change && [change]) : undefined;
    if (!changes) printer.hidden.add(commit.oid);
    if (!changes || skip-- > 0 || left-- <= 0) continue;
    if (given.has("reverse") || given.has("graph")) kept.push([commit, changes.list]);
    else await printer.print(commit, changes.list);
  }
  for (const [commit, changes] of given.has("reverse") ? kept.reverse() : kept) await printer.print(commit, changes);
  return 0;
}

/** The commits of a history; each with the change to show, if that is known. */
async function* walkChanges(
  repo: Repo,
  options: Parameters<typeof walkHistory>[1],
  { given, lines }: Printer,
): AsyncGenerator<[Commit, Change?]> {
  const topological = given.has("topo-order") || given.has("graph");
  for await (const commit of walkHistory(repo, { ...options, topological, lines })) yield [commit];
}

function refuseOptions(given: Args): void {
  for (const name of ["left-right", "cherry-pick", "show-signature", "simplify-by-decoration"]) {
    if (given.has(name)) throw new GitError(`log --${name} is not supported here`);
  }
  if (given.has("graph") && given.has("reverse")) {
    throw new GitError("options '--reverse' and '--graph' cannot be used together");
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
  /** Whether changes are shown. */
  readonly #asked: boolean;
  readonly #pick: ReturnType<typeof readPickaxe>;
  readonly #graph: Graph | undefined;
  /** Where the lines of a graph lead from each commit, and which commits have none. */
  readonly lines = new Map<string, string[]>();
  readonly hidden = new Set<string>();
  #first = true;
  #open = false;
  #refs: Promise<Map<string, string>> | undefined;
  #notes: Notes | undefined;

  constructor(
    private readonly repo: Repo,
    readonly given: Args,
    private readonly spec: Pathspec,
    form?: string,
  ) {
    this.#shower = new ChangePrinter(repo, given);
    this.#asked = this.#shower.asked || given.has("cc") || given.has("c");
    this.#pick = readPickaxe(given);
    this.#graph = given.has("graph") ? new Graph() : undefined;
    const format = given.get("format");
    this.#form = given.has("oneline") ? "oneline" : format || form || repo.config.get("format.pretty") || "medium";
    // `format:` puts line ends between commits, everything else after them; the long forms have a line between.
    this.#between = !/^(oneline|reference|tformat:)/.test(this.#form) && !/^(?!format:).*%/.test(this.#form);
  }

  /** What is shown of a commit's changes; undefined if the commit itself is not, for the changes that it has not got. */
  async select(commit: Commit, changes?: Change[]): Promise<{ list?: Change[] } | undefined> {
    if (!this.#pick) return { list: this.#asked ? changes : undefined };
    const list = await this.#pick(this.repo, changes ?? await this.#changes(commit));
    return list.length === 0 ? undefined : { list: this.#asked ? list : undefined };
  }

  async print(commit: Commit, changes?: Change[]): Promise<void> {
    const { call } = this.repo;
    const long = !/%|^oneline|^reference/.test(this.#form);
    const note = long && !this.given.has("no-notes") ? await this.#noteOf(commit.oid) : "";
    const text = encodeText(renderCommit(this.#form, await this.#shown(commit)) + note);
    const gap = this.#between && !this.#first;
    this.#first = false;
    let diff = "";
    if (this.#asked || changes) {
      diff = await this.#shower.show(changes ?? await this.#changes(commit));
      const merged = commit.parents.length > 1 && (changes || this.given.has("cc") || this.given.has("c"));
      if (diff !== "" || merged) diff = this.#beforeDiff(long) + diff;
    }
    if (this.#graph) return call.bytes(this.#drawGraph(this.#graph, commit, text, diff, gap));
    const ended = long || this.#form.startsWith("format:") ? text : text + "\n";
    call.bytes((gap ? "\n" : "") + ended + diff);
  }

  /** A commit with the lines beside it. */
  #drawGraph(graph: Graph, { oid, parents }: Commit, text: string, diff: string, gap: boolean): string {
    const lines = this.lines.get(oid) ?? parents;
    graph.update({ oid, parents: lines.filter((parent) => this.lines.has(parent) && !this.hidden.has(parent)) });
    let out = gap ? `${this.#open ? "" : graph.padding()}\n` : "";
    const closed = text.endsWith("\n");
    const body = closed ? text.slice(0, -1) : text;
    out += graph.start() + body.split("\n").reduce((sum, line) => `${sum}\n${graph.nextLine()}${line}`);
    while (!graph.finished) out += `\n${graph.nextLine()}`;
    this.#open = this.#form.startsWith("format:") && diff === "";
    if (!this.#open) out += "\n";
    return out + diff.split("\n").slice(0, -1).map((line) => `${graph.padding()}${line}\n`).join("");
  }

  /** Long forms are set off from what follows by a line; `format:` has not ended its own. */
  #beforeDiff(long: boolean): string {
    if (this.#form === "oneline" || this.#form === "reference") return "";
    return long || this.#form.startsWith("format:") || !this.#between ? "\n" : "";
  }

  /** What a commit changed; a merge shows something only if asked to. */
  async #changes(commit: Commit): Promise<Change[]> {
    const { given } = this;
    const merged = commit.parents.length > 1 && !given.has("m") && !given.has("first-parent");
    if (merged && !given.has("cc") && !given.has("c")) return [];
    return await this.changesOf(commit);
  }

  /** What a commit changed; for a merge, what it took from no parent as it was. */
  async changesOf(commit: Commit): Promise<Change[]> {
    const { given, repo, spec } = this;
    const [parent] = commit.parents;
    const whole = !given.has("m") && !given.has("first-parent") && !this.#shower.onlyNumbers;
    if (commit.parents.length > 1 && whole) return await this.#combine(commit);
    const before = parent === undefined ? undefined : (await repo.objects.commit(parent)).tree;
    return await diffTrees(repo, before, commit.tree, spec);
  }

  async #combine(commit: Commit): Promise<Change[]> {
    const lists: Map<string, Change>[] = [];
    for (const parent of commit.parents) {
      const { tree } = await this.repo.objects.commit(parent);
      const changes = await this.#shower.findRenames(await diffTrees(this.repo, tree, commit.tree, this.spec));
      lists.push(new Map(changes.map((change) => [change.path, change])));
    }
    return [...lists[0].values()].filter(({ path }) => lists.every((list) => list.has(path)))
      .map(({ path, new: fresh }) => ({ path, new: fresh, versions: lists.map((list) => list.get(path)?.old) }));
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
  else {
    const commit = await repo.objects.commit(oid);
    await printer.print(commit, await printer.changesOf(commit));
  }
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
