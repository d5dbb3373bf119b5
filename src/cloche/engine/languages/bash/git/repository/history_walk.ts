/** Walks the history: which commits are reached, in which order, and how two branches relate. */
import { checkInterrupt } from "../../just_bash/command.ts";
import type { Commit } from "./objects.ts";
import type { Pathspec } from "./pathspec.ts";
import type { Repo } from "./repository.ts";
import { diffTrees } from "./trees.ts";

/** Commits waiting to be shown, the youngest first. */
class Queue {
  readonly #items: Commit[] = [];

  get empty(): boolean {
    return this.#items.length === 0;
  }

  push(commit: Commit): void {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#items[middle].committer.time >= commit.committer.time) high = middle;
      else low = middle + 1;
    }
    this.#items.splice(low, 0, commit);
  }

  /** Of equal age, the one that came first. */
  pop(): Commit | undefined {
    return this.#items.pop();
  }

  some(test: (commit: Commit) => boolean): boolean {
    return this.#items.some(test);
  }
}

interface WalkOptions {
  include: string[];
  exclude: string[];
  firstParent?: boolean;
  spec?: Pathspec;
  /** Whether no commit may come before one that has it as a parent. */
  topological?: boolean;
  /** Filled, in topological order, with the next commits shown that each one leads to. */
  lines?: Map<string, string[]>;
}

/** The commits that a shallow clone has no parents of. */
async function shallowOf(repo: Repo): Promise<Set<string>> {
  return new Set((await repo.call.text(`${repo.common}/shallow`) ?? "").split("\n").filter(Boolean));
}

/** Commits reached from some and not from others, youngest first; with paths, those that changed them. */
export async function* walkHistory(repo: Repo, options: WalkOptions): AsyncGenerator<Commit> {
  if (!options.topological) return yield* walkByDate(repo, options);
  const commits: Commit[] = [];
  const skipped = new Map<string, string[]>();
  for await (const commit of walkByDate(repo, options, skipped)) commits.push(commit);
  const lines = options.lines ?? new Map<string, string[]>();
  for (const { oid, parents } of commits) {
    lines.set(oid, followLines(options.firstParent ? parents.slice(0, 1) : parents, skipped));
  }
  yield* sortTopologically(commits, lines);
}

/** Where parents lead past commits that are not shown. */
function followLines(parents: string[], skipped: Map<string, string[]>): string[] {
  const found = new Set<string>();
  const pending = parents.toReversed();
  const seen = new Set<string>();
  for (let oid = pending.pop(); oid !== undefined; oid = pending.pop()) {
    if (seen.has(oid)) continue;
    seen.add(oid);
    const beyond = skipped.get(oid);
    if (beyond) pending.push(...beyond.toReversed());
    else found.add(oid);
  }
  return [...found];
}

/** No commit before its children; of those that may come, the one that the last one leads to. */
function sortTopologically(commits: Commit[], lines: Map<string, string[]>): Commit[] {
  const waiting = new Map(commits.map(({ oid }) => [oid, 0]));
  const known = new Map(commits.map((commit) => [commit.oid, commit]));
  for (const parents of lines.values()) {
    for (const parent of parents) if (waiting.has(parent)) waiting.set(parent, (waiting.get(parent) ?? 0) + 1);
  }
  const ready = commits.filter(({ oid }) => waiting.get(oid) === 0).reverse();
  const sorted: Commit[] = [];
  for (let commit = ready.pop(); commit; commit = ready.pop()) {
    sorted.push(commit);
    for (const parent of lines.get(commit.oid) ?? []) {
      const left = (waiting.get(parent) ?? 0) - 1;
      waiting.set(parent, left);
      const next = known.get(parent);
      if (left === 0 && next) ready.push(next);
    }
  }
  return sorted;
}

async function* walkByDate(
  repo: Repo,
  { include, exclude, firstParent, spec }: WalkOptions,
  skipped?: Map<string, string[]>,
): AsyncGenerator<Commit> {
  const shallow = await shallowOf(repo);
  const hidden = await findAncestors(repo, exclude);
  const queue = new Queue();
  const seen = new Set<string>();
  const enter = async (oid: string) => {
    if (seen.has(oid) || hidden.has(oid)) return;
    seen.add(oid);
    queue.push(await repo.objects.commit(oid));
  };
  for (const oid of include) await enter(oid);
  for (let commit = queue.pop(); commit; commit = queue.pop()) {
    checkInterrupt(repo.call.ctx);
    const all = shallow.has(commit.oid) ? [] : commit.parents;
    const parents = firstParent ? all.slice(0, 1) : all;
    const { shown, follow } = spec && !spec.empty
      ? await simplify(repo, commit, parents, spec)
      : { shown: true, follow: parents };
    if (!shown) skipped?.set(commit.oid, follow);
    if (shown) yield shallow.has(commit.oid) ? { ...commit, parents: [] } : commit;
    for (const parent of follow) await enter(parent);
  }
}

/** A merge that took the paths from one side is followed along that side only. */
async function simplify(repo: Repo, commit: Commit, parents: string[], spec: Pathspec) {
  if (parents.length === 0) {
    return { shown: (await diffTrees(repo, undefined, commit.tree, spec)).length > 0, follow: parents };
  }
  for (const parent of parents) {
    const { tree } = await repo.objects.commit(parent);
    if ((await diffTrees(repo, tree, commit.tree, spec)).length === 0) return { shown: false, follow: [parent] };
  }
  return { shown: true, follow: parents };
}

/** Everything that is reached from some commits, these included. */
export async function findAncestors(repo: Repo, from: string[]): Promise<Set<string>> {
  const shallow = from.length > 0 ? await shallowOf(repo) : new Set<string>();
  const found = new Set(from);
  const pending = [...from];
  for (let oid = pending.pop(); oid !== undefined; oid = pending.pop()) {
    checkInterrupt(repo.call.ctx);
    if (shallow.has(oid)) continue;
    for (const parent of (await repo.objects.commit(oid)).parents) {
      if (found.has(parent)) continue;
      found.add(parent);
      pending.push(parent);
    }
  }
  return found;
}

/** How many commits each of two has that the other has not. */
export async function countBetween(repo: Repo, ours: string, theirs: string) {
  if (ours === theirs) return { ahead: 0, behind: 0 };
  const [mine, yours] = [await findAncestors(repo, [ours]), await findAncestors(repo, [theirs])];
  const missing = (a: Set<string>, b: Set<string>) => [...a].filter((oid) => !b.has(oid)).length;
  return { ahead: missing(mine, yours), behind: missing(yours, mine) };
}

/** The best common ancestors of two commits. */
export async function mergeBases(repo: Repo, ours: string, theirs: string): Promise<string[]> {
  const [mine, yours] = [await findAncestors(repo, [ours]), await findAncestors(repo, [theirs])];
  const common = [...mine].filter((oid) => yours.has(oid));
  const beneath = new Set<string>();
  const shared = new Set(common);
  for (const oid of common) {
    for (const parent of (await repo.objects.commit(oid)).parents) if (shared.has(parent)) beneath.add(parent);
  }
  return common.filter((oid) => !beneath.has(oid));
}
