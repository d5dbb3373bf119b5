/** The files that `node --test` runs. */

import type { Tree } from "../../fs/tree.ts";
import { absolutePath } from "./modules/resolve.ts";

const MOST = 20_000;

/** The files that the words mean, or without words those whose names say that they are tests; a string says what is missing. */
export function findTestFiles(
  tree: Tree,
  cwd: string,
  words: string[],
  typed: boolean,
): string[] | string {
  const source = typed ? "[cm]?[jt]s" : "[cm]?js";
  const named = new RegExp(
    `(^|/)(test|test-[^/]*|[^/]*[._-]test)\\.${source}$|(^|/)test/.*\\.${source}$`,
  );
  const inside = (folder: string, fits: RegExp) =>
    listFiles(tree, folder).filter((path) => fits.test(path.slice(folder.length + (folder === "/" ? 0 : 1))));
  if (words.length === 0) return inside(cwd, named);
  const found = new Set<string>();
  for (const word of words) {
    const path = absolutePath(cwd, word);
    const kind = kindOf(tree, path);
    const files = kind === "file"
      ? [path]
      : kind === "directory"
      ? inside(path, new RegExp(`\\.${source}$`)).filter((each) => named.test(each.slice(cwd.length)))
      : /[*?[{]/.test(word)
      ? matchGlob(tree, path)
      : [];
    if (files.length === 0) return `Could not find '${path}'`;
    for (const each of files) found.add(each);
  }
  return [...found];
}

/** Looks only below the folders that the pattern names. */
function matchGlob(tree: Tree, glob: string): string[] {
  const folder = glob.slice(0, glob.search(/[^/]*[*?[{]/)).replace(/\/$/, "") ||
    "/";
  const fits = new RegExp(`^${translateGlob(glob)}$`);
  return kindOf(tree, folder) === "directory" ? listFiles(tree, folder).filter((path) => fits.test(path)) : [];
}

function kindOf(tree: Tree, path: string): string {
  try {
    return tree.stat(path).kind;
  } catch {
    return "";
  }
}

function listFiles(tree: Tree, folder: string): string[] {
  const files: string[] = [];
  const folders = [folder];
  for (let at = 0; at < folders.length && files.length < MOST; at++) {
    for (const { name, kind } of tree.list(folders[at])) {
      const path = `${folders[at] === "/" ? "" : folders[at]}/${name}`;
      if (kind === "file") files.push(path);
      else if (
        kind === "directory" && name !== "node_modules" && !name.startsWith(".")
      ) folders.push(path);
    }
  }
  return files.sort();
}

/** A pattern of the shell, with `**` for any folders, as a regular expression. */
export function translateGlob(glob: string): string {
  let depth = 0;
  return glob.replace(/\*\*\/|\*\*|[*?{},]|[.+^$()|\\]/g, (found) => {
    if (found === "**/") return "(?:.*/)?";
    if (found === "**") return ".*";
    if (found === "*") return "[^/]*";
    if (found === "?") return "[^/]";
    if (found === "{") return depth++, "(?:";
    if (found === "}" && depth > 0) return depth--, ")";
    if (found === "," && depth > 0) return "|";
    return found === "," ? found : `\\${found}`;
  });
}
