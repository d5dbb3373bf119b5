/** Chooses the files to search: ignore rules, globs, types, depth. */
import { CommandError, type Context, pathOf } from "../just_bash/command.ts";
import { globToRegExp } from "../git/repository/glob.ts";
import { findLast, parseRules, type Rule } from "../git/repository/ignore.ts";
import { reasonOf } from "../text/file_errors.ts";
import type { Call } from "./options.ts";
import { knownTypes } from "./types.ts";

/** A file to be searched. */
export interface FoundFile {
  /** As it is shown. */
  name: string;
  path: string;
  /** Whether the call names it, so that no rule hides it. */
  explicit: boolean;
}

/** The rules of one folder, strongest first: .rgignore, .ignore, .gitignore. */
interface FolderRules {
  path: string;
  lists: Rule[][];
}

const DEEP = 500;

export class Walk {
  readonly found: FoundFile[] = [];
  readonly errors: string[] = [];
  readonly #globs: { matches: RegExp; anywhere: boolean; foldersOnly: boolean; negated: boolean }[];
  readonly #kinds: { wanted: RegExp[]; unwanted: RegExp[] };
  readonly #files: string[];
  readonly #hidden: boolean;
  readonly #follow: boolean;
  readonly #depth: number;
  readonly #largest: number;
  readonly #loose: boolean;
  #general: Rule[] = [];

  constructor(private readonly ctx: Context, private readonly call: Call) {
    const loose = call.count("unrestricted");
    const none = call.has("no-ignore") || loose > 0;
    const dot = none || call.has("no-ignore-dot");
    const git = none || call.has("no-ignore-vcs");
    this.#files = [...(dot ? [] : [".rgignore", ".ignore"]), ...(git ? [] : [".gitignore"])];
    this.#hidden = call.last("hidden", "no-hidden") === "hidden" || loose > 1;
    this.#follow = call.has("follow");
    this.#loose = call.last("no-require-git", "require-git") === "no-require-git";
    this.#depth = call.number("max-depth", call.number("maxdepth", DEEP));
    this.#largest = sizeOf(call.get("max-filesize"));
    this.#globs = call.all("glob", "iglob").flatMap(([name, glob]) =>
      override(glob, name === "iglob" || call.has("glob-case-insensitive"))
    );
    this.#kinds = kindsOf(call);
  }

  /** Finds all files below a path. */
  async add(name: string, shown: string): Promise<void> {
    const path = pathOf(this.ctx, name);
    const stat = await this.ctx.fs.stat(path).catch((error) => void this.errors.push(`${name}: ${reasonOf(error)}`));
    if (!stat) return;
    if (!stat.isDirectory) return void this.found.push({ name, path, explicit: true });
    const general = this.call.last("no-ignore-files", "ignore-files") === "no-ignore-files";
    for (const [, file] of general ? [] : this.call.all("ignore-file")) {
      const text = await this.ctx.fs.readFile(pathOf(this.ctx, file)).catch(() => "");
      this.#general.push(...parseRules(text, ""));
    }
    const above = await this.#above(path);
    await this.#descend(path, shown, above, this.#depth);
  }

  /** The rules of the folders above; git's rules only up to the top of the repository. */
  async #above(path: string): Promise<FolderRules[]> {
    const rules: FolderRules[] = [];
    const root = this.#loose ? "/" : await this.#repository(path);
    if (this.call.has("no-ignore-parent")) return [];
    for (let at = parent(path); at !== ""; at = parent(at)) {
      rules.unshift(await this.#rulesOf(at, root !== undefined && inside(at, root)));
      if (at === "/") break;
    }
    return rules;
  }

  async #repository(path: string): Promise<string | undefined> {
    for (let at = path;; at = parent(at)) {
      if (await this.ctx.fs.exists(join(at, ".git"))) return at;
      if (at === "/") return undefined;
    }
  }

  async #rulesOf(path: string, git: boolean): Promise<FolderRules> {
    const lists: Rule[][] = [];
    for (const name of this.#files) {
      const wanted = name !== ".gitignore" || git;
      const text = wanted ? await this.ctx.fs.readFile(join(path, name)).catch(() => "") : "";
      lists.push(parseRules(text, ""));
    }
    if (git && this.#files.includes(".gitignore") && !this.call.has("no-ignore-exclude")) {
      lists.push(parseRules(await this.ctx.fs.readFile(join(path, ".git/info/exclude")).catch(() => ""), ""));
    }
    return { path, lists };
  }

  async #descend(folder: string, shown: string, above: FolderRules[], depth: number): Promise<void> {
    if (depth === 0) return;
    this.ctx.executionScope?.throwIfAborted();
    const root = this.#loose ? "/" : await this.#repository(folder);
    const rules = [...above, await this.#rulesOf(folder, root !== undefined)];
    const names = await this.ctx.fs.readdir(folder).catch((error) => {
      this.errors.push(`${shown === "" ? "." : shown}: ${reasonOf(error)}`);
      return [];
    });
    for (const name of names.sort((a, b) => a < b ? -1 : 1)) {
      const path = join(folder, name);
      const stat = await (this.#follow ? this.ctx.fs.stat(path) : this.ctx.fs.lstat(path)).catch(() => undefined);
      if (!stat || stat.isSymbolicLink || !this.#wanted(path, stat.isDirectory, rules)) continue;
      const next = shown === "" ? name : join(shown, name);
      if (stat.isDirectory) {
        if (!this.#follow || !await this.#loops(path, folder)) await this.#descend(path, next, rules, depth - 1);
      } else if (stat.size <= this.#largest) this.found.push({ name: next, path, explicit: false });
    }
  }

  async #loops(path: string, folder: string): Promise<boolean> {
    const real = await this.ctx.fs.realpath(path).catch(() => path);
    return real !== path && inside(await this.ctx.fs.realpath(folder).catch(() => folder), real);
  }

  /** By globs, then rules, then kinds; what one of them asks for is not hidden by its dot. */
  #wanted(path: string, isFolder: boolean, rules: FolderRules[]): boolean {
    const asked = this.#byGlob(path, isFolder);
    if (asked !== undefined) return asked;
    const rule = this.#byRule(path, isFolder, rules);
    if (rule === false) return false;
    const kind = isFolder ? undefined : this.#byKind(path.slice(path.lastIndexOf("/") + 1));
    if (kind === false) return false;
    return rule === true || kind === true || this.#hidden || !path.slice(path.lastIndexOf("/") + 1).startsWith(".");
  }

  #byGlob(path: string, isFolder: boolean): boolean | undefined {
    const base = this.ctx.cwd === "/" ? "/" : `${this.ctx.cwd}/`;
    const relative = path.startsWith(base) ? path.slice(base.length) : path.slice(1);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const last = this.#globs.findLast(({ matches, anywhere, foldersOnly }) =>
      (isFolder || !foldersOnly) && matches.test(anywhere ? name : relative)
    );
    if (last) return !last.negated;
    return !isFolder && this.#globs.some(({ negated }) => !negated) ? false : undefined;
  }

  #byRule(path: string, isFolder: boolean, rules: FolderRules[]): boolean | undefined {
    for (let kind = 0; kind <= this.#files.length; kind++) {
      for (const { path: folder, lists } of rules.toReversed()) {
        const relative = path.slice(folder === "/" ? 1 : folder.length + 1);
        const rule = findLast(lists[kind] ?? [], relative, isFolder);
        if (rule) return rule.negated;
      }
    }
    const relative = path.slice(this.ctx.cwd === "/" ? 1 : this.ctx.cwd.length + 1);
    const rule = findLast(this.#general, relative, isFolder);
    return rule?.negated;
  }

  #byKind(name: string): boolean | undefined {
    const { wanted, unwanted } = this.#kinds;
    if (unwanted.some((kind) => kind.test(name))) return false;
    if (wanted.length === 0) return undefined;
    return wanted.some((kind) => kind.test(name));
  }
}

/** All kinds, with those that the call adds. */
export function typesOf(call: Call): Map<string, string[]> {
  const types = knownTypes();
  for (const [, text] of call.all("type-add")) {
    const [name, ...glob] = text.split(":");
    const [, included] = glob.join(":").match(/^include:(.*)$/) ?? [];
    const more = included === undefined
      ? [glob.join(":")]
      : included.split(",").flatMap((each) => types.get(each) ?? []);
    types.set(name, [...types.get(name) ?? [], ...more]);
  }
  for (const [, name] of call.all("type-clear")) types.delete(name);
  return types;
}

function kindsOf(call: Call): { wanted: RegExp[]; unwanted: RegExp[] } {
  const types = typesOf(call);
  const globsOf = (name: string) => {
    if (name === "all") return [...types.values()].flat();
    const globs = types.get(name);
    if (!globs) throw new CommandError(`unrecognized file type: ${name}`, 2);
    return globs;
  };
  const expressions = (option: string) =>
    call.all(option).flatMap(([, name]) => globsOf(name).map((glob) => globToRegExp(glob)));
  return { wanted: expressions("type"), unwanted: expressions("type-not") };
}

function override(glob: string, insensitive: boolean) {
  const negated = glob.startsWith("!");
  return expandBraces(negated ? glob.slice(1) : glob).map((each) => {
    const foldersOnly = each.endsWith("/");
    const plain = foldersOnly ? each.slice(0, -1) : each;
    const expression = globToRegExp(plain.replace(/^\//, ""));
    const matches = insensitive ? new RegExp(expression.source, "sui") : expression;
    return { matches, anywhere: !plain.includes("/"), foldersOnly, negated };
  });
}

/** `*.{js,ts}` as two patterns. */
function expandBraces(glob: string): string[] {
  const found = glob.match(/^((?:[^{\\]|\\.)*)\{((?:[^{}\\]|\\.)*)\}(.*)$/s);
  if (!found) return [glob];
  const [, before, inner, after] = found;
  return inner.split(",").flatMap((each) => expandBraces(`${before}${each}${after}`));
}

function sizeOf(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const found = text.match(/^(\d+)([KMG]?)$/);
  if (!found) throw new CommandError(`error parsing flag --max-filesize: invalid format for size '${text}'`, 2);
  return Number(found[1]) * ({ K: 1 << 10, M: 1 << 20, G: 1 << 30 }[found[2]] ?? 1);
}

function parent(path: string): string {
  return path === "/" ? "" : path.slice(0, path.lastIndexOf("/")) || "/";
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

function inside(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}
