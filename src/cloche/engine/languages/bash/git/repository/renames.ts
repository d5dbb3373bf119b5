/** Finds which new files are files that are gone, under another name; by git's rules. */
import { checkInterrupt } from "../../just_bash/command.ts";
import { GitError } from "../options.ts";
import { EMPTY_BLOB, type Item } from "./objects.ts";
import { byBytes } from "./paths.ts";
import type { Repo } from "./repository.ts";
import { compareSpans, HALF, readSpans, type Spans, WHOLE } from "./similarity.ts";
import type { Change } from "./trees.ts";
import { readItem } from "./worktree_scan.ts";

/** With more pairs than this only files that did not change are found again. */
const PAIRS = 1_000_000;
const CANDIDATES = 4;

export interface RenameOptions {
  /** The least score. */
  minimum?: number;
  /** Whether files that stay may be the source too. */
  copies?: boolean;
  /** Whether files without contents count. */
  empty?: boolean;
}

interface Side {
  path: string;
  item: Item;
  /** A source that has been taken, or that stays where it is. */
  used: boolean;
  size?: number;
  spans?: Spans;
}

interface Match {
  source: Side;
  score: number;
}

interface Candidate extends Match {
  target: Side;
  sameName: boolean;
}

/** `-M90%` or `-M9`: which part must be the same. */
export function readScore(text: string | undefined): number {
  if (text === undefined || text === "") return HALF;
  const [, digits, fraction, percent] = /^(\d*)(?:\.(\d+))?(%?)$/.exec(text) ?? [];
  if (digits === undefined) throw new GitError(`invalid argument to find-renames: ${text}`);
  const number = Number(`${digits}.${fraction ?? ""}`);
  const share = percent ? number / 100 : fraction !== undefined ? number : number / 10 ** digits.length;
  return share >= 1 ? WHOLE : Math.floor(share * WHOLE);
}

/** The changes with each pair of a file that went and one that came as one change. */
export async function detectRenames(repo: Repo, changes: Change[], options: RenameOptions = {}): Promise<Change[]> {
  const finder = new RenameFinder(repo, changes, options);
  const found = await finder.run();
  if (found.size === 0) return changes;
  const gone = new Set(
    [...found.values()].filter(({ source }) => !finder.stays(source)).map(({ source }) => source.path),
  );
  const kept = changes.filter((change) => !(gone.has(change.path) && !change.new));
  const seen = new Set<string>();
  const named = kept.map((change): Change => {
    const match = found.get(change.path);
    return match ? { ...change, old: match.source.item, from: match.source.path, score: match.score } : change;
  });
  // The last file that a source became is its new name, any other a copy.
  for (const change of named.toReversed()) {
    if (change.from === undefined) continue;
    change.copied = !gone.has(change.from) || seen.has(change.from);
    seen.add(change.from);
  }
  return named.sort((a, b) => byBytes(a.path, b.path));
}

class RenameFinder {
  readonly #found = new Map<string, Match>();
  readonly #sources: Side[];
  readonly #targets: Side[];
  readonly #minimum: number;
  readonly #staying = new Set<string>();

  constructor(private readonly repo: Repo, changes: Change[], private readonly options: RenameOptions) {
    this.#minimum = options.minimum ?? HALF;
    const { copies = false, empty = true } = options;
    const side = (path: string, item: Item | undefined): Side[] =>
      !item || !empty && item.oid === EMPTY_BLOB ? [] : [{ path, item, used: false }];
    for (const { path, new: fresh } of changes) if (fresh) this.#staying.add(path);
    const single = changes.filter(({ versions, unmerged }) => !versions && !unmerged);
    this.#sources = single.filter((change) => change.old && (copies || !change.new))
      .flatMap(({ path, old }) => side(path, old));
    this.#targets = single.filter(({ old }) => !old).flatMap(({ path, new: fresh }) => side(path, fresh));
  }

  /** Whether a source is still there afterwards. */
  stays({ path }: Side): boolean {
    return this.#staying.has(path);
  }

  async run(): Promise<Map<string, Match>> {
    if (this.#sources.length === 0 || this.#targets.length === 0) return this.#found;
    this.#findExact();
    if (this.#minimum < WHOLE) {
      if (!this.options.copies) await this.#findByName();
      await this.#findSimilar();
    }
    return this.#found;
  }

  #take(target: Side, source: Side, score: number): void {
    this.#found.set(target.path, { source, score });
    source.used = true;
  }

  #free(): Side[] {
    return this.options.copies ? this.#sources : this.#sources.filter(({ used }) => !used);
  }

  #left(): Side[] {
    return this.#targets.filter(({ path }) => !this.#found.has(path));
  }

  #findExact(): void {
    const byOid = Map.groupBy(this.#sources, ({ item }) => item.oid);
    for (const target of this.#targets) {
      let best: Side | undefined;
      let highest = 0;
      for (const source of byOid.get(target.item.oid) ?? []) {
        if (source.used && !this.options.copies || !fits(source.item, target.item)) continue;
        const score = (source.used ? 0 : 1) + (baseOf(source.path) === baseOf(target.path) ? 1 : 0);
        if (score > highest || !best) [best, highest] = [source, score];
      }
      if (best) this.#take(target, best, WHOLE);
    }
  }

  /** A name that one file had and one file has, in another folder, is enough with a higher score. */
  async #findByName(): Promise<void> {
    const single = (sides: Side[]) =>
      new Map([...Map.groupBy(sides, ({ path }) => baseOf(path))].filter(([, list]) => list.length === 1));
    const [sources, targets] = [single(this.#free()), single(this.#left())];
    const least = this.#minimum + Math.floor((WHOLE - this.#minimum) / 2);
    for (const [name, [source]] of sources) {
      const target = targets.get(name)?.[0];
      if (!target) continue;
      const score = await this.#compare(source, target);
      if (score >= least) this.#take(target, source, score);
    }
  }

  async #findSimilar(): Promise<void> {
    const [sources, targets] = [this.#free(), this.#left()];
    if (sources.length * targets.length > PAIRS) return;
    const all: Candidate[] = [];
    for (const target of targets) {
      const best: Candidate[] = [];
      for (const source of sources) {
        const score = await this.#compare(source, target);
        if (score < this.#minimum) continue;
        best.push({ target, source, score, sameName: baseOf(source.path) === baseOf(target.path) });
        if (best.length > CANDIDATES) best.sort(byScore).pop();
      }
      all.push(...best);
    }
    all.sort(byScore);
    const passes = this.options.copies ? [false, true] : [false];
    for (const again of passes) {
      for (const { target, source, score } of all) {
        if (!this.#found.has(target.path) && (again || !source.used)) this.#take(target, source, score);
      }
    }
  }

  async #compare(source: Side, target: Side): Promise<number> {
    checkInterrupt(this.repo.call.ctx);
    if (!isRegular(source.item) || !isRegular(target.item)) return 0;
    return compareSpans(await this.#measure(source), await this.#measure(target), this.#minimum);
  }

  async #measure(side: Side): Promise<{ size: number; spans: Spans }> {
    if (side.size === undefined || !side.spans) {
      const data = await readItem(this.repo, side.path, side.item);
      side.size = data.length;
      side.spans = readSpans(data);
    }
    return { size: side.size, spans: side.spans };
  }
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || Number(b.sameName) - Number(a.sameName);
}

function isRegular({ mode }: Item): boolean {
  return (mode & 0o170000) === 0o100000;
}

function fits(a: Item, b: Item): boolean {
  return isRegular(a) && isRegular(b) || a.mode === b.mode;
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
