/** Where installed gems have their files. */

import type { Tree } from "../../fs/tree.ts";

const GEMS = "/opt/languages/ruby";
const SAFE = /^[\w.+-]+(?:\/[\w.+-]+)*$/;

/** The folders that belong onto the load path. */
export function gemPaths(tree: Tree): string[] {
  if (!tree.exists(GEMS)) return [];
  return tree.list(GEMS).filter(({ kind }) => kind === "directory").flatMap(({ name }) => {
    return requirePaths(tree, `${GEMS}/${name}`).map((path) => `${GEMS}/${name}/${path}`);
  });
}

function requirePaths(tree: Tree, folder: string): string[] {
  try {
    const facts = JSON.parse(new TextDecoder().decode(tree.readFile(`${folder}/cloche.json`)));
    const paths: unknown = facts?.require_paths;
    return Array.isArray(paths) ? paths.filter((path) => typeof path === "string" && SAFE.test(path)) : ["lib"];
  } catch {
    return ["lib"];
  }
}
