/** Which files are ignored: .gitignore in every folder, .git/info/exclude, and the user's own list. */
import { globToRegExp } from "./glob.ts";

export interface Rule {
  /** The folder the rule was written in, with a slash at its end unless it is the top. */
  base: string;
  matches: RegExp;
  /** Whether the pattern is for the name alone, wherever it is. */
  anywhere: boolean;
  foldersOnly: boolean;
  negated: boolean;
}

const RULES = 20_000;

export class Ignore {
  readonly #folders = new Map<string, Rule[]>();
  readonly #known = new Map<string, boolean>();

  /** `read` returns the text of a .gitignore, or undefined; `general` are rules for the whole tree, weakest first. */
  constructor(
    private readonly read: (path: string) => Promise<string | undefined>,
    private readonly general: string[],
  ) {}

  /** Whether a path, or a folder above it, is ignored. */
  async ignores(path: string, isFolder: boolean): Promise<boolean> {
    const parts = path.split("/");
    for (let count = 1; count < parts.length; count++) {
      if (await this.matches(parts.slice(0, count).join("/"), true)) return true;
    }
    return await this.matches(path, isFolder);
  }

  /** Whether the rules name this path itself; for a walk that has asked for the folders above already. */
  async matches(path: string, isFolder: boolean): Promise<boolean> {
    const key = isFolder ? path + "/" : path;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = await this.#decide(path, isFolder);
    this.#known.set(key, found);
    return found;
  }

  async #decide(path: string, isFolder: boolean): Promise<boolean> {
    for (let folder = parent(path);; folder = parent(folder)) {
      const rule = findLast(await this.#rules(folder), path, isFolder);
      if (rule) return !rule.negated;
      if (folder === "") break;
    }
    const rule = findLast(this.#generalRules(), path, isFolder);
    return rule !== undefined && !rule.negated;
  }

  async #rules(folder: string): Promise<Rule[]> {
    const known = this.#folders.get(folder);
    if (known) return known;
    const text = await this.read(folder === "" ? ".gitignore" : `${folder}/.gitignore`);
    const rules = text === undefined ? [] : parseRules(text, folder === "" ? "" : folder + "/");
    this.#folders.set(folder, rules);
    return rules;
  }

  #parsed: Rule[] | undefined;

  #generalRules(): Rule[] {
    return this.#parsed ??= this.general.flatMap((text) => parseRules(text, ""));
  }
}

function parent(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function findLast(rules: Rule[], path: string, isFolder: boolean): Rule | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return rules.findLast(({ base, matches, anywhere, foldersOnly }) =>
    (isFolder || !foldersOnly) && matches.test(anywhere ? name : path.slice(base.length))
  );
}

export function parseRules(text: string, base: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.replace(/^\ufeff/, "").split("\n").slice(0, RULES)) {
    let pattern = line.replace(/\r$/, "").replace(/(?<!\\)[ \t]+$/, "");
    if (pattern === "" || pattern.startsWith("#")) continue;
    const negated = pattern.startsWith("!");
    if (negated) pattern = pattern.slice(1);
    const foldersOnly = pattern.endsWith("/");
    if (foldersOnly) pattern = pattern.slice(0, -1);
    const anywhere = !pattern.includes("/");
    pattern = pattern.replace(/^\//, "");
    if (pattern === "") continue;
    rules.push({ base, matches: globToRegExp(pattern), anywhere, foldersOnly, negated });
  }
  return rules;
}
