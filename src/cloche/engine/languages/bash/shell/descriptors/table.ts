/** The descriptors of one process. */
import { FileError } from "../../../../fs/files.ts";
import type { OpenStream } from "./stream.ts";

/** An open stream with the number of descriptors that refer to it. */
export class Description {
  references = 0;

  constructor(readonly stream: OpenStream) {}

  release(): void {
    if (--this.references === 0) this.stream.close();
  }
}

/** Numbers of descriptors as `{name}>file` and saved ones get them. */
const FIRST_FREE = 10;
/** As `ulimit -n` says. */
export const MOST_DESCRIPTORS = 1024;

export class DescriptorTable {
  readonly #entries = new Map<number, Description>();

  /** The stream of a descriptor; throws EBADF if it is closed. */
  get(fd: number): OpenStream {
    const found = this.#entries.get(fd);
    if (found === undefined) throw new FileError("EBADF", String(fd));
    return found.stream;
  }

  find(fd: number): OpenStream | undefined {
    return this.#entries.get(fd)?.stream;
  }

  has(fd: number): boolean {
    return this.#entries.has(fd);
  }

  /** Whether a descriptor still refers to it. */
  holds(stream: OpenStream): boolean {
    return [...this.#entries.values()].some((description) => description.stream === stream);
  }

  /** Puts a newly opened stream in a descriptor; closes what was there. */
  set(fd: number, stream: OpenStream): void {
    this.#put(fd, new Description(stream));
  }

  /** Lets `to` refer to what `from` refers to. */
  duplicate(from: number, to: number): void {
    const found = this.#entries.get(from);
    if (found === undefined) throw new FileError("EBADF", String(from));
    this.#put(to, found);
  }

  close(fd: number): void {
    const found = this.#entries.get(fd);
    if (found === undefined) return;
    this.#entries.delete(fd);
    found.release();
  }

  /** The lowest free number from `least`; throws EMFILE if there are too many. */
  free(least = FIRST_FREE): number {
    let fd = least;
    while (this.#entries.has(fd)) fd++;
    if (fd >= MOST_DESCRIPTORS) throw new FileError("EMFILE");
    return fd;
  }

  /** Takes a descriptor out without closing what it refers to, to put it back later. */
  save(fd: number): Description | undefined {
    const found = this.#entries.get(fd);
    if (found) found.references++;
    return found;
  }

  /** Puts back what `save` returned: undefined closes. */
  restore(fd: number, saved: Description | undefined): void {
    if (saved === undefined) return this.close(fd);
    this.#put(fd, saved);
    saved.release();
  }

  /** A table for a child: the same descriptions, one more reference each. */
  fork(): DescriptorTable {
    const copy = new DescriptorTable();
    for (const [fd, description] of this.#entries) copy.#put(fd, description);
    return copy;
  }

  numbers(): number[] {
    return [...this.#entries.keys()].sort((a, b) => a - b);
  }

  closeAll(): void {
    for (const fd of this.numbers()) this.close(fd);
  }

  #put(fd: number, description: Description): void {
    const before = this.#entries.get(fd);
    description.references++;
    this.#entries.set(fd, description);
    before?.release();
  }
}
