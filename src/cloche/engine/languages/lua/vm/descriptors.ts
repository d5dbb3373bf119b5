/** The kinds of open file descriptors. */

import { FileError, type OpenFile } from "../../../fs/files.ts";

const WHENCE = { start: 0, here: 1, end: 2 };

export interface Descriptor {
  read(into: Uint8Array): number;
  write(from: Uint8Array): number;
  /** Returns the new position. */
  seek(offset: number, whence: number): number;
  close(): void;
}

/** A file of the guest's. */
export class TreeFile implements Descriptor {
  #at = 0;

  constructor(private readonly file: OpenFile, private readonly append: boolean) {}

  read(into: Uint8Array): number {
    const count = this.file.read(into, this.#at);
    this.#at += count;
    return count;
  }

  write(from: Uint8Array): number {
    if (this.append) this.#at = this.file.stat().size;
    const count = this.file.write(from, this.#at);
    this.#at += count;
    return count;
  }

  seek(offset: number, whence: number): number {
    const base = whence === WHENCE.start ? 0 : whence === WHENCE.here ? this.#at : this.file.stat().size;
    if (base + offset < 0) throw new FileError("EINVAL");
    return this.#at = base + offset;
  }

  close(): void {
    this.file.close();
  }
}

/** Something that bytes flow from or to, without a position. */
export class Flow implements Descriptor {
  constructor(
    readonly read: (into: Uint8Array) => number,
    readonly write: (from: Uint8Array) => number,
  ) {}

  seek(): number {
    throw new FileError("EPERM");
  }

  close(): void {}
}

export function unreadableDescriptor(): number {
  throw new FileError("EBADF");
}

/** Hands out bytes that are there already. */
export function readingDescriptor(data: Uint8Array): (into: Uint8Array) => number {
  let at = 0;
  return (into) => {
    const part = data.subarray(at, at + into.length);
    into.set(part);
    at += part.length;
    return part.length;
  };
}
