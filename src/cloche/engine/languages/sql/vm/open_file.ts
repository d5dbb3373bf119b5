/** One file that SQLite has open: created when it is first written, and reopened if it was replaced. */

import { FileError, type OpenFile } from "../../../fs/files.ts";
import type { Tree } from "../../../fs/tree.ts";
import type { Holder } from "./locks.ts";

/** Where SQLite checks whether its copies of pages are still valid. */
const VERSION = { at: 24, size: 16 };
const READ = { read: true, write: false, create: false, exclusive: false, truncate: false };

export class DatabaseFile implements Holder {
  level = 0;
  #file: OpenFile | undefined;
  #ino = 0;
  #replaced = false;

  constructor(
    private readonly tree: Tree,
    readonly path: string,
    private readonly writable: boolean,
    create: boolean,
    private readonly temporary: boolean,
  ) {
    this.look();
    if (this.#file) return;
    const folder = path.slice(0, path.lastIndexOf("/")) || "/";
    if (!create || tree.stat(folder).kind !== "directory" || !tree.covers(path)) throw new FileError("ENOENT", path);
  }

  /** Checks whether the file is still the one that was opened. */
  look(): void {
    const ino = this.#find();
    if (this.#file && ino === this.#ino) return;
    this.#file?.close();
    this.#file = ino === undefined ? undefined : this.tree.open(this.path, { ...READ, write: this.writable });
    this.#ino = ino ?? 0;
    this.#replaced = true;
  }

  /** Bytes beyond the end are not touched; returns how many were read. */
  read(into: Uint8Array, position: number): number {
    let done = 0;
    while (this.#file && done < into.length) {
      const count = this.#file.read(into.subarray(done), position + done);
      if (count === 0) break;
      done += count;
    }
    // Another file may have the same change counter: make it look different once.
    if (this.#replaced && position === VERSION.at && into.length === VERSION.size) {
      this.#replaced = false;
      for (const [index, byte] of into.entries()) into[index] = ~byte;
    }
    return done;
  }

  write(from: Uint8Array, position: number): void {
    const file = this.#file ?? this.#make();
    for (let done = 0; done < from.length;) done += file.write(from.subarray(done), position + done);
  }

  truncate(size: number): void {
    if (this.#file || size > 0) (this.#file ?? this.#make()).truncate(size);
  }

  get size(): number {
    return this.#file?.stat().size ?? 0;
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
    if (this.temporary && this.#find() !== undefined) this.tree.removeFile(this.path);
  }

  #make(): OpenFile {
    this.#file = this.tree.open(this.path, { ...READ, write: true, create: true });
    this.#ino = this.#file.stat().ino;
    return this.#file;
  }

  #find(): number | undefined {
    try {
      const { kind, ino } = this.tree.stat(this.path);
      if (kind === "directory") throw new FileError("EISDIR", this.path);
      return ino;
    } catch (error) {
      if (error instanceof FileError && error.code === "ENOENT") return undefined;
      throw error;
    }
  }
}
