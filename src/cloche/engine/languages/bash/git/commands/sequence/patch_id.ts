/** Which commits make the same change, wherever they stand. */
import { parseArgs } from "../../options.ts";
import { ChangePrinter } from "../../text/changes.ts";
import { toArray } from "../../../text/byte_strings.ts";
import { type Commit, hashOf } from "../../repository/objects.ts";
import type { Repo } from "../../repository/repository.ts";
import { type Change, diffTrees } from "../../repository/trees.ts";
import { walkHistory } from "../../repository/history_walk.ts";

async function changesOf(repo: Repo, { parents, tree }: Commit): Promise<Change[]> {
  const before = parents[0] === undefined ? undefined : (await repo.objects.commit(parents[0])).tree;
  return await diffTrees(repo, before, tree);
}

/** A name for a commit's change: its lines without their places and spaces. */
export async function patchId(repo: Repo, commit: Commit): Promise<string> {
  const printer = new ChangePrinter(repo, parseArgs(["-p"], "patch,p unified="), false);
  const text = await printer.show(await changesOf(repo, commit));
  const lines = text.split("\n").filter((line) => !/^(index |@@ )/.test(line));
  return await hashOf("blob", toArray(lines.join("\n").replace(/[ \t\r\v\f]+/g, "")));
}

async function pathsOf(repo: Repo, commit: Commit): Promise<string> {
  return (await changesOf(repo, commit)).map(({ path }) => path).join("\0");
}

/** Leaves out commits whose change the other side has; what is left out is told. */
export async function dropApplied(repo: Repo, commits: Commit[], upstream: string): Promise<Commit[]> {
  const head = commits.at(-1)?.oid;
  if (head === undefined) return commits;
  // Only commits that touch the same files can be the same change.
  const paths = new Set<string>();
  for (const commit of commits) paths.add(await pathsOf(repo, commit));
  const known = new Set<string>();
  for await (const commit of walkHistory(repo, { include: [upstream], exclude: [head] })) {
    if (commit.parents.length > 1) continue;
    const touched = await pathsOf(repo, commit);
    if (touched !== "" && paths.has(touched)) known.add(await patchId(repo, commit));
  }
  if (known.size === 0) return commits;
  const kept: Commit[] = [];
  const dropped: Commit[] = [];
  for (const commit of commits) (known.has(await patchId(repo, commit)) ? dropped : kept).push(commit);
  for (const { oid } of dropped) repo.call.err(`warning: skipped previously applied commit ${oid.slice(0, 7)}\n`);
  if (dropped.length > 0) {
    repo.call.err(
      "hint: use --reapply-cherry-picks to include skipped commits\n" +
        'hint: Disable this message with "git config advice.skippedCherryPicks false"\n',
    );
  }
  return kept;
}
