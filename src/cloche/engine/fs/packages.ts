/** All installed packages as one read-only folder: a tree of names over their zip files. */

import { FileError, type Kind, type OpenFile, type OpenMode, readOnly, ReadOnlyFiles, type Stat } from "./files.ts";
import { type Blob, listZip } from "./zip.ts";

/** Where Python's packages are, for every language. */
export const PACKAGES = "/opt/packages";

/** Where the packages of the other languages are, each language in its own folder. */
export const LIBRARIES = "/opt/languages";

const SECOND = 1000;
const LIBRARY = /^lib.*\.so(\.\d+)*$/;

export interface Package {
  name: string;
  version: string;
  /** The zip file, on the host. */
  path: string;
  /** Python if left out. */
  language?: string;
  /** Where its files are, relative to the folder of all packages. */
  at?: string;
}

export interface OpenBlob extends Blob {
  close(): void;
}

export interface PackageFile {
  kind: "file";
  blob: OpenBlob;
  start: number;
  size: number;
  ino: number;
}

export interface PackageFolder {
  kind: "directory";
  children: Map<string, PackageEntry>;
  ino: number;
}

export type PackageEntry = PackageFile | PackageFolder;

export class PackageFiles extends ReadOnlyFiles {
  /** Changes whenever the packages do; every folder has it as its time, which Python checks. */
  changed = 0;
  /** The folders with shared libraries that native modules may need. */
  libraries: string[] = [];
  #root = newFolder(1);
  #blobs = new Map<string, OpenBlob>();
  #later: Package[];

  /**
   * The packages given here are read when they are first used. With `now`, files also have the time of the last change,
   * in whole seconds, which some languages check.
   */
  constructor(
    private readonly openBlob: (path: string) => OpenBlob,
    later: Package[] = [],
    private readonly born = 0,
  ) {
    super();
    this.changed = born;
    this.#later = later;
  }

  get root(): PackageFolder {
    if (this.#later.length > 0) this.set(this.#later, this.born);
    return this.#root;
  }

  /**
   * Sets the packages; if two have the same file, the later one's is visible. If one is damaged, throws and changes
   * nothing. Returns the names of all files of each archive that is no longer used.
   */
  set(packages: Package[], time = Date.now()): string[][] {
    const before = this.#blobs;
    const blobs = new Map<string, OpenBlob>();
    const tree = new TreeBuilder();
    try {
      for (const { name, path, at = "" } of packages) {
        try {
          const blob = blobs.get(path) ?? before.get(path) ?? this.openBlob(path);
          blobs.set(path, blob);
          tree.add(blob, at);
        } catch (error) {
          throw new Error(`the package ${name} could not be read: ${error instanceof Error ? error.message : error}`);
        }
      }
    } catch (error) {
      closeAll(blobs, before);
      throw error;
    }
    this.#root = tree.root;
    this.libraries = [...tree.libraries];
    this.#blobs = blobs;
    this.#later = [];
    this.changed = time && Math.max(time, this.changed + (this.born ? SECOND : 1));
    const gone = [...before].filter(([path]) => !blobs.has(path));
    const names = gone.map(([, blob]) => listZip(blob).map(({ name }) => name));
    closeAll(before, blobs);
    return names;
  }

  find(path: string): PackageEntry | undefined {
    let entry: PackageEntry = this.root;
    for (const name of path.split("/")) {
      if (name === "") continue;
      const next: PackageEntry | undefined = entry.kind === "directory" ? entry.children.get(name) : undefined;
      if (!next) return undefined;
      entry = next;
    }
    return entry;
  }

  lstat(path: string): Stat {
    return this.statOf(this.#entry(path));
  }

  statOf(entry: PackageEntry): Stat {
    const time = this.changed;
    if (entry.kind === "directory") {
      return { kind: "directory", mode: 0o555, size: 0, mtime: time, atime: time, ino: entry.ino, links: 1 };
    }
    const own = this.born && time;
    return { kind: "file", mode: 0o444, size: entry.size, mtime: own, atime: own, ino: entry.ino, links: 1 };
  }

  list(path: string): { name: string; kind: Kind }[] {
    const entry = this.#entry(path);
    if (entry.kind !== "directory") throw new FileError("ENOTDIR", path);
    return Array.from(entry.children, ([name, { kind }]) => ({ name, kind }));
  }

  open(path: string, mode: OpenMode): OpenFile {
    if (mode.write || mode.create) throw new FileError("EROFS", path);
    const entry = this.#entry(path);
    if (entry.kind === "directory") throw new FileError("EISDIR", path);
    return readOnly(path, {
      stat: () => this.statOf(entry),
      read: (into, position) => readEntry(entry, into, position),
    });
  }

  #entry(path: string): PackageEntry {
    let entry: PackageEntry | undefined;
    try {
      entry = this.find(path);
    } catch (error) {
      // Read for the first time, and damaged.
      const failure = new FileError("EIO", path);
      failure.message += `: ${error instanceof Error ? error.message : error}`;
      throw failure;
    }
    if (!entry) throw new FileError("ENOENT", path);
    return entry;
  }
}

/** Reads from one file; 0 at its end. A package that was removed meanwhile cannot be read any more. */
export function readEntry(entry: PackageFile, into: Uint8Array, position: number): number {
  const count = Math.max(0, Math.min(into.length, entry.size - position));
  try {
    if (count > 0) entry.blob.read(count === into.length ? into : into.subarray(0, count), entry.start + position);
  } catch {
    throw new FileError("EIO");
  }
  return count;
}

class TreeBuilder {
  readonly root = newFolder(1);
  readonly libraries = new Set<string>();
  readonly #folders = new Map<string, PackageFolder>([["", this.root]]);
  #last = 1;

  add(blob: OpenBlob, at: string): void {
    for (const { name: inside, size, start } of listZip(blob)) {
      const name = at === "" ? inside : `${at}/${inside}`;
      const cut = name.lastIndexOf("/");
      const place = cut < 0 ? "" : name.slice(0, cut);
      const folder = this.#folder(place);
      const own = name.slice(cut + 1);
      if (LIBRARY.test(own)) this.libraries.add(place);
      if (own !== "") folder.children.set(own, { kind: "file", blob, start, size, ino: ++this.#last });
    }
  }

  #folder(path: string): PackageFolder {
    const known = this.#folders.get(path);
    if (known) return known;
    const cut = path.lastIndexOf("/");
    const folder = newFolder(++this.#last);
    this.#folders.set(path, folder);
    this.#folder(cut < 0 ? "" : path.slice(0, cut)).children.set(path.slice(cut + 1), folder);
    return folder;
  }
}

function newFolder(ino: number): PackageFolder {
  return { kind: "directory", children: new Map(), ino };
}

function closeAll(blobs: Map<string, OpenBlob>, kept: Map<string, OpenBlob>): void {
  for (const [path, blob] of blobs) if (!kept.has(path)) blob.close();
}
