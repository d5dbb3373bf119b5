/** The commands of the shell as files in /usr/bin and /bin, so that programs which look for them there find them. */

import { FileError, type Kind, type OpenFile, type OpenMode, readOnly, ReadOnlyFiles, type Stat } from "./files.ts";

/** Where commands are shown. */
export const COMMAND_FOLDERS = ["/usr/bin", "/bin"];

const encoder = new TextEncoder();

export class CommandFiles extends ReadOnlyFiles {
  readonly #born = Date.now();
  readonly #always: Set<string>;

  /** `more` returns the commands that packages bring now. */
  constructor(names: Iterable<string>, private readonly more: () => ReadonlySet<string> = () => new Set()) {
    super();
    this.#always = new Set(names);
  }

  lstat(path: string): Stat {
    if (path === "" || path === "/") return this.#stat("directory", 0);
    return this.#stat("file", content(this.#find(path)).length);
  }

  list(path: string): { name: string; kind: Kind }[] {
    if (path !== "" && path !== "/") throw new FileError(this.#has(path) ? "ENOTDIR" : "ENOENT");
    return [...new Set([...this.#always, ...this.more()])].sort().map((name) => ({ name, kind: "file" as const }));
  }

  open(path: string, mode: OpenMode): OpenFile {
    if (mode.write || mode.create || mode.truncate) throw new FileError("EROFS");
    const data = content(this.#find(path));
    return readOnly(path, {
      stat: () => this.#stat("file", data.length),
      read(into, position) {
        const part = data.subarray(position, position + into.length);
        into.set(part);
        return part.length;
      },
    });
  }

  #has(path: string): boolean {
    const name = path.replace(/^\//, "");
    return this.#always.has(name) || this.more().has(name);
  }

  #find(path: string): string {
    if (!this.#has(path)) throw new FileError("ENOENT");
    return path.replace(/^\//, "");
  }

  #stat(kind: Kind, size: number): Stat {
    return { kind, mode: 0o755, size, mtime: this.#born, atime: this.#born, ino: 1, links: 1 };
  }
}

/** What a script would have to say that does the same. */
function content(name: string): Uint8Array {
  return encoder.encode(`#!/bin/bash\n# A command of the sandbox's shell.\nexec ${name} "$@"\n`);
}
