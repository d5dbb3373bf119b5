/** One folder of the host with its rules: read-only or not, and the quota. Paths are relative to the folder. */

import { FileError, type Files, type Folder, type Kind, type OpenFile, type OpenMode, type Stat } from "./files.ts";
import type { Quota } from "./quota.ts";

export class FolderFiles {
  constructor(readonly folder: Folder, private readonly files: Files, private readonly quota: Quota) {}

  lstat(path: string): Stat {
    return this.files.lstat(this.#host(path));
  }

  list(path: string): { name: string; kind: Kind }[] {
    return this.files.list(this.#host(path));
  }

  readLink(path: string): string {
    return this.files.readLink(this.#host(path));
  }

  makeLink(target: string, path: string): void {
    const host = this.#writable(path);
    this.quota.make(() => this.files.makeLink(target, host));
  }

  hardLink(from: string, to: string): void {
    const [source, sink] = [this.#host(from), this.#writable(to)];
    this.quota.make(() => this.files.hardLink(source, sink));
  }

  /** `seen` is what was there a moment ago. */
  open(path: string, mode: OpenMode, permissions?: number, seen?: Stat): OpenFile {
    const host = mode.write || mode.create || mode.truncate ? this.#writable(path) : this.#host(path);
    const before = seen ?? this.#find(host);
    // Opening a pipe would wait for its other end; the guest must not open devices.
    if (before?.kind === "other") throw new FileError("EACCES");
    const open = () => this.files.open(host, mode, permissions);
    const file = before === undefined && mode.create ? this.quota.make(open) : open();
    if (mode.truncate && before?.kind === "file") this.quota.take(-before.size);
    return this.folder.readOnly ? file : new CountedFile(file, this.quota);
  }

  makeDirectory(path: string, permissions?: number): void {
    const host = this.#writable(path);
    this.quota.make(() => this.files.makeDirectory(host, permissions));
  }

  removeFile(path: string): void {
    const host = this.#writable(path);
    const freed = this.#freed(this.#find(host));
    this.files.removeFile(host);
    this.quota.take(-freed);
    this.quota.removed();
  }

  removeDirectory(path: string): void {
    if (path === "") throw new FileError("EBUSY");
    this.files.removeDirectory(this.#writable(path));
    this.quota.removed();
  }

  rename(from: string, to: string): void {
    if (from === "" || to === "") throw new FileError("EBUSY");
    const [source, sink] = [this.#writable(from), this.#writable(to)];
    const replaced = this.#find(sink);
    const same = replaced !== undefined && replaced.ino === this.#find(source)?.ino;
    this.files.rename(source, sink);
    if (same) return;
    this.quota.take(-this.#freed(replaced));
    if (replaced) this.quota.removed();
  }

  chmod(path: string, permissions: number): void {
    this.files.chmod(this.#notLink(path), permissions);
  }

  setTimes(path: string, atime: number, mtime: number): void {
    this.files.setTimes(this.#notLink(path), atime, mtime);
  }

  truncate(path: string, size: number): void {
    const host = this.#writable(path);
    const growth = size - this.files.lstat(host).size;
    counted(this.quota, growth, () => this.files.truncate(host, size));
  }

  #host(path: string): string {
    return path === "" ? this.folder.host : `${this.folder.host}/${path}`;
  }

  #writable(path: string): string {
    if (this.folder.readOnly) throw new FileError("EROFS");
    return this.#host(path);
  }

  /** The host would follow a link wherever it leads. */
  #notLink(path: string): string {
    const host = this.#writable(path);
    if (this.files.lstat(host).kind === "link") throw new FileError("EPERM");
    return host;
  }

  #find(host: string): Stat | undefined {
    try {
      return this.files.lstat(host);
    } catch {
      return undefined;
    }
  }

  /** Bytes that are freed when this name is removed: those of a file without another name that is not open. */
  #freed(stat: Stat | undefined): number {
    return stat?.kind === "file" && stat.links <= 1 && !this.quota.keepsOpen(stat.ino) ? stat.size : 0;
  }
}

/** Runs an operation that makes a file grow or shrink; if it fails, nothing is counted. */
function counted<T>(quota: Quota, growth: number, act: () => T): T {
  quota.take(Math.max(0, growth));
  try {
    const result = act();
    quota.take(Math.min(0, growth));
    return result;
  } catch (error) {
    quota.take(-Math.max(0, growth));
    throw error;
  }
}

class CountedFile implements OpenFile {
  readonly #ino: number;

  constructor(private readonly file: OpenFile, private readonly quota: Quota) {
    this.#ino = file.stat().ino;
    quota.opened(this.#ino);
  }

  stat(): Stat {
    return this.file.stat();
  }

  read(into: Uint8Array, position: number): number {
    return this.file.read(into, position);
  }

  write(from: Uint8Array, position: number): number {
    const growth = Math.max(0, position + from.length - this.file.stat().size);
    return counted(this.quota, growth, () => this.file.write(from, position));
  }

  truncate(size: number): void {
    counted(this.quota, size - this.file.stat().size, () => this.file.truncate(size));
  }

  sync(): void {
    this.file.sync();
  }

  close(): void {
    const last = this.quota.closed(this.#ino) ? this.file.stat() : undefined;
    this.file.close();
    if (last?.links === 0) this.quota.take(-last.size);
  }
}
