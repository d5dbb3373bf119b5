/** The guest's whole namespace: folders at their targets, directories above them, links resolved as the guest sees them. */

import { FileError, type Kind, type OpenFile, type OpenMode, type Stat } from "./files.ts";
import type { FolderFiles } from "./folder.ts";
import { FIXED_LIMITS } from "../limits.ts";

const READ: OpenMode = { read: true, write: false, create: false, exclusive: false, truncate: false };

/** Where a path ends: in a folder, with what the walk saw there, or at a directory that only contains folders. */
type Place = { folder: FolderFiles; path: string; seen?: Stat } | { above: string };

export class Tree {
  readonly #born = Date.now();

  constructor(private readonly folders: FolderFiles[]) {}

  /** Whether the path is in one of the folders, without resolving links. */
  covers(path: string): boolean {
    return !("above" in this.#at(path));
  }

  /** Whether it is in one of the folders or a directory above one; the root, which others share, does not count. */
  holds(path: string): boolean {
    return this.covers(path) || path !== "/" && this.#isAbove(path);
  }

  lstat(path: string): Stat {
    return this.#statPlace(this.#place(path, false));
  }

  stat(path: string): Stat {
    return this.#statPlace(this.#place(path, true));
  }

  exists(path: string): boolean {
    try {
      this.stat(path);
      return true;
    } catch {
      return false;
    }
  }

  list(path: string): { name: string; kind: Kind }[] {
    const place = this.#place(path, true);
    if (!("above" in place)) return withName(path, () => place.folder.list(place.path));
    const prefix = place.above === "/" ? "/" : place.above + "/";
    const names = this.#targets().filter((t) => t.startsWith(prefix)).map((t) => t.slice(prefix.length).split("/")[0]);
    return [...new Set(names)].map((name) => ({ name, kind: "directory" as const }));
  }

  realPath(path: string): string {
    const place = this.#place(path, true);
    this.#statPlace(place);
    return "above" in place ? place.above : joinPath(place.folder.folder.target, place.path);
  }

  readLink(path: string): string {
    return this.#inFolder(path, false, "EINVAL", (folder, rest) => folder.readLink(rest));
  }

  makeLink(target: string, path: string): void {
    this.#inFolder(path, false, "EACCES", (folder, rest) => folder.makeLink(target, rest));
  }

  hardLink(from: string, to: string): void {
    const [source, sink] = this.#pair(from, to);
    withName(from, () => source.folder.hardLink(source.path, sink.path));
  }

  open(path: string, mode: OpenMode, permissions?: number): OpenFile {
    return this.#inFolder(path, true, "EISDIR", (folder, rest, seen) => {
      if (rest === "" || seen?.kind === "directory") throw new FileError("EISDIR");
      return folder.open(rest, mode, permissions, seen);
    });
  }

  readFile(path: string): Uint8Array {
    const file = this.open(path, READ);
    try {
      const data = new Uint8Array(file.stat().size);
      let done = 0;
      while (done < data.length) {
        const count = file.read(data.subarray(done), done);
        if (count === 0) break;
        done += count;
      }
      return data.subarray(0, done);
    } finally {
      file.close();
    }
  }

  makeDirectory(path: string, permissions?: number): void {
    this.#inFolder(path, false, "EEXIST", (folder, rest) => {
      if (rest === "") throw new FileError("EEXIST");
      folder.makeDirectory(rest, permissions);
    });
  }

  removeFile(path: string): void {
    this.#inFolder(path, false, "EISDIR", (folder, rest) => folder.removeFile(rest));
  }

  removeDirectory(path: string): void {
    this.#inFolder(path, false, "EBUSY", (folder, rest) => folder.removeDirectory(rest));
  }

  rename(from: string, to: string): void {
    const [source, sink] = this.#pair(from, to);
    withName(from, () => source.folder.rename(source.path, sink.path));
  }

  chmod(path: string, permissions: number): void {
    this.#inFolder(path, true, "EPERM", (folder, rest) => folder.chmod(rest, permissions));
  }

  setTimes(path: string, atime: number, mtime: number): void {
    this.#inFolder(path, true, "EPERM", (folder, rest) => folder.setTimes(rest, atime, mtime));
  }

  #inFolder<T>(
    path: string,
    follow: boolean,
    above: FileError["code"],
    act: (folder: FolderFiles, rest: string, seen?: Stat) => T,
  ): T {
    const place = this.#place(path, follow);
    if ("above" in place) {
      throw new FileError(this.#isAbove(place.above) ? above : this.#missing(place.above), path);
    }
    return withName(path, () => act(place.folder, place.path, place.seen));
  }

  #pair(from: string, to: string): { folder: FolderFiles; path: string }[] {
    const [source, sink] = [this.#place(from, false), this.#place(to, false)];
    if ("above" in source) throw new FileError(this.#isAbove(source.above) ? "EBUSY" : "ENOENT", from);
    if ("above" in sink) throw new FileError(this.#isAbove(sink.above) ? "EEXIST" : this.#missing(sink.above), to);
    if (source.folder !== sink.folder) throw new FileError("EXDEV", to);
    return [source, sink];
  }

  #statPlace(place: Place): Stat {
    if (!("above" in place)) {
      if (place.seen) return place.seen;
      return withName(joinPath(place.folder.folder.target, place.path), () => place.folder.lstat(place.path));
    }
    if (!this.#isAbove(place.above)) throw new FileError("ENOENT", place.above);
    return { kind: "directory", mode: 0o40755, size: 4096, mtime: this.#born, atime: this.#born, ino: 1, links: 1 };
  }

  /** Walks the path component by component; links are followed in the guest's namespace, never by the host. */
  #place(path: string, followLast: boolean): Place {
    let rest = split(path);
    let done: string[] = [];
    let seen: Stat | undefined;
    let links = 0;
    while (rest.length > 0) {
      const name = rest[0];
      rest = rest.slice(1);
      seen = undefined;
      if (name === "..") {
        done.pop();
        continue;
      }
      const here = [...done, name];
      const place = this.#at("/" + here.join("/"));
      if (rest.length > 0 || followLast) seen = this.#look(place, rest.length > 0);
      if (seen?.kind !== "link" || "above" in place) {
        done = here;
        continue;
      }
      if (++links > FIXED_LIMITS.linksFollowed) throw new FileError("ELOOP", path);
      const target = place.folder.readLink(place.path);
      rest = [...split(target), ...rest];
      // The target may end where the link itself is, as "." does: then the link is not what was seen.
      seen = undefined;
      if (target.startsWith("/")) done = [];
    }
    const place = this.#at("/" + done.join("/"));
    return seen && !("above" in place) ? { ...place, seen } : place;
  }

  /** What is there; undefined for a folder itself, what is above one, and a missing name that nothing follows. */
  #look(place: Place, inside: boolean): Stat | undefined {
    if ("above" in place || place.path === "") return undefined;
    const path = () => joinPath(place.folder.folder.target, place.path);
    let seen: Stat;
    try {
      seen = place.folder.lstat(place.path);
    } catch (error) {
      if (error instanceof FileError && error.code === "ENOENT" && !inside) return undefined;
      throw error instanceof FileError ? new FileError(error.code, path()) : error;
    }
    if (inside && seen.kind !== "directory" && seen.kind !== "link") throw new FileError("ENOTDIR", path());
    return seen;
  }

  #at(path: string): Place {
    for (const folder of this.folders) {
      const target = folder.folder.target;
      if (path === target) return { folder, path: "" };
      if (path.startsWith(target + "/")) return { folder, path: path.slice(target.length + 1) };
    }
    return { above: path };
  }

  #isAbove(path: string): boolean {
    return path === "/" || this.#targets().some((target) => target.startsWith(path + "/"));
  }

  #missing(path: string): FileError["code"] {
    return this.#isAbove(path.slice(0, path.lastIndexOf("/")) || "/") ? "EACCES" : "ENOENT";
  }

  #targets(): string[] {
    return this.folders.map((folder) => folder.folder.target);
  }
}

/** Puts the guest's path into the error of an operation. */
function withName<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof FileError ? new FileError(error.code, path) : error;
  }
}

export function joinPath(target: string, path: string): string {
  return path === "" ? target : `${target}/${path}`;
}

function split(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}
