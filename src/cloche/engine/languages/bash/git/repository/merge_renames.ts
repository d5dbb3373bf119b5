/** Renames in a merge: the three sides of a file are brought under one name. */
import { GitError } from "../options.ts";
import type { Item } from "./objects.ts";
import { detectRenames } from "./renames.ts";
import type { Repo } from "./repository.ts";
import { diffFlat, type Flat } from "./trees.ts";

/** A file that both sides have, under names that differ, or that one has renamed and the other deleted. */
export interface RenameConflict {
  from: string;
  base: Item;
  /** Where our side has it, and theirs. */
  ours?: string;
  theirs?: string;
}

export interface AlignedTrees {
  base: Flat;
  ours: Flat;
  theirs: Flat;
  /** The names on our side and theirs, by the name of the result, where they differ. */
  names: Map<string, [ours: string, theirs: string]>;
  conflicts: RenameConflict[];
}

async function findRenames(repo: Repo, base: Flat, side: Flat): Promise<Map<string, string>> {
  const changes = await detectRenames(repo, diffFlat(base, side), { empty: false });
  return new Map(changes.flatMap(({ from, path }) => from === undefined ? [] : [[from, path] as const]));
}

/** Moves what one side has renamed to its new name on the others too. */
export async function alignRenames(repo: Repo, base: Flat, ours: Flat, theirs: Flat): Promise<AlignedTrees> {
  const aligned: AlignedTrees = {
    base: new Map(base),
    ours: new Map(ours),
    theirs: new Map(theirs),
    names: new Map(),
    conflicts: [],
  };
  if (/^(false|no|off|0)$/.test(repo.config.get("merge.renames") ?? repo.config.get("diff.renames") ?? "")) {
    return aligned;
  }
  const [mine, yours] = [await findRenames(repo, base, ours), await findRenames(repo, base, theirs)];
  for (const from of new Set([...mine.keys(), ...yours.keys()])) {
    alignOne(aligned, from, mine.get(from), yours.get(from));
  }
  return aligned;
}

function alignOne(aligned: AlignedTrees, from: string, mine: string | undefined, yours: string | undefined): void {
  const { base, ours, theirs, names, conflicts } = aligned;
  const item = base.get(from);
  if (!item) throw new GitError(`${from}: renamed, but not in the common ancestor`);
  if (mine !== undefined && yours !== undefined) {
    if (mine === yours) moveItem(base, from, mine);
    else {
      conflicts.push({ from, base: item, ours: mine, theirs: yours });
      base.delete(from);
    }
    return;
  }
  const [to, other] = mine !== undefined ? [mine, theirs] : [yours ?? "", ours];
  if (!other.has(from)) {
    conflicts.push({ from, base: item, ours: mine, theirs: yours });
    base.delete(from);
    return;
  }
  // Something else has the name there: then nothing can be brought under it.
  if (other.has(to)) return;
  moveItem(base, from, to);
  moveItem(other, from, to);
  names.set(to, mine !== undefined ? [mine, from] : [from, to]);
}

function moveItem(flat: Flat, from: string, to: string): void {
  const item = flat.get(from);
  if (!item) return;
  flat.delete(from);
  flat.set(to, item);
}
