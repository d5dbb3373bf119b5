/** The commands of the shell as files in /usr/bin and /bin, so that programs which look for them there find them. */

import {
  FileError,
  type Files,
  type Folder,
  type Kind,
  type OpenFile,
  type OpenMode,
  readOnly,
  ReadOnlyFiles,
  type Stat,
} from "./files.ts";
import type { FolderFiles } from "./folder.ts";

/** Where commands are shown. */
export const COMMAND_FOLDERS = ["/usr/bin", "/bin"];

const encoder = new TextEncoder();

/** The names of commands; they may come and go with packages. */
export interface CommandNames {
  has(name: string): boolean;
  keys(): Iterable<string>;
}

export class CommandFiles extends ReadOnlyFiles {
  readonly #born = Date.now();

  constructor(public names: CommandNames = new Set()) {
    super();
  }

  lstat(path: string): Stat {
    if (path === "" || path === "/") return this.#stat("directory", 1, 0);
    return this.#statCommand(this.#find(path));
  }

  list(path: string): { name: string; kind: Kind }[] {
    if (path !== "" && path !== "/") throw new FileError(this.#has(path) ? "ENOTDIR" : "ENOENT");
    return [...this.names.keys()].sort().map((name) => ({ name, kind: "file" as const }));
  }

  open(path: string, mode: OpenMode): OpenFile {
    if (mode.write || mode.create || mode.truncate) throw new FileError("EROFS");
    const name = this.#find(path);
    const data = content(name);
    return readOnly(path, {
      stat: () => this.#statCommand(name),
      read(into, position) {
        const part = data.subarray(position, position + into.length);
        into.set(part);
        return part.length;
      },
    });
  }

  #has(path: string): boolean {
    return this.names.has(path.replace(/^\//, ""));
  }

  #find(path: string): string {
    if (!this.#has(path)) throw new FileError("ENOENT");
    return path.replace(/^\//, "");
  }

  #statCommand(name: string): Stat {
    return this.#stat("file", numberOf(name), content(name).length);
  }

  #stat(kind: Kind, ino: number, size: number): Stat {
    const mode = kind === "file" ? 0o100755 : 0o40755;
    return { kind, mode, size, mtime: this.#born, atime: this.#born, ino, links: 1 };
  }
}

/** The folders that show these commands. */
export function commandFolders(
  files: CommandFiles,
  make: (folder: Folder, files: Files) => FolderFiles,
): FolderFiles[] {
  return COMMAND_FOLDERS.map((target) => make({ target, host: "", readOnly: true }, files));
}

/** What a script would have to say that does the same. */
function content(name: string): Uint8Array {
  return encoder.encode(`#!/bin/bash\n# A command of the sandbox's shell.\nexec /usr/bin/${name} "$@"\n`);
}

/** A number for a file: those that compare files by it must not take two commands for one. */
function numberOf(name: string): number {
  let number = 2;
  for (const byte of encoder.encode(name)) number = (Math.imul(number, 31) + byte) >>> 0;
  return number + 2;
}
