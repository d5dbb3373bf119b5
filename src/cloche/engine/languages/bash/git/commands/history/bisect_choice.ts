/** Which commit a bisection tests next. */
import type { Commit } from "../../repository/objects.ts";

interface Choice {
  chosen: Commit | undefined;
  /** How many of the commits it has behind it, itself included. */
  reaches: number;
  /** Commits that would have been better but are to be skipped. */
  tried: Commit[];
}

/** Whether a commit has about half of them behind it. */
function isHalfway(weight: number, count: number): boolean {
  const difference = Math.abs(2 * weight - count);
  return difference <= 1 || difference < count / 1024;
}

/** How many steps are left, as git estimates it. */
export function countSteps(all: number): number {
  if (all < 3) return 0;
  const power = Math.floor(Math.log2(all));
  const low = 2 ** power;
  return low < 3 * (all - low) ? power : power - 1;
}

/** The commit that halves the others best; the youngest of `commits` comes first. */
export function chooseMiddle(commits: Commit[], skipped: Set<string>): Choice {
  const known = new Map(commits.map((commit) => [commit.oid, commit]));
  const oldest = commits.toReversed();
  const weights = weigh(oldest, known, skipped.size === 0);
  if (weights.halfway) return { chosen: weights.halfway, reaches: weights.of.get(weights.halfway.oid) ?? 0, tried: [] };
  const distance = ({ oid }: Commit) => {
    const weight = weights.of.get(oid) ?? 0;
    return Math.min(weight, commits.length - weight);
  };
  const sorted = [...oldest].sort((a, b) => distance(b) - distance(a));
  const tried: Commit[] = [];
  for (const commit of sorted) {
    if (!skipped.has(commit.oid)) return { chosen: commit, reaches: weights.of.get(commit.oid) ?? 0, tried };
    tried.push(commit);
  }
  return { chosen: undefined, reaches: 0, tried };
}

/** How many commits each has behind it; stops at the first that is halfway if `quick`. */
function weigh(oldest: Commit[], known: Map<string, Commit>, quick: boolean) {
  const of = new Map<string, number>();
  const inside = ({ parents }: Commit) => parents.filter((parent) => known.has(parent));
  const merges = oldest.filter((commit) => inside(commit).length > 1);
  for (const merge of merges) {
    const weight = countBehind(merge, known);
    of.set(merge.oid, weight);
    if (quick && isHalfway(weight, oldest.length)) return { of, halfway: merge };
  }
  for (const commit of oldest) if (inside(commit).length === 0) of.set(commit.oid, 1);
  for (let left = oldest.filter(({ oid }) => !of.has(oid)); left.length > 0;) {
    const rest: Commit[] = [];
    for (const commit of left) {
      const before = of.get(inside(commit)[0]);
      if (before === undefined) {
        rest.push(commit);
        continue;
      }
      of.set(commit.oid, before + 1);
      if (quick && isHalfway(before + 1, oldest.length)) return { of, halfway: commit };
    }
    left = rest.length < left.length ? rest : [];
  }
  return { of, halfway: undefined };
}

function countBehind(start: Commit, known: Map<string, Commit>): number {
  const seen = new Set([start.oid]);
  const pending = [start];
  for (let commit = pending.pop(); commit; commit = pending.pop()) {
    for (const parent of commit.parents) {
      const next = known.get(parent);
      if (!next || seen.has(parent)) continue;
      seen.add(parent);
      pending.push(next);
    }
  }
  return seen.size;
}
