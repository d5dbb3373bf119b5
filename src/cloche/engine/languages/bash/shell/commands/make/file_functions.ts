/** Functions of make for names of files. */
import { compilePattern } from "../../expansion/patterns.ts";
import type { MakeFunction } from "./functions.ts";
import type { Session } from "./session.ts";
import { directoryOf, fileOf, splitWords, suffixOf } from "./text.ts";

function forWords(change: (word: string, make: Session) => string | undefined): MakeFunction {
  return {
    least: 1,
    most: 1,
    run: (make, [text]) => splitWords(text).map((word) => change(word, make)).filter((word) => word).join(" "),
  };
}

const GLOB = /[*?[]/;

export function hasGlob(name: string): boolean {
  return GLOB.test(name);
}

/** The files that a pattern of the shell names, sorted. */
export function expandWildcard(make: Session, pattern: string): string[] {
  const { files } = make.context;
  const home = make.context.env.HOME;
  const word = home !== undefined && /^~(\/|$)/.test(pattern) ? home + pattern.slice(1) : pattern;
  if (!hasGlob(word)) return files.exists(make.resolve(word)) ? [word] : [];
  let found = [word.startsWith("/") ? "/" : ""];
  const parts = word.split("/").filter((part, i, all) => part !== "" || i === all.length - 1);
  parts.forEach((part, i) => {
    const last = i === parts.length - 1;
    found = found.flatMap((base) => matchPart(make, base, part).map((name) => base + name + (last ? "" : "/")));
  });
  return found;
}

function matchPart(make: Session, base: string, part: string): string[] {
  const { files } = make.context;
  const folder = make.resolve(base === "" ? "." : base);
  if (part === "") return isFolder(make, folder) ? [""] : [];
  if (!hasGlob(part)) return files.exists(files.resolve(folder, part)) ? [part] : [];
  const pattern = compilePattern(part, { extglob: false });
  try {
    const names = files.list(folder).map(({ name }) => name);
    return names.filter((name) => (part.startsWith(".") || !name.startsWith(".")) && pattern.match(name)).sort();
  } catch {
    return [];
  }
}

function isFolder(make: Session, path: string): boolean {
  try {
    return make.context.files.stat(path).kind === "directory";
  } catch {
    return false;
  }
}

export const FILES: Record<string, MakeFunction> = {
  dir: forWords(directoryOf),
  notdir: forWords(fileOf),
  suffix: forWords(suffixOf),
  basename: forWords((word) => word.slice(0, word.length - suffixOf(word).length)),
  abspath: forWords((word, make) => make.resolve(word)),
  realpath: forWords((word, make) => {
    try {
      return make.context.files.realPath(make.resolve(word));
    } catch {
      return undefined;
    }
  }),
  wildcard: {
    least: 1,
    most: 1,
    run: (make, [text]) => splitWords(text).flatMap((word) => expandWildcard(make, word)).join(" "),
  },
  addsuffix: { least: 2, most: 2, run: (_, [end, text]) => splitWords(text).map((word) => word + end).join(" ") },
  addprefix: { least: 2, most: 2, run: (_, [start, text]) => splitWords(text).map((word) => start + word).join(" ") },
};
