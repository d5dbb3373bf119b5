/** The named pipes of a file system. Each has an empty file in its place, which is all that other languages see. */
import type { Stat } from "../../../../fs/files.ts";
import { Fifo } from "../descriptors/fifo.ts";

const TYPE = 0o10000;

export class Fifos {
  readonly #byPath = new Map<string, Fifo>();

  /** `realPath` gives the path of a file with all links followed. */
  constructor(private readonly realPath: (path: string) => string) {}

  add(path: string): void {
    this.#byPath.set(this.#place(path), new Fifo());
  }

  /** The named pipe that a path leads to; `follow` says that it may be a link. */
  find(path: string, follow: boolean): Fifo | undefined {
    if (this.#byPath.size === 0) return undefined;
    try {
      return this.#byPath.get(follow ? this.realPath(path) : this.#place(path));
    } catch {
      return undefined;
    }
  }

  remove(path: string): void {
    if (this.#byPath.size > 0) this.#byPath.delete(this.#place(path));
  }

  rename(from: string, to: string): void {
    if (this.#byPath.size === 0) return;
    const [before, after] = [this.#place(from), this.#place(to)];
    this.#byPath.delete(after);
    for (const [path, fifo] of [...this.#byPath]) {
      if (path !== before && !path.startsWith(`${before}/`)) continue;
      this.#byPath.delete(path);
      this.#byPath.set(after + path.slice(before.length), fifo);
    }
  }

  /** What a file's entry says, as a named pipe. */
  describe(stat: Stat): Stat {
    return { ...stat, kind: "other", mode: TYPE | stat.mode & 0o7777, size: 0 };
  }

  /** A path whose folder has its links followed, but not the name itself. */
  #place(path: string): string {
    const at = path.lastIndexOf("/");
    const folder = at === 0 ? "/" : this.realPath(path.slice(0, at));
    return `${folder === "/" ? "" : folder}/${path.slice(at + 1)}`;
  }
}
