/** Pathspecs: which paths of a repository a user means. */
import { GitError } from "../options.ts";
import { globToRegExp, isGlob } from "./glob.ts";
import type { Repo } from "./repository.ts";

interface Spec {
  given: string;
  /** The path, for what lies at it or below. */
  path: string;
  glob: RegExp | undefined;
  exclude: boolean;
}

export class Pathspec {
  readonly #specs: Spec[];
  readonly #used = new Set<Spec>();

  constructor(repo: Repo, names: string[]) {
    this.#specs = names.map((given) => parse(repo, given));
  }

  /** Whether nothing was named, so that everything is meant. */
  get empty(): boolean {
    return this.#specs.length === 0;
  }

  matches(path: string): boolean {
    if (this.#specs.some((spec) => spec.exclude && fits(spec, path))) return false;
    const wanted = this.#specs.filter((spec) => !spec.exclude);
    const found = wanted.filter((spec) => fits(spec, path));
    for (const spec of found) this.#used.add(spec);
    return found.length > 0 || wanted.length === 0;
  }

  /** Whether something below a folder may match. */
  mayHold(folder: string): boolean {
    const wanted = this.#specs.filter((spec) => !spec.exclude);
    if (wanted.length === 0 || folder === "") return true;
    return wanted.some((spec) =>
      spec.glob !== undefined || spec.path === "" || spec.path === folder || spec.path.startsWith(folder + "/") ||
      folder.startsWith(spec.path + "/")
    );
  }

  /** Whether a path was named itself, not by a wildcard or a folder. */
  names(path: string): boolean {
    return this.#specs.some((spec) => spec.path === path);
  }

  /** What was named but never met. */
  get unused(): string[] {
    return this.#specs.filter((spec) => !spec.exclude && !this.#used.has(spec)).map((spec) => spec.given);
  }

  /** Complains as git does when something that was named is not there. */
  checkUsed(): void {
    const [name] = this.unused;
    if (name !== undefined) throw new GitError(`pathspec '${name}' did not match any files`);
  }
}

function parse(repo: Repo, given: string): Spec {
  const magic = given.match(/^:\(([a-z,]+)\)|^:([/!^]+)/);
  const words = magic?.[1]?.split(",") ?? [];
  const unknown = words.find((word) => !["top", "exclude", "literal", "glob"].includes(word));
  if (unknown !== undefined) throw new GitError(`Invalid pathspec magic '${unknown}' in '${given}'`);
  const text = given.slice(magic?.[0].length ?? 0);
  const top = words.includes("top") || (magic?.[2] ?? "").includes("/");
  const path = top ? text.replace(/^\/+|\/+$/g, "") : repo.locate(text === "" ? "." : text);
  const glob = isGlob(text) && !words.includes("literal") ? globToRegExp(path, !words.includes("glob")) : undefined;
  return { given, path, glob, exclude: words.includes("exclude") || /[!^]/.test(magic?.[2] ?? "") };
}

function fits({ path, glob }: Spec, candidate: string): boolean {
  if (path === "" || candidate === path || candidate.startsWith(path + "/")) return true;
  if (!glob) return false;
  if (glob.test(candidate)) return true;
  // A pattern may name a folder above.
  for (let at = candidate.indexOf("/"); at > 0; at = candidate.indexOf("/", at + 1)) {
    if (glob.test(candidate.slice(0, at))) return true;
  }
  return false;
}
