/** Changes of many files shown as a patch, as statistics or as names. */
import { encodeText, fromArray } from "../../text/byte_strings.ts";
import { checkInterrupt } from "../../just_bash/command.ts";
import type { Args } from "../options.ts";
import { GitError } from "../options.ts";
import { compareTexts, countLines, isBinary, type LineChanges, renderChanges } from "./hunks.ts";
import type { Item } from "../repository/objects.ts";
import { quotePath } from "../repository/paths.ts";
import type { Repo } from "../repository/repository.ts";
import { readItem } from "../repository/worktree_scan.ts";
import { detectRenames, readScore } from "../repository/renames.ts";
import { WHOLE } from "../repository/similarity.ts";
import type { Change } from "../repository/trees.ts";
import { combinedLetters, renderCombined } from "./combined.ts";
import { joinNames } from "./rename_text.ts";

/** Options that say in which form changes are shown. */
export const SHOWING =
  "patch,p,u stat=? shortstat numstat summary name-only name-status raw unified,U= no-patch,s binary exit-code quiet,q " +
  "z color=? no-color ignore-all-space,w ignore-space-change,b ignore-space-at-eol no-renames find-renames,M=? find-copies,C=? " +
  "full-index text,a no-ext-diff ext-diff no-textconv textconv minimal histogram patience diff-algorithm= relative=? " +
  "diff-filter= no-prefix indent-heuristic patch-with-stat word-diff=? function-context,W R";

const ABBREVIATED = 7;

/** Renders changes; the contents of a side come from the objects or, if it is not stored, from the work tree. */
export class ChangePrinter {
  readonly #context: number;
  readonly #keep: ((line: string) => string) | undefined;

  /** `renames` is false where they are found only if asked for. */
  constructor(private readonly repo: Repo, private readonly args: Args, private readonly renames = true) {
    this.#context = args.number("unified", 3);
    this.#keep = args.has("ignore-all-space")
      ? (line) => line.replace(/\s+/g, "")
      : args.has("ignore-space-change")
      ? (line) => line.replace(/\s+/g, " ").trimEnd()
      : args.has("ignore-space-at-eol")
      ? (line) => line.trimEnd()
      : undefined;
    if (args.has("word-diff")) throw new GitError("--word-diff is not supported here");
  }

  /** Whether any form is asked for. */
  get asked(): boolean {
    return FORMS.some((name) => this.args.has(name));
  }

  /** Whether nothing but patches is shown. */
  get onlyPatches(): boolean {
    return !FORMS.some((name) => name !== "patch" && name !== "unified" && this.args.has(name));
  }

  /** Whether only numbers are shown: those of a merge are taken from its first parent. */
  get onlyNumbers(): boolean {
    return this.asked && !["patch", "unified", "name-only", "name-status", "raw"].some((name) => this.args.has(name));
  }

  /** The changes in the forms that were asked for, or as a patch. */
  async show(all: Change[]): Promise<string> {
    const turned = all.map((change) => this.args.has("R") ? reversed(change) : change);
    const changes = this.#filter(await this.findRenames(turned));
    const has = (name: string) => this.args.has(name);
    if (has("quiet") || has("no-patch")) return "";
    if (has("name-only")) return this.#lines(changes, (change) => [change.path]);
    if (has("name-status")) return this.#lines(changes, (change) => [changeMark(change), ...pathsOf(change)]);
    const parts: string[] = [];
    if (has("raw")) parts.push(changes.map(rawLine).join(""));
    if (has("numstat")) parts.push(await this.#numbers(changes));
    if (has("stat") || has("patch-with-stat")) parts.push(await this.stat(changes));
    if (has("shortstat")) parts.push(summaryLine(await this.#counts(changes)));
    if (has("summary")) parts.push(modeLines(changes));
    if (parts.length === 0 || has("patch") || has("patch-with-stat")) parts.push(await this.patches(changes));
    return parts.filter((part) => part !== "").join(parts.length > 1 && has("patch") ? "\n" : "");
  }

  /** Joins what was renamed, unless that is not wanted. */
  async findRenames(changes: Change[]): Promise<Change[]> {
    const { args, repo } = this;
    const set = repo.config.get("diff.renames");
    const copies = args.has("find-copies") || this.renames && /^cop(y|ies)$/.test(set ?? "");
    const wanted = this.renames && !/^(false|no|off|0)$/.test(set ?? "");
    if (args.has("no-renames") || !wanted && !copies && !args.has("find-renames")) return changes;
    return await detectRenames(repo, changes, {
      minimum: readScore(args.get("find-copies") || args.get("find-renames")),
      copies,
    });
  }

  #filter(changes: Change[]): Change[] {
    const filter = this.args.get("diff-filter");
    if (filter === undefined) return changes;
    const wanted = /[A-Z]/.test(filter);
    return changes.filter((change) => {
      const kind = changeLetter(change);
      return wanted ? filter.includes(kind) : !filter.includes(kind.toLowerCase());
    });
  }

  #lines(changes: Change[], words: (change: Change) => string[]): string {
    if (this.args.has("z")) return changes.map((change) => encodeText(words(change).join("\0")) + "\0").join("");
    return changes.map((change) => words(change).map((word) => quotePath(word)).join("\t") + "\n").join("");
  }

  /** The patches of all. */
  async patches(changes: Change[]): Promise<string> {
    let text = "";
    for (const change of changes) {
      checkInterrupt(this.repo.call.ctx);
      text += await this.patch(change);
    }
    return text;
  }

  /** One file's patch. */
  async patch(change: Change): Promise<string> {
    if (change.unmerged) return `* Unmerged path ${quotePath(change.path)}\n`;
    if (change.versions) return await renderCombined(this.repo, change, this.#context);
    // If the kind changes, git shows one file deleted and another added.
    if (change.old && change.new && (change.old.mode ^ change.new.mode) & 0o170000) {
      const gone = await this.patch({ path: change.path, old: change.old });
      return gone + await this.patch({ path: change.path, new: change.new });
    }
    const [a, b] = this.args.has("no-prefix") ? ["", ""] : ["a/", "b/"];
    const [from, to] = [quotePath(a + (change.from ?? change.path)), quotePath(b + change.path)];
    const head = `diff --git ${from} ${to}\n` + this.#modes(change);
    if (change.old?.oid === change.new?.oid) return head;
    const both = await this.#contents(change);
    const old = change.old ? from : "/dev/null";
    const fresh = change.new ? to : "/dev/null";
    if (both.binary && !this.args.has("text")) return `${head}Binary files ${old} and ${fresh} differ\n`;
    const hunks = renderChanges(both.lines(), this.#context);
    if (hunks === "" && this.#keep) return "";
    // A name with a space ends with a tab, so that what follows is not taken for part of it.
    const named = (name: string) => /^[^"].* /.test(name) ? name + "\t" : name;
    return hunks === "" ? head : `${head}--- ${named(old)}\n+++ ${named(fresh)}\n${hunks}`;
  }

  #modes(change: Change): string {
    const { old, new: fresh } = change;
    const octal = (item: Item) => item.mode.toString(8).padStart(6, "0");
    const digits = this.args.has("full-index") || this.args.has("binary") ? 40 : ABBREVIATED;
    const range = `index ${short(old, digits)}..${short(fresh, digits)}`;
    if (!old && fresh) return `new file mode ${octal(fresh)}\n${range}\n`;
    if (old && !fresh) return `deleted file mode ${octal(old)}\n${range}\n`;
    if (!old || !fresh) return "";
    const same = old.mode === fresh.mode;
    const modes = same ? "" : `old mode ${octal(old)}\nnew mode ${octal(fresh)}\n`;
    const head = modes + renameLines(change);
    return old.oid === fresh.oid ? head : `${head}${range}${same ? ` ${octal(old)}` : ""}\n`;
  }

  async #contents({ path, from = path, old, new: fresh }: Change) {
    const [a, b] = [await this.#read(from, old), await this.#read(path, fresh)];
    let compared: LineChanges | undefined;
    return {
      binary: isBinary(a) || isBinary(b),
      sizes: [a.length, b.length],
      lines: () => compared ??= compareTexts(fromArray(a), fromArray(b), this.#keep),
    };
  }

  async #read(path: string, item: Item | undefined): Promise<Uint8Array> {
    return item ? await readItem(this.repo, path, item) : new Uint8Array();
  }

  async #counts(changes: Change[]): Promise<Count[]> {
    const counts: Count[] = [];
    for (const change of changes) {
      checkInterrupt(this.repo.call.ctx);
      if (change.unmerged) {
        counts.push({ path: change.path, unmerged: true, added: 0, deleted: 0 });
        continue;
      }
      const both = await this.#contents(change);
      const numbers = both.binary ? { added: 0, deleted: 0 } : countLines(both.lines());
      counts.push({ path: change.path, from: change.from, binary: both.binary ? both.sizes : undefined, ...numbers });
    }
    return counts;
  }

  async #numbers(changes: Change[]): Promise<string> {
    return (await this.#counts(changes)).map((count) => {
      const { path, from, binary, added, deleted } = count;
      const numbers = `${binary ? "-" : added}\t${binary ? "-" : deleted}\t`;
      if (!this.args.has("z")) return `${numbers}${nameOf(count)}\n`;
      return `${numbers}${from === undefined ? "" : `\0${encodeText(from)}\0`}${encodeText(path)}\0`;
    }).join("");
  }

  /** The bars of `--stat`. */
  async stat(changes: Change[]): Promise<string> {
    return renderStat(await this.#counts(changes));
  }
}

const FORMS = [
  ..."patch stat shortstat numstat summary name-only name-status raw no-patch quiet patch-with-stat unified".split(" "),
];

export interface Count {
  path: string;
  /** The name before, if it is another. */
  from?: string;
  /** Sizes before and after, for a file that is not text. */
  binary?: number[];
  unmerged?: boolean;
  added: number;
  deleted: number;
}

const WIDTH = 80;

/** `digits` is the least width of the numbers. */
export function renderStat(counts: Count[], least = 0): string {
  if (counts.length === 0) return "";
  const names = counts.map(nameOf);
  const total = ({ added, deleted }: Count) => added + deleted;
  const largest = Math.max(...counts.map(total));
  const digits = Math.max(least, String(largest).length, counts.some(({ binary }) => binary) ? 3 : 0);
  const longest = Math.max(...names.map((name) => name.length));
  const [nameWidth, bars] = widths(longest, Math.max(largest, ...counts.map(binaryWidth)), digits);
  const lines = counts.map((count, i) => {
    const name = names[i].length > nameWidth ? shorten(names[i], nameWidth) : names[i].padEnd(nameWidth);
    const { binary } = count;
    if (count.unmerged) return ` ${name} | Unmerged\n`;
    if (binary) return ` ${name} | ${"Bin".padStart(digits)} ${binary[0]} -> ${binary[1]} bytes\n`;
    const bar = barOf(count, largest, bars);
    return ` ${name} | ${String(total(count)).padStart(digits)}${bar === "" ? "" : " " + bar}\n`;
  });
  return lines.join("") + summaryLine(counts);
}

function nameOf({ path, from }: Count): string {
  return from === undefined ? quotePath(path) : joinNames(from, path);
}

function binaryWidth({ binary }: Count): number {
  return binary ? `${binary[0]} -> ${binary[1]} bytes`.length : 0;
}

/** How wide names and bars may be in a line, by git's own rules. */
function widths(longest: number, wanted: number, digits: number): [names: number, bars: number] {
  const room = WIDTH - digits - 6;
  if (longest + wanted <= room) return [longest, wanted];
  const bars = Math.min(wanted, Math.max(6, Math.floor(WIDTH * 3 / 8) - digits - 6));
  return longest > room - bars ? [room - bars, bars] : [longest, room - longest];
}

function shorten(name: string, width: number): string {
  const cut = name.slice(name.length - width + 3);
  const slash = cut.indexOf("/");
  return ("..." + (slash >= 0 ? cut.slice(slash) : cut)).padEnd(width);
}

function barOf({ added, deleted }: Count, largest: number, width: number): string {
  if (largest <= width) return "+".repeat(added) + "-".repeat(deleted);
  const scale = (count: number) => count === 0 ? 0 : 1 + Math.floor(count * (width - 1) / largest);
  const total = Math.max(scale(added + deleted), added > 0 && deleted > 0 ? 2 : 0);
  const [less, more] = added < deleted ? [scale(added), "-"] : [scale(deleted), "+"];
  const rest = total - less;
  return more === "-" ? "+".repeat(less) + "-".repeat(rest) : "+".repeat(rest) + "-".repeat(less);
}

export function summaryLine(all: Count[]): string {
  const counts = all.filter(({ unmerged }) => !unmerged);
  if (counts.length === 0) return all.length === 0 ? "" : " 0 files changed\n";
  const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const added = counts.reduce((sum, count) => sum + count.added, 0);
  const deleted = counts.reduce((sum, count) => sum + count.deleted, 0);
  const parts = [` ${plural(counts.length, "file")} changed`];
  if (added > 0 || deleted === 0) parts.push(`${plural(added, "insertion")}(+)`);
  if (deleted > 0 || added === 0) parts.push(`${plural(deleted, "deletion")}(-)`);
  return parts.join(", ") + "\n";
}

/** Files that came, went, or changed their name or mode, as `git commit` lists them. */
export function modeLines(changes: Change[]): string {
  const octal = (item: Item) => item.mode.toString(8).padStart(6, "0");
  return changes.map(({ path, from, score = 0, copied, old, new: fresh }) => {
    const name = quotePath(path);
    if (!old && fresh) return ` create mode ${octal(fresh)} ${name}\n`;
    if (old && !fresh) return ` delete mode ${octal(old)} ${name}\n`;
    const renamed = from === undefined
      ? ""
      : ` ${copied ? "copy" : "rename"} ${joinNames(from, path)} (${percentOf(score)}%)\n`;
    if (!old || !fresh || old.mode === fresh.mode) return renamed;
    const mode = ` mode change ${octal(old)} => ${octal(fresh)}`;
    return renamed === "" ? `${mode} ${name}\n` : `${renamed}${mode}\n`;
  }).join("");
}

/** A, C, D, M, R, T or U; of a merge one for each side. */
export function changeLetter(change: Change): string {
  const { old, new: fresh, from, copied } = change;
  if (change.unmerged) return "U";
  if (change.versions) return combinedLetters(change);
  if (!old) return "A";
  if (!fresh) return "D";
  if (from !== undefined) return copied ? "C" : "R";
  return (old.mode ^ fresh.mode) & 0o170000 ? "T" : "M";
}

/** The letter, with how much of a renamed file is the same. */
export function changeMark(change: Change): string {
  const { score } = change;
  return changeLetter(change) + (score === undefined ? "" : String(percentOf(score)).padStart(3, "0"));
}

/** The old name of what was renamed, and the name. */
export function pathsOf({ path, from }: Change): string[] {
  return from === undefined ? [path] : [from, path];
}

function percentOf(score: number): number {
  return Math.floor(score * 100 / WHOLE);
}

function renameLines({ path, from, score = 0, copied }: Change): string {
  if (from === undefined) return "";
  const verb = copied ? "copy" : "rename";
  return `similarity index ${percentOf(score)}%\n${verb} from ${quotePath(from)}\n${verb} to ${quotePath(path)}\n`;
}

function short(item: Item | undefined, digits: number): string {
  return (item?.oid ?? "0".repeat(40)).slice(0, digits);
}

function rawLine(change: Change): string {
  const mode = (item: Item | undefined) => (item?.mode ?? 0).toString(8).padStart(6, "0");
  const { old, new: fresh, versions } = change;
  if (versions) {
    const sides = [...versions, fresh];
    const words = [...sides.map(mode), ...sides.map((item) => short(item, ABBREVIATED)), changeLetter(change)];
    return `${":".repeat(versions.length)}${words.join(" ")}\t${quotePath(change.path)}\n`;
  }
  const oids = `${short(old, ABBREVIATED)} ${short(fresh, ABBREVIATED)}`;
  return `:${mode(old)} ${mode(fresh)} ${oids} ${changeMark(change)}\t${
    pathsOf(change).map((path) => quotePath(path)).join("\t")
  }\n`;
}

function reversed({ path, old, new: fresh }: Change): Change {
  return { path, old: fresh, new: old };
}
