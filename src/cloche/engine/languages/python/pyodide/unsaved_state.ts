/** Finds state of a running Python that is not in its memory, which saving would lose. */

import type { PyodideModule } from "./types.ts";

/** Standard input, output and error, which every Python has. */
const STANDARD = 3;
const NAMED = 3;

/** Why this memory alone is not enough to continue from; null if it is. */
export function outsideOf(module: PyodideModule): string | null {
  const libraries = Object.keys(module.LDSO.loadedLibsByName).filter((name) => name !== "__main__");
  if (libraries.length > 0) return `native modules are loaded (${list(libraries.map(moduleName))})`;
  const files = module.FS.streams.filter((stream, fd) => stream && fd >= STANDARD).map((stream) => `${stream?.path}`);
  if (files.length > 0) return `files are open (${list(files)}); close them first`;
  return null;
}

function moduleName(path: string): string {
  return path.split("/").pop()?.split(".")[0] ?? path;
}

function list(names: string[]): string {
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : "";
  return names.slice(0, NAMED).join(", ") + more;
}
