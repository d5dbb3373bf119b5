/** A read-only file system over one zip file whose entries are stored as they are: an index and one blob. */

import { FileError, type Files, type Kind, type OpenFile, type OpenMode, type Stat } from "./files.ts";

/** Reads bytes of the zip file. */
export interface Blob {
  readonly size: number;
  read(into: Uint8Array, position: number): void;
}

interface Entry {
  size: number;
  /** Where its local header starts; its data follows. */
  header: number;
}

const END_SIGNATURE = 0x06054b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const DAMAGED = "the archive is damaged or not a zip file";
const END_SIZE = 22;
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;

export class ArchiveFiles implements Files {
  readonly #files = new Map<string, Entry>();
  readonly #folders = new Map<string, Map<string, Kind>>([["", new Map()]]);
  #indexed = false;

  constructor(private readonly blob: Blob) {}

  lstat(path: string): Stat {
    const { files, folders } = this.#index();
    const entry = files.get(bare(path));
    if (entry) return stat("file", entry.size, entry.header);
    if (folders.has(bare(path))) return stat("directory", 0, 1);
    throw new FileError("ENOENT", path);
  }

  list(path: string): { name: string; kind: Kind }[] {
    const folder = this.#index().folders.get(bare(path));
    if (!folder) throw new FileError(this.#files.has(bare(path)) ? "ENOTDIR" : "ENOENT", path);
    return Array.from(folder, ([name, kind]) => ({ name, kind }));
  }

  open(path: string, mode: OpenMode): OpenFile {
    if (mode.write || mode.create) throw new FileError("EROFS", path);
    const entry = this.#index().files.get(bare(path));
    if (!entry) throw new FileError("ENOENT", path);
    const start = this.#dataOf(entry);
    const { blob } = this;
    return {
      stat: () => stat("file", entry.size, entry.header),
      read(into, position) {
        const count = Math.max(0, Math.min(into.length, entry.size - position));
        if (count > 0) blob.read(into.subarray(0, count), start + position);
        return count;
      },
      write: () => refuse(path),
      truncate: () => refuse(path),
      sync: () => {},
      close: () => {},
    };
  }

  readLink(path: string): string {
    throw new FileError("EINVAL", path);
  }

  makeLink(_: string, path: string): void {
    refuse(path);
  }

  hardLink(_: string, path: string): void {
    refuse(path);
  }

  makeDirectory(path: string): void {
    refuse(path);
  }

  removeFile(path: string): void {
    refuse(path);
  }

  removeDirectory(path: string): void {
    refuse(path);
  }

  rename(path: string): void {
    refuse(path);
  }

  chmod(path: string): void {
    refuse(path);
  }

  setTimes(path: string): void {
    refuse(path);
  }

  truncate(path: string): void {
    refuse(path);
  }

  /** Reads the central directory, once and not before somebody asks. */
  #index() {
    if (!this.#indexed) {
      const end = this.#view(this.blob.size - END_SIZE, END_SIZE);
      if (end.getUint32(0, true) !== END_SIGNATURE) throw new Error(DAMAGED);
      const count = end.getUint16(10, true);
      const directory = this.#view(end.getUint32(16, true), end.getUint32(12, true));
      let at = 0;
      for (let i = 0; i < count; i++) at = this.#enter(directory, at);
      this.#indexed = true;
    }
    return { files: this.#files, folders: this.#folders };
  }

  #enter(directory: DataView, at: number): number {
    if (directory.getUint32(at, true) !== CENTRAL_SIGNATURE) throw new Error(DAMAGED);
    const nameLength = directory.getUint16(at + 28, true);
    const skipped = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, at + CENTRAL_SIZE, nameLength));
    if (directory.getUint16(at + 10, true) !== 0) throw new Error(`${name} is compressed in the archive`);
    if (name.endsWith("/")) this.#folder(name.slice(0, -1));
    else {
      this.#files.set(name, { size: directory.getUint32(at + 20, true), header: directory.getUint32(at + 42, true) });
      this.#register(name, "file");
    }
    return at + CENTRAL_SIZE + nameLength + skipped;
  }

  #register(path: string, kind: Kind): void {
    const cut = path.lastIndexOf("/");
    this.#folder(path.slice(0, Math.max(cut, 0))).set(path.slice(cut + 1), kind);
  }

  #folder(path: string): Map<string, Kind> {
    let folder = this.#folders.get(path);
    if (!folder) {
      folder = new Map();
      this.#folders.set(path, folder);
      this.#register(path, "directory");
    }
    return folder;
  }

  #dataOf(entry: Entry): number {
    const local = this.#view(entry.header, LOCAL_SIZE);
    return entry.header + LOCAL_SIZE + local.getUint16(26, true) + local.getUint16(28, true);
  }

  #view(position: number, size: number): DataView {
    const data = new Uint8Array(size);
    this.blob.read(data, position);
    return new DataView(data.buffer);
  }
}

function bare(path: string): string {
  return path.replace(/^\/+/, "");
}

function refuse(path: string): never {
  throw new FileError("EROFS", path);
}

function stat(kind: Kind, size: number, ino: number): Stat {
  return { kind, mode: kind === "file" ? 0o444 : 0o555, size, mtime: 0, atime: 0, ino, links: 1 };
}
