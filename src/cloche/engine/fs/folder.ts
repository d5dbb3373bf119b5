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
    this.files.makeLink(target, this.#writable(path));
  }

  hardLink(from: string, to: string): void {
    this.files.hardLink(this.#host(from), this.#writable(to));
  }

  open(path: string, mode: OpenMode, permissions?: number): OpenFile {
    const host = mode.write || mode.create || mode.truncate ? this.#writable(path) : this.#host(path);
    const before = mode.truncate ? this.#size(host) : 0;
    const file = this.files.open(host, mode, permissions);
    this.quota.take(-before);
    return mode.write ? new CountedFile(file, this.quota) : file;
  }

  makeDirectory(path: string, permissions?: number): void {
    this.files.makeDirectory(this.#writable(path), permissions);
  }

  removeFile(path: string): void {
    const host = this.#writable(path);
    const size = this.#size(host);
    this.files.removeFile(host);
    this.quota.take(-size);
  }

  removeDirectory(path: string): void {
    if (path === "") throw new FileError("EBUSY");
    this.files.removeDirectory(this.#writable(path));
  }

  rename(from: string, to: string): void {
    if (from === "" || to === "") throw new FileError("EBUSY");
    const host = this.#writable(to);
    const replaced = this.#size(host);
    this.files.rename(this.#writable(from), host);
    this.quota.take(-replaced);
  }

  chmod(path: string, permissions: number): void {
    this.files.chmod(this.#writable(path), permissions);
  }

  setTimes(path: string, atime: number, mtime: number): void {
    this.files.setTimes(this.#writable(path), atime, mtime);
  }

  truncate(path: string, size: number): void {
    const host = this.#writable(path);
    const growth = size - this.#size(host);
    this.quota.take(growth);
    this.files.truncate(host, size);
  }

  #host(path: string): string {
    return path === "" ? this.folder.host : `${this.folder.host}/${path}`;
  }

  #writable(path: string): string {
    if (this.folder.readOnly) throw new FileError("EROFS");
    return this.#host(path);
  }

  /** Bytes that would be given back if the file went away: those of a regular file with no other name. */
  #size(host: string): number {
    try {
      const stat = this.files.lstat(host);
      return stat.kind === "file" && stat.links <= 1 ? stat.size : 0;
    } catch {
      return 0;
    }
  }
}

class CountedFile implements OpenFile {
  constructor(private readonly file: OpenFile, private readonly quota: Quota) {}

  stat(): Stat {
    return this.file.stat();
  }

  read(into: Uint8Array, position: number): number {
    return this.file.read(into, position);
  }

  write(from: Uint8Array, position: number): number {
    const growth = Math.max(0, position + from.length - this.file.stat().size);
    this.quota.take(growth);
    try {
      return this.file.write(from, position);
    } catch (error) {
      this.quota.take(-growth);
      throw error;
    }
  }

  truncate(size: number): void {
    this.quota.take(size - this.file.stat().size);
    this.file.truncate(size);
  }

  sync(): void {
    this.file.sync();
  }

  close(): void {
    this.file.close();
  }
}
