/** Finds which commit each line of a file came from. */
import { checkInterrupt } from "../../../just_bash/command.ts";
import { diffLines } from "../../../text/diff/line_diff.ts";
import { fromArray } from "../../../text/byte_strings.ts";
import type { Commit } from "../../repository/objects.ts";
import type { Repo } from "../../repository/repository.ts";
import { detectRenames } from "../../repository/renames.ts";
import { diffTrees } from "../../repository/trees.ts";

/** A line and where it came from. */
export interface Origin {
  commit: Commit | undefined;
  path: string;
  /** Its number there, from 0. */
  line: number;
  /** The parent's version that it is not in. */
  previous?: { oid: string; path: string };
  boundary: boolean;
}

interface Suspect {
  commit: Commit;
  path: string;
  blob: string;
  /** Pairs of a line of the final file and the line of this version. */
  lines: [final: number, here: number][];
}

/** Lines without their ends, as bytes. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export class BlameWalk {
  readonly origins: Origin[] = [];
  readonly #pending = new Map<string, Suspect>();
  readonly #texts = new Map<string, string[]>();

  constructor(
    private readonly repo: Repo,
    private readonly keep: (line: string) => string,
    private readonly excluded: Set<string>,
    private readonly firstParent: boolean,
  ) {}

  /** The lines of a stored file. */
  async lines(blob: string): Promise<string[]> {
    const known = this.#texts.get(blob);
    if (known) return known;
    const lines = linesOf(fromArray(await this.repo.objects.blob(blob)));
    if (this.#texts.size > 64) this.#texts.clear();
    this.#texts.set(blob, lines);
    return lines;
  }

  add(suspect: Suspect): void {
    const key = `${suspect.commit.oid}:${suspect.path}`;
    const old = this.#pending.get(key);
    if (old) old.lines.push(...suspect.lines);
    else this.#pending.set(key, suspect);
  }

  /** The lines that are the same in both texts, by their number in the first. */
  match(from: string[], to: string[]): Map<number, number> {
    const same = new Map<number, number>();
    let [at, shift] = [0, 0];
    for (const change of [...diffLines(to.map(this.keep), from.map(this.keep)), undefined]) {
      const end = change ? change.from[0] : to.length;
      for (; at < end; at++) same.set(at + shift, at);
      if (!change) break;
      at = change.from[1];
      shift = change.to[1] - change.from[1];
    }
    return same;
  }

  async run(): Promise<void> {
    while (this.#pending.size > 0) {
      checkInterrupt(this.repo.call.ctx);
      const [key, suspect] = this.#youngest();
      this.#pending.delete(key);
      await this.#examine(suspect);
    }
  }

  #youngest(): [string, Suspect] {
    let best: [string, Suspect] | undefined;
    for (const entry of this.#pending) {
      if (!best || entry[1].commit.committer.time > best[1].commit.committer.time) best = entry;
    }
    if (!best) throw new Error("nothing is left to examine");
    return best;
  }

  async #examine(suspect: Suspect): Promise<void> {
    const { commit, path } = suspect;
    const all = this.excluded.has(commit.oid) ? [] : commit.parents;
    const parents = this.firstParent ? all.slice(0, 1) : all;
    let left = suspect.lines;
    let previous: Origin["previous"];
    for (const oid of parents) {
      const parent = await this.repo.objects.commit(oid);
      const found = await this.#findIn(parent, commit, path);
      if (!found) continue;
      previous ??= { oid, path: found.path };
      if (left.length === 0) break;
      left = await this.#pass(suspect, left, parent, found);
    }
    const boundary = parents.length === 0;
    for (const [final, line] of left) this.origins[final] = { commit, path, line, previous, boundary };
  }

  /** Hands lines that the parent has on to it; returns the others. */
  async #pass(suspect: Suspect, lines: Suspect["lines"], parent: Commit, found: { path: string; blob: string }) {
    if (found.blob === suspect.blob) {
      this.add({ commit: parent, ...found, lines: [...lines] });
      return [];
    }
    const same = this.match(await this.lines(suspect.blob), await this.lines(found.blob));
    const passed: Suspect["lines"] = [];
    const left: Suspect["lines"] = [];
    for (const [final, here] of lines) {
      const there = same.get(here);
      if (there === undefined) left.push([final, here]);
      else passed.push([final, there]);
    }
    if (passed.length > 0) this.add({ commit: parent, ...found, lines: passed });
    return left;
  }

  /** The file in a parent, under its own name or the one that it had before. */
  async #findIn(parent: Commit, commit: Commit, path: string): Promise<{ path: string; blob: string } | undefined> {
    const blob = await blobAt(this.repo, parent.tree, path);
    if (blob !== undefined) return { path, blob };
    const changes = await detectRenames(this.repo, await diffTrees(this.repo, parent.tree, commit.tree));
    const renamed = changes.find((change) => change.path === path);
    return renamed?.old && renamed.from !== undefined ? { path: renamed.from, blob: renamed.old.oid } : undefined;
  }
}

export async function blobAt(repo: Repo, tree: string, path: string): Promise<string | undefined> {
  let oid: string | undefined = tree;
  const parts = path.split("/");
  for (const [i, name] of parts.entries()) {
    if (oid === undefined) return undefined;
    const entry: { oid: string; mode: number } | undefined = (await repo.objects.tree(oid)).find((each) =>
      each.name === name
    );
    const isFolder = entry?.mode === 0o040000;
    if (!entry || isFolder !== (i < parts.length - 1)) return undefined;
    oid = entry.oid;
  }
  return oid;
}
