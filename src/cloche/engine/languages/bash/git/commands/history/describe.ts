/** git describe and git name-rev: names for commits by the tags and branches near them. */
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { checkInterrupt } from "../../../just_bash/command.ts";
import { globToRegExp } from "../../repository/glob.ts";
import { type Commit, parsePerson } from "../../repository/objects.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, findRevision, peelObject } from "../../repository/revision.ts";
import { walkHistory } from "../../repository/history_walk.ts";
import { isChanged, isStaged } from "../sequence/replay.ts";

const OPTIONS = "all tags contains always dirty=? broken=? long abbrev= match= exclude= exact-match candidates= " +
  "first-parent debug";

interface Tag {
  name: string;
  /** 2 for annotated tags, 1 for plain ones, 0 for other refs. */
  rank: number;
  time: number;
}

export async function runDescribe(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  const repo = await Repo.find(call);
  if (given.has("contains")) return await nameCommits(repo, given.everything, ["refs/tags"], true, given);
  if (given.has("dirty") && given.everything.length > 0) {
    throw new GitError("option '--dirty' and commit-ishes cannot be used together");
  }
  const names = given.everything.length > 0 ? given.everything : ["HEAD"];
  const tags = await readTags(repo, given);
  if (tags.size === 0 && !given.has("always")) throw new GitError("No names found, cannot describe anything.");
  const dirty = given.has("dirty") && (await isStaged(repo) || await isChanged(repo));
  const mark = dirty ? given.get("dirty") || "-dirty" : "";
  for (const name of names) {
    if (await findRevision(repo, name) === undefined) throw new GitError(`Not a valid object name ${name}`);
    call.out(`${await describe(repo, given, tags, await commitOf(repo, name))}${mark}\n`);
  }
  return 0;
}

/** A name for HEAD, whatever there is: a tag, a branch, its own. */
export async function describeHead(repo: Repo): Promise<string> {
  const head = await commitOf(repo, "HEAD");
  for (const words of [[], ["--tags"], ["--all"]]) {
    const given = parseArgs(words, OPTIONS);
    const tags = await readTags(repo, given);
    if ([...tags.values()].some(({ rank }) => rank >= 0)) {
      const name = await describe(repo, given, tags, head).catch((error) => {
        if (error instanceof GitError) return undefined;
        throw error;
      });
      if (name !== undefined) return name;
    }
  }
  return head.oid.slice(0, 7);
}

/** The best name of every commit that has one. */
async function readTags(repo: Repo, given: Args): Promise<Map<string, Tag>> {
  const all = given.has("all");
  const found = new Map<string, Tag>();
  const wanted = given.all("match").map((each) => globToRegExp(each, true));
  const unwanted = given.all("exclude").map((each) => globToRegExp(each, true));
  for (const short of await repo.refs(all ? "refs" : "refs/tags")) {
    const base = short.replace(/^(heads|tags|remotes)\//, "");
    if (wanted.length > 0 && !wanted.some((each) => each.test(base)) || unwanted.some((each) => each.test(base))) {
      continue;
    }
    const oid = await repo.ref(all ? `refs/${short}` : `refs/tags/${short}`);
    const target = oid && await peelObject(repo, oid, "commit").catch(() => undefined);
    if (oid === undefined || target === undefined) continue;
    const isTag = !all || short.startsWith("tags/");
    const annotated = isTag && oid !== target;
    const rank = annotated ? 2 : isTag ? 1 : 0;
    if (rank < 2 && !all && !given.has("tags")) {
      // A plain tag is not used without --tags, but the complaint speaks of it.
      if (!found.has(target)) found.set(target, { name: "", rank: -1, time: 0 });
      continue;
    }
    const time = annotated ? await tagTime(repo, oid) : 0;
    const old = found.get(target);
    if (!old || rank > old.rank || rank === old.rank && time > old.time) found.set(target, { name: short, rank, time });
  }
  return found;
}

async function tagTime(repo: Repo, oid: string): Promise<number> {
  const text = decodeText(fromArray((await repo.objects.read(oid)).data));
  return parsePerson(text.match(/^tagger (.*)$/m)?.[1] ?? "").time;
}

interface Candidate {
  tag: Tag;
  oid: string;
  depth: number;
}

async function describe(repo: Repo, given: Args, tags: Map<string, Tag>, commit: Commit): Promise<string> {
  const digits = given.number("abbrev", 7);
  const long = (name: string, depth: number) => `${name}-${depth}-g${commit.oid.slice(0, Math.max(4, digits))}`;
  const own = tags.get(commit.oid);
  if (own && own.rank >= 0) return given.has("long") ? long(own.name, 0) : own.name;
  if (given.has("exact-match") || given.get("candidates") === "0") {
    throw new GitError(`no tag exactly matches '${commit.oid}'`);
  }
  const best = await findNearest(repo, given, tags, commit);
  if (best) return digits === 0 ? best.tag.name : long(best.tag.name, best.depth);
  if (given.has("always")) return commit.oid.slice(0, digits === 0 ? 7 : digits);
  const plain = [...tags.values()].some(({ rank }) => rank < 0);
  throw new GitError(
    [...tags.values()].length === 0
      ? "No names found, cannot describe anything."
      : plain
      ? `No annotated tags can describe '${commit.oid}'.\nHowever, there were unannotated tags: try --tags.`
      : `No tags can describe '${commit.oid}'.\nTry --always, or create some tags.`,
  );
}

/** The tag with the fewest commits between; of several, the one that was met first. */
async function findNearest(
  repo: Repo,
  given: Args,
  tags: Map<string, Tag>,
  from: Commit,
): Promise<Candidate | undefined> {
  const most = given.number("candidates", 10);
  const firstParent = given.has("first-parent");
  const behind = new Set<string>();
  const met: string[] = [];
  let pending = 1;
  for await (const commit of walkHistory(repo, { include: [from.oid], exclude: [], firstParent })) {
    const tag = tags.get(commit.oid);
    const known = behind.has(commit.oid);
    if (!known) pending--;
    // A tag behind another one can be no nearer than that.
    const isTag = tag !== undefined && tag.rank >= 0 && !known;
    if (isTag) met.push(commit.oid);
    for (const parent of firstParent ? commit.parents.slice(0, 1) : commit.parents) {
      if (known || isTag) behind.add(parent);
      else pending++;
    }
    if (met.length >= most || pending <= 0 && met.length > 0) break;
  }
  let best: Candidate | undefined;
  for (const oid of met) {
    let depth = 0;
    for await (const _ of walkHistory(repo, { include: [from.oid], exclude: [oid], firstParent })) depth++;
    const tag = tags.get(oid);
    if (tag && (!best || depth < best.depth)) best = { tag, oid, depth };
  }
  return best;
}

const NAMING = "tags refs= exclude= all stdin annotate-stdin name-only undefined no-undefined always";

export async function runNameRev(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, NAMING);
  if (given.has("stdin") || given.has("annotate-stdin") || given.has("all")) {
    throw new GitError("name-rev --all and --stdin are not supported here: name the commits");
  }
  const repo = await Repo.find(call);
  const folders = given.has("tags") ? ["refs/tags"] : ["refs"];
  return await nameCommits(repo, given.everything, folders, given.has("name-only"), given);
}

async function nameCommits(
  repo: Repo,
  words: string[],
  folders: string[],
  only: boolean,
  given: Args,
): Promise<number> {
  const names = await nameAll(repo, folders, given);
  for (const word of words.length > 0 || !given.has("contains") ? words : ["HEAD"]) {
    if (await findRevision(repo, word) === undefined) {
      if (given.has("contains")) throw new GitError(`Not a valid object name ${word}`);
      repo.call.err(`Could not get sha1 for ${word}. Skipping.\n`);
      continue;
    }
    const { oid } = await commitOf(repo, word);
    const name = names.get(oid) ?? (given.has("always") ? oid.slice(0, 7) : undefined);
    if (name === undefined && (given.has("contains") || given.has("no-undefined"))) {
      throw new GitError(`cannot describe '${oid}'`);
    }
    const shown = folders[0] === "refs/tags" && (given.has("contains") || only) ? name?.replace(/^tags\//, "") : name;
    repo.call.out(only ? `${shown ?? "undefined"}\n` : `${word} ${shown ?? "undefined"}\n`);
  }
  return 0;
}

interface Naming {
  name: string;
  generation: number;
  distance: number;
  tag: boolean;
  time: number;
}

const MERGE_COST = 65_535;

/** A name for every commit that a ref leads to: the one with the fewest steps, tags first. */
async function nameAll(repo: Repo, folders: string[], given: Args): Promise<Map<string, string>> {
  const best = new Map<string, Naming>();
  const patterns = given.all("refs").map((each) => globToRegExp(each, true));
  for (const folder of folders) {
    for (const short of await repo.refs(folder)) {
      const ref = `${folder}/${short}`;
      const plain = ref.replace(/^refs\/(heads|tags|remotes)\//, "");
      if (patterns.length > 0 && !patterns.some((each) => each.test(plain) || each.test(ref))) continue;
      const oid = await repo.ref(ref);
      const target = oid && await peelObject(repo, oid, "commit").catch(() => undefined);
      if (oid === undefined || target === undefined) continue;
      const tag = ref.startsWith("refs/tags/");
      const name = ref.replace(/^refs\/(heads\/)?/, "") + (oid === target ? "" : "^0");
      const time = tag && oid !== target
        ? await tagTime(repo, oid)
        : (await repo.objects.commit(target)).committer.time;
      await spread(repo, best, target, { name, generation: 0, distance: 0, tag, time });
    }
  }
  return new Map([...best].map(([oid, { name, generation }]) => [
    oid,
    generation === 0 ? name : `${name.replace(/\^0$/, "")}~${generation}`,
  ]));
}

async function spread(repo: Repo, best: Map<string, Naming>, start: string, first: Naming): Promise<void> {
  const pending: [string, Naming][] = [[start, first]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    checkInterrupt(repo.call.ctx);
    const [oid, naming] = next;
    const old = best.get(oid);
    if (old && !isBetter(naming, old)) continue;
    best.set(oid, naming);
    const { parents } = await repo.objects.commit(oid);
    const { name, generation, distance, tag, time } = naming;
    const base = name.replace(/\^0$/, "") + (generation > 0 ? `~${generation}` : "");
    for (const [i, parent] of [...parents.entries()].reverse()) {
      pending.push(
        i === 0
          ? [parent, { name, generation: generation + 1, distance: distance + 1, tag, time }]
          : [parent, { name: `${base}^${i + 1}`, generation: 0, distance: distance + MERGE_COST, tag, time }],
      );
    }
  }
}

function isBetter(fresh: Naming, old: Naming): boolean {
  const cost = (each: Naming) => each.distance + (each.generation > 0 ? MERGE_COST : 0);
  if (fresh.tag && old.tag) return cost(fresh) < cost(old);
  if (fresh.tag !== old.tag) return fresh.tag;
  if (cost(fresh) !== cost(old)) return cost(fresh) < cost(old);
  return fresh.time < old.time;
}
