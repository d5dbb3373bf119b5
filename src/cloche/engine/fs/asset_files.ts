/** Files that come with Cloche, as a read-only folder. */

import { FileError, type Kind, type OpenFile, type OpenMode, readOnly, ReadOnlyFiles, type Stat } from "./files.ts";
import type { OpenBlob } from "./packages.ts";

export class AssetFiles extends ReadOnlyFiles {
  readonly #names: string[];

  /** The files by their names in the folder, which is the root of this file system. */
  constructor(private readonly openAsset: (path: string) => OpenBlob, private readonly files: Record<string, string>) {
    super();
    this.#names = Object.keys(files);
  }

  lstat(path: string): Stat {
    if (path === "" || path === "/") return statOf("directory", 0, 1);
    const file = this.#blob(path);
    try {
      return statOf("file", file.size, this.#names.indexOf(path.slice(1)) + 2);
    } finally {
      file.close();
    }
  }

  list(path: string): { name: string; kind: Kind }[] {
    if (path !== "" && path !== "/") throw new FileError("ENOTDIR");
    return this.#names.map((name) => ({ name, kind: "file" as const }));
  }

  open(path: string, mode: OpenMode): OpenFile {
    if (mode.write || mode.create || mode.truncate) throw new FileError("EROFS");
    const blob = this.#blob(path);
    return readOnly(path, {
      stat: () => statOf("file", blob.size, this.#names.indexOf(path.slice(1)) + 2),
      read(into, position) {
        const part = into.subarray(0, Math.max(0, Math.min(into.length, blob.size - position)));
        if (part.length > 0) blob.read(part, position);
        return part.length;
      },
      close: () => blob.close(),
    });
  }

  #blob(path: string): OpenBlob {
    const name = path.slice(1);
    if (!Object.hasOwn(this.files, name)) throw new FileError("ENOENT");
    return this.openAsset(this.files[name]);
  }
}

function statOf(kind: Kind, size: number, ino: number): Stat {
  return { kind, mode: kind === "file" ? 0o444 : 0o555, size, mtime: 0, atime: 0, ino, links: 1 };
}
