/** A few files that never change, from memory. */

import {
  FileError,
  type Kind,
  type OpenFile,
  type OpenMode,
  readOnly,
  ReadOnlyFiles,
  type Stat,
} from "../../../fs/files.ts";

export class FixedFiles extends ReadOnlyFiles {
  readonly #files: Map<string, Uint8Array>;
  readonly #folders = new Map<string, Map<string, Kind>>([["", new Map()]]);

  /** By their paths, without a slash in front. */
  constructor(files: Record<string, Uint8Array>) {
    super();
    this.#files = new Map(Object.entries(files));
    for (const path of this.#files.keys()) this.#enter(path, "file");
  }

  lstat(path: string): Stat {
    const data = this.#files.get(clean(path));
    if (!data && !this.#folders.has(clean(path))) {
      throw new FileError("ENOENT", path);
    }
    return statOf(data);
  }

  list(path: string): { name: string; kind: Kind }[] {
    if (this.#files.has(clean(path))) throw new FileError("ENOTDIR", path);
    const folder = this.#folders.get(clean(path));
    if (!folder) throw new FileError("ENOENT", path);
    return Array.from(folder, ([name, kind]) => ({ name, kind }));
  }

  open(path: string, mode: OpenMode): OpenFile {
    if (mode.write || mode.create) throw new FileError("EROFS", path);
    const data = this.#files.get(clean(path));
    if (!data) {
      throw new FileError(
        this.#folders.has(clean(path)) ? "EISDIR" : "ENOENT",
        path,
      );
    }
    return readOnly(path, {
      stat: () => statOf(data),
      read(into, position) {
        const part = data.subarray(position, position + into.length);
        into.set(part);
        return part.length;
      },
    });
  }

  #enter(path: string, kind: Kind): void {
    const cut = path.lastIndexOf("/");
    const place = path.slice(0, Math.max(0, cut));
    if (!this.#folders.has(place)) {
      this.#folders.set(place, new Map());
      this.#enter(place, "directory");
    }
    this.#folders.get(place)?.set(path.slice(cut + 1), kind);
  }
}

function clean(path: string): string {
  return path.replace(/^\/+/, "");
}

function statOf(data: Uint8Array | undefined): Stat {
  const times = { mtime: 0, atime: 0, ino: 1, links: 1 };
  return data
    ? { kind: "file", mode: 0o444, size: data.length, ...times }
    : { kind: "directory", mode: 0o555, size: 0, ...times };
}
