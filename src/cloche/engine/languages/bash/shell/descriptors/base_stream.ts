/** What most streams refuse: each overrides what it can do. */
import { FileError, type Stat } from "../../../../fs/files.ts";
import type { Later } from "../task.ts";
import type { OpenStream, StreamKind } from "./stream.ts";

export abstract class BaseStream implements OpenStream {
  abstract readonly kind: StreamKind;
  /** Bytes that were given back. */
  protected returned: Uint8Array | undefined;

  constructor(readonly path: string | undefined) {}

  read(_most: number): Later<Uint8Array | undefined> {
    throw new FileError("EBADF", this.path);
  }

  write(_bytes: Uint8Array): Later<void> {
    throw new FileError("EBADF", this.path);
  }

  unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.returned === undefined) this.returned = bytes;
    else {
      const both = new Uint8Array(bytes.length + this.returned.length);
      both.set(bytes);
      both.set(this.returned, bytes.length);
      this.returned = both;
    }
  }

  /** Takes from what was given back; undefined if nothing was. */
  protected takeReturned(most: number): Uint8Array | undefined {
    const bytes = this.returned;
    if (bytes === undefined || bytes.length <= most) {
      this.returned = undefined;
      return bytes;
    }
    this.returned = bytes.subarray(most);
    return bytes.subarray(0, most);
  }

  ready(): boolean {
    return true;
  }

  seek(_offset: number, _from: "start" | "current" | "end"): number {
    throw new FileError("EINVAL", this.path);
  }

  stat(): Stat {
    return { kind: "other", mode: 0o20666, size: 0, mtime: 0, atime: 0, ino: 0, links: 1 };
  }

  truncate(_size: number): void {
    throw new FileError("EINVAL", this.path);
  }

  onBroken(_act: () => void): () => void {
    return () => {};
  }

  close(): void {}
}
