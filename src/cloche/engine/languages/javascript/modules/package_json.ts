/** Reads package.json: which file a name refers to, by its `exports`, `imports` and `main`. */

import type { Tree } from "../../../fs/tree.ts";

export interface Package {
  folder: string;
  name?: string;
  type?: string;
  main?: string;
  module?: string;
  browser?: unknown;
  exports?: unknown;
  imports?: unknown;
}

export type Mode = "import" | "require";

const MOST_BYTES = 1 << 20;

/** The package.json of a folder; undefined if there is none that can be read. */
export function readPackage(tree: Tree, folder: string): Package | undefined {
  try {
    const path = `${folder === "/" ? "" : folder}/package.json`;
    if (tree.stat(path).size > MOST_BYTES) return undefined;
    const data: unknown = JSON.parse(new TextDecoder().decode(tree.readFile(path)));
    if (typeof data !== "object" || data === null) return undefined;
    const known = data as Record<string, unknown>;
    const texts = ["name", "type", "main", "module"].filter((key) => typeof known[key] === "string");
    const { exports, imports, browser } = known;
    return { folder, exports, imports, browser, ...Object.fromEntries(texts.map((key) => [key, known[key]])) };
  } catch {
    return undefined;
  }
}

/** The file that `exports` names for a subpath, `.` or `./x`; null if it hides it. */
export function findExport(exports: unknown, subpath: string, mode: Mode): string | null {
  const plain = typeof exports === "string" || Array.isArray(exports) || isMap(exports) && !isTable(exports);
  if (plain) return subpath === "." ? target(exports, "", mode) : null;
  return isMap(exports) ? lookUp(exports, subpath, mode) : null;
}

/** The same for `imports`, whose names begin with `#`. */
export function findImport(imports: unknown, name: string, mode: Mode): string | null {
  return isMap(imports) ? lookUp(imports, name, mode) : null;
}

function lookUp(table: Record<string, unknown>, name: string, mode: Mode): string | null {
  if (Object.hasOwn(table, name) && !name.includes("*")) return target(table[name], "", mode);
  const patterns = Object.keys(table).filter((key) => key.includes("*"))
    .toSorted((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length);
  for (const key of patterns) {
    const [before, after] = key.split("*");
    if (name.length < key.length || !name.startsWith(before) || !name.endsWith(after)) continue;
    return target(table[key], name.slice(before.length, name.length - after.length), mode);
  }
  return null;
}

function target(value: unknown, star: string, mode: Mode): string | null {
  if (typeof value === "string") return value.replaceAll("*", star);
  if (Array.isArray(value)) {
    for (const each of value) {
      const found = target(each, star, mode);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isMap(value)) return null;
  for (const [condition, each] of Object.entries(value)) {
    if (!["node", "default", mode].includes(condition)) continue;
    const found = target(each, star, mode);
    if (found !== null) return found;
  }
  return null;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTable(value: Record<string, unknown>): boolean {
  return Object.keys(value).some((key) => key.startsWith("."));
}
