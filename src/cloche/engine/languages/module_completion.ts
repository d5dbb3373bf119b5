/** Names of modules and files where code is about to load one, found in the folders that the language looks in. */

import type { Tree } from "../fs/tree.ts";

/** What may be inserted between `start` and `end` of the code. */
export interface Completion {
  matches: string[];
  start: number;
  end: number;
}

/** Where a language finds modules, and how they are named. */
export interface ModulePlaces {
  tree: Tree;
  roots: string[];
  /** The separator between folder and module in a name. */
  separator: string;
  /** Endings of modules, which names leave out. Without any, names are those of files. */
  endings: string[];
  /** The file that makes a folder a module. */
  index?: string;
}

const MOST = 200;
/** Entries of a folder that are looked at. */
const LOOKED_AT = 5000;
const NAME = /^[\w@][\w.@+-]*$/;

/** Completes the last part of a name; folders end in the separator. */
export function completeModule(places: ModulePlaces, name: string, cursor: number): Completion {
  const { separator } = places;
  const parts = name.split(separator);
  const word = parts.pop() ?? "";
  const found = places.roots.flatMap((root) => listModules(places, [root, ...parts].join("/")));
  return completionOf(found, word, cursor);
}

export function completionOf(names: Iterable<string>, word: string, cursor: number): Completion {
  const matches = [...new Set(names)].filter((name) => name.startsWith(word)).sort().slice(0, MOST);
  return { matches, start: cursor - word.length, end: cursor };
}

function listModules({ tree, separator, endings, index }: ModulePlaces, folder: string): string[] {
  return listFolder(tree, folder).flatMap(({ name, kind }) => {
    if (!NAME.test(name)) return [];
    if (kind === "directory") {
      const whole = index !== undefined && tree.exists(`${folder}/${name}/${index}`);
      return whole ? [name, `${name}${separator}`] : [`${name}${separator}`];
    }
    if (endings.length === 0) return [name];
    const ending = endings.find((each) => name.endsWith(each));
    return ending === undefined ? [] : [name.slice(0, -ending.length)];
  });
}

/** The contents of a folder; nothing if it is not a folder. */
export function listFolder(tree: Tree, folder: string): { name: string; kind: string }[] {
  try {
    return tree.list(folder).slice(0, LOOKED_AT);
  } catch {
    return [];
  }
}
