/** POSIX paths, as far as just-bash uses them. */

export const sep = "/";

export function normalize(path: string): string {
  const done: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === ".." && done.length > 0 && done.at(-1) !== "..") done.pop();
    else if (name !== ".." || !path.startsWith("/")) done.push(name);
  }
  return (path.startsWith("/") ? "/" : "") + done.join("/") || ".";
}

export function join(...parts: string[]): string {
  return normalize(parts.filter((part) => part !== "").join("/"));
}

export function resolve(...parts: string[]): string {
  const start = parts.findLastIndex((part) => part.startsWith("/"));
  return normalize("/" + parts.slice(Math.max(0, start)).join("/"));
}

export function dirname(path: string): string {
  const at = path.replace(/\/+$/, "").lastIndexOf("/");
  return at < 0 ? "." : path.slice(0, at) || "/";
}

export function basename(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

export function relative(from: string, to: string): string {
  const [source, target] = [resolve(from).split("/"), resolve(to).split("/")];
  const same = source.findIndex((name, index) => name !== target[index]);
  const shared = same < 0 ? source.length : same;
  return [...source.slice(shared).map(() => ".."), ...target.slice(shared)].join("/");
}
