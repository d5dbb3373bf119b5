/** Paths in a workspace: names with slashes between them, "" is the workspace itself. */

export const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
export const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
export const joinPath = (folder: string, name: string) => (folder ? `${folder}/${name}` : name);
export const isBelow = (path: string, folder: string) => !folder || path === folder || path.startsWith(`${folder}/`);

/** The path after `from` was moved to `to`. */
export function movePath(path: string, from: string, to: string): string {
  return isBelow(path, from) ? to + path.slice(from.length) : path;
}

/** What one typed as a path: without slashes at its ends and doubled ones. */
export function cleanPath(typed: string): string {
  return typed.trim().replace(/^\/workspace(?=\/|$)/, "").split("/").filter((part) => part && part !== ".").join("/");
}
