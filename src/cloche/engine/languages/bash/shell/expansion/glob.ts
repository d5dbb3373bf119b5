/** File names that match a pattern. */
import { ExpansionError, type Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import type { Task } from "../task.ts";
import type { Field } from "./fields.ts";
import { localeOf } from "./locale.ts";
import { compilePattern } from "./patterns.ts";

const PATTERN = /[*?[]|[+@!]\(/;

interface Options {
  nocase: boolean;
  dots: boolean;
  star: boolean;
  extglob: boolean;
  /** Whether `.` and `..` are found too. */
  selves: boolean;
}

/** The names that match, sorted; without any, the text itself or what the options say. */
export function* expandGlob(shell: Interpreter, { text, escaped }: Field): Task<string[]> {
  const { shopt } = shell.state;
  const ignored = readVariable(shell, "GLOBIGNORE");
  const options: Options = {
    nocase: shopt.has("nocaseglob"),
    dots: shopt.has("dotglob") || ignored !== undefined && ignored !== "",
    star: shopt.has("globstar"),
    extglob: shopt.has("extglob"),
    selves: !shopt.has("globskipdots") && !ignored,
  };
  let names = yield* walk(shell, escaped, options);
  if (ignored) names = ignore(names, ignored);
  if (names.length > 0) return names.sort(compare);
  if (shopt.has("failglob")) throw new ExpansionError(`no match: ${text}`, false);
  return shopt.has("nullglob") ? [] : [text];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function ignore(names: string[], patterns: string): string[] {
  const all = splitPatterns(patterns).map((pattern) => pattern.split("/").map((part) => compilePattern(part)));
  return names.filter((name) => {
    const parts = name.split("/");
    return !/(^|\/)\.\.?$/.test(name) &&
      !all.some((each) => each.length === parts.length && each.every((matcher, i) => matcher.match(parts[i])));
  });
}

/** At colons that are in no set. */
function splitPatterns(patterns: string): string[] {
  return patterns.match(/(?:\[(?:\[:\w+:\]|[^\]])+\]|\\.|[^:])+/g) ?? [];
}

function* walk(shell: Interpreter, pattern: string, options: Options): Task<string[]> {
  const segments = splitSegments(pattern);
  let found = [pattern.startsWith("/") ? "/" : ""];
  // `a/**` lists `a/` itself, but not where several folders could stand before the stars.
  const slashed = !PATTERN.test(segments.slice(0, -1).join("/"));
  const parts = segments.filter((segment, i) =>
    segment !== "" && !(options.star && segment === "**" && segments[i + 1] === "**")
  );
  for (const [i, segment] of parts.entries()) {
    const last = i === parts.length - 1;
    const folders = !last || pattern.endsWith("/");
    const next: string[] = [];
    for (const base of found) {
      yield* shell.attend();
      if (segment === "**" && options.star) descend(shell, base, folders, options, next, last, slashed);
      else matchSegment(shell, base, segment, folders, options, next);
    }
    found = next;
  }
  return pattern.endsWith("/") ? found.map((name) => name.endsWith("/") ? name : `${name}/`) : found;
}

/** At slashes outside of brackets and groups. */
function splitSegments(pattern: string): string[] {
  const segments = [""];
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") {
      if (pattern[at + 1] !== "/") segments[segments.length - 1] += char;
      else at--;
      at++;
      if (pattern[at] === "/") segments.push("");
      else segments[segments.length - 1] += pattern[at] ?? "";
      continue;
    }
    if (char === "(" && "?*+@!".includes(pattern[at - 1] ?? " ")) depth++;
    else if (char === ")" && depth > 0) depth--;
    if (char === "/" && depth === 0) segments.push("");
    else segments[segments.length - 1] += char;
  }
  return segments;
}

type Listed = ReturnType<Interpreter["files"]["list"]>[number];

function list(shell: Interpreter, folder: string) {
  try {
    return shell.files.list(shell.resolve(folder === "" ? "." : folder));
  } catch {
    return [];
  }
}

function matchSegment(
  shell: Interpreter,
  base: string,
  segment: string,
  folders: boolean,
  options: Options,
  into: string[],
): void {
  if (!PATTERN.test(segment.replace(/\\[^]/g, ""))) {
    const name = base + (base === "" || base.endsWith("/") ? "" : "/") + segment.replace(/\\([^])/g, "$1");
    if (exists(shell, name, folders)) into.push(name);
    return;
  }
  const { bytes, encode } = localeOf(shell);
  const matcher = compilePattern(encode(segment), { ...options, bytes });
  const hidden = /^\\?\./.test(segment);
  const dots: Listed[] = hidden && options.selves
    ? [{ name: ".", kind: "directory" }, { name: "..", kind: "directory" }]
    : [];
  for (const { name, kind } of [...dots, ...list(shell, base)]) {
    if (name.startsWith(".") && !hidden && !options.dots) continue;
    if (!matcher.match(encode(name))) continue;
    const path = joinPath(base, name);
    if (!folders || kind === "directory" || kind === "link" && exists(shell, path, true)) into.push(path);
  }
}

function joinPath(base: string, name: string): string {
  return base === "" ? name : base.endsWith("/") ? base + name : `${base}/${name}`;
}

function exists(shell: Interpreter, path: string, folder: boolean): boolean {
  try {
    const whole = shell.resolve(path);
    return folder ? shell.files.stat(whole).kind === "directory" : shell.files.lstat(whole) !== undefined;
  } catch {
    return false;
  }
}

/** `**`: the folder itself and all below it. */
function descend(
  shell: Interpreter,
  base: string,
  folders: boolean,
  options: Options,
  into: string[],
  last: boolean,
  top = true,
): void {
  if (!last) into.push(base);
  else if (base !== "") into.push(top && !base.endsWith("/") ? `${base}/` : base);
  for (const { name, kind } of list(shell, base)) {
    if (name.startsWith(".") && !options.dots) continue;
    const path = joinPath(base, name);
    if (kind === "directory") descend(shell, path, folders, options, into, last, false);
    else if (!folders || last && kind === "link" && exists(shell, path, true)) into.push(path);
  }
}
