/** The open files of a program, by number. */

import { FileError, type Kind, type OpenFile, type Stat } from "../fs/files.ts";
import { FIXED_LIMITS } from "../limits.ts";
import { throwErrno } from "./errno.ts";

export const TYPE: Record<Kind | "device", number> = { other: 0, device: 2, directory: 3, file: 4, link: 7 };
export const RIGHT = { read: 1n << 1n, seek: 1n << 2n, tell: 1n << 5n, write: 1n << 6n, readDirectory: 1n << 14n };
export const APPEND = 1;
const ALL_RIGHTS = (1n << 30n) - 1n;

/** The stat of an open file or of a path. */
export interface FileFacts {
  type: number;
  stat: Stat;
}

export interface OpenEntry {
  name: string;
  type: number;
}

export abstract class Handle {
  flags = 0;
  position = 0;
  /** How many numbers it has; it is closed with the last. */
  users = 0;

  abstract readonly type: number;
  abstract readonly rights: bigint;
  abstract facts(): FileFacts;

  read(_into: Uint8Array[]): number {
    return throwErrno("EBADF");
  }

  write(_from: Uint8Array[]): number {
    return throwErrno("EBADF");
  }

  /** The file behind it, for operations that only files have. */
  file(): OpenFile {
    return throwErrno("ESPIPE");
  }

  /** Its path, for operations by path. */
  path(): string {
    return throwErrno("EINVAL");
  }

  close(): void {}
}

export class FileHandle extends Handle {
  readonly type = TYPE.file;

  constructor(
    private readonly open: OpenFile,
    private readonly place: string,
    readonly rights: bigint,
    override flags: number,
  ) {
    super();
  }

  facts(): FileFacts {
    return { type: this.type, stat: this.open.stat() };
  }

  override read(into: Uint8Array[]): number {
    const count = this.readAt(into, this.position);
    this.position += count;
    return count;
  }

  override write(from: Uint8Array[]): number {
    if (this.flags & APPEND) this.position = this.open.stat().size;
    const count = this.writeAt(from, this.position);
    this.position += count;
    return count;
  }

  readAt(into: Uint8Array[], position: number): number {
    if (!(this.rights & RIGHT.read)) throwErrno("EBADF");
    return each(into, (piece, done) => this.open.read(piece, position + done));
  }

  writeAt(from: Uint8Array[], position: number): number {
    if (!(this.rights & RIGHT.write)) throwErrno("EBADF");
    return each(from, (piece, done) => this.open.write(piece, position + done));
  }

  override file(): OpenFile {
    return this.open;
  }

  override path(): string {
    return this.place;
  }

  override close(): void {
    this.open.close();
  }
}

export class DirectoryHandle extends Handle {
  readonly type = TYPE.directory;
  readonly rights = ALL_RIGHTS & ~(RIGHT.read | RIGHT.write | RIGHT.seek);
  /** The names as they were when the program started to read them. */
  entries: OpenEntry[] | undefined;
  /** Its contents, if the tree does not know it. */
  list: (() => OpenEntry[]) | undefined;

  /** `name` is the name of a folder that the program has from the start. */
  constructor(private readonly place: string, private readonly stat: () => Stat, readonly name: string | null = null) {
    super();
  }

  facts(): FileFacts {
    return { type: this.type, stat: this.stat() };
  }

  override read(): number {
    return throwErrno("EISDIR");
  }

  override path(): string {
    return this.place;
  }
}

/** A stream without an end or a position: terminals, pipes, devices. */
export class DeviceHandle extends Handle {
  readonly type = TYPE.device;
  readonly rights: bigint;
  readonly #born = Date.now();

  constructor(private readonly source: ((max: number) => Uint8Array) | null, private readonly sink: Sink | null) {
    super();
    // With the right to seek, a libc does not take it for a terminal.
    this.rights = RIGHT.seek | RIGHT.tell | (source ? RIGHT.read : 0n) | (sink ? RIGHT.write : 0n);
  }

  facts(): FileFacts {
    const times = { mtime: this.#born, atime: this.#born };
    return { type: this.type, stat: { kind: "other", mode: 0o20666, size: 0, ...times, ino: 1, links: 1 } };
  }

  override read(into: Uint8Array[]): number {
    const { source } = this;
    if (!source) return throwErrno("EBADF");
    const wanted = into.reduce((sum, piece) => sum + piece.length, 0);
    let rest = source(wanted).subarray(0, wanted);
    return each(into, (piece) => {
      const part = rest.subarray(0, piece.length);
      piece.set(part);
      rest = rest.subarray(part.length);
      return part.length;
    });
  }

  override write(from: Uint8Array[]): number {
    const { sink } = this;
    if (!sink) return throwErrno("EBADF");
    return each(from, (piece) => (sink(piece), piece.length));
  }
}

/** The bytes belong to the program: they must be copied if they are kept. */
export type Sink = (data: Uint8Array) => void;

/** Reads or writes the pieces in order, up to the first short one; after a failure, reports what was done before it. */
function each(pieces: Uint8Array[], act: (piece: Uint8Array, done: number) => number): number {
  let done = 0;
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    let count = 0;
    try {
      count = act(piece, done);
    } catch (error) {
      if (done === 0 || !(error instanceof FileError)) throw error;
      break;
    }
    done += count;
    if (count < piece.length) break;
  }
  return done;
}

export class Handles {
  readonly #open = new Map<number, Handle>();

  /** Files get numbers from `first` on; the standard streams and the root have lower ones. */
  constructor(private readonly first = 0) {}

  /** What the program has from the start. */
  begin(handles: Handle[]): void {
    for (const [number, handle] of handles.entries()) this.#put(number, handle);
  }

  get size(): number {
    return this.#open.size;
  }

  get(number: number): Handle {
    return this.#open.get(number) ?? throwErrno("EBADF");
  }

  has(number: number): boolean {
    return this.#open.has(number);
  }

  directory(number: number): DirectoryHandle {
    const handle = this.get(number);
    return handle instanceof DirectoryHandle ? handle : throwErrno("ENOTDIR");
  }

  /** Opens something and gives it the lowest free number. */
  add(open: () => Handle): number {
    if (this.#open.size >= FIXED_LIMITS.interpreterFiles) throwErrno("EMFILE");
    let number = this.first;
    while (this.#open.has(number)) number++;
    this.#put(number, open());
    return number;
  }

  close(number: number): void {
    const handle = this.get(number);
    this.#open.delete(number);
    if (--handle.users === 0) handle.close();
  }

  /** Gives an open file a second number. */
  duplicate(from: number, to: number): void {
    const handle = this.get(from);
    if (to >>> 0 >= this.first + FIXED_LIMITS.interpreterFiles) throwErrno("EBADF");
    if (from === to) return;
    handle.users++;
    if (this.#open.has(to)) this.close(to);
    this.#open.set(to, handle);
  }

  move(from: number, to: number): void {
    this.duplicate(from, to);
    if (from !== to) this.close(from);
  }

  #put(number: number, handle: Handle): void {
    handle.users++;
    this.#open.set(number, handle);
  }

  closeAll(): void {
    for (const number of [...this.#open.keys()]) {
      try {
        this.close(number);
      } catch {
        // Close the others anyway.
      }
    }
  }
}
