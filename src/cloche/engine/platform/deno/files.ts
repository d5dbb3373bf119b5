/** The host's files through Deno; the only module that touches them. */

import type { HostFileChange } from "../../protocol.ts";
import { type Code, FileError, type Files, type OpenFile, type OpenMode, type Stat } from "../../fs/files.ts";

/**
 * Asks the host for a change: Deno refuses links to processes whose permissions are limited to folders, and Landlock
 * refuses other modes.
 */
export type ChangeFile = (change: HostFileChange) => Code | null;

// Taken before the guest runs, because the worker deletes `Deno` from its globals.
const deno = Deno;

const BY_NAME: Record<string, Code> = {
  NotFound: "ENOENT",
  AlreadyExists: "EEXIST",
  PermissionDenied: "EACCES",
  NotCapable: "EACCES",
  NotADirectory: "ENOTDIR",
  IsADirectory: "EISDIR",
  FilesystemLoop: "ELOOP",
  BadResource: "EBADF",
  InvalidData: "EINVAL",
  TypeError: "EINVAL",
  Busy: "EBUSY",
};

const KNOWN: Code[] = ["ENOTEMPTY", "EXDEV", "EFBIG", "ENOSPC", "EROFS", "EMFILE", "ENAMETOOLONG", "EISDIR", "EBUSY"];
const BY_NUMBER: [string, Code][] = [
  ["os error 39", "ENOTEMPTY"],
  ["os error 18", "EXDEV"],
  ["os error 27", "EFBIG"],
  ["os error 28", "ENOSPC"],
  ["os error 30", "EROFS"],
  ["os error 24", "EMFILE"],
  ["os error 36", "ENAMETOOLONG"],
  ["os error 22", "EINVAL"],
  ["os error 9)", "EBADF"],
  ["os error 1)", "EPERM"],
];

export class PlatformFiles implements Files {
  constructor(private readonly changeFile: ChangeFile) {}

  lstat(path: string): Stat {
    return attempt(() => toStat(deno.lstatSync(path)));
  }

  list(path: string) {
    return attempt(() =>
      Array.from(deno.readDirSync(path), (entry) => ({
        name: entry.name,
        kind: entry.isSymlink
          ? "link" as const
          : entry.isDirectory
          ? "directory" as const
          : entry.isFile
          ? "file" as const
          : "other" as const,
      }))
    );
  }

  readLink(path: string): string {
    return attempt(() => deno.readLinkSync(path));
  }

  makeLink(target: string, path: string): void {
    this.#ask({ kind: "link", target, path });
  }

  hardLink(from: string, to: string): void {
    attempt(() => deno.linkSync(from, to));
  }

  open(path: string, mode: OpenMode, permissions?: number): OpenFile {
    const { read, write, create, exclusive, truncate } = mode;
    const options = { read, write, create, createNew: create && exclusive, truncate, mode: permissions };
    return attempt(() => new DenoFile(deno.openSync(path, options)));
  }

  makeDirectory(path: string, permissions?: number): void {
    attempt(() => deno.mkdirSync(path, { mode: permissions }));
  }

  removeFile(path: string): void {
    if (this.lstat(path).kind === "directory") throw new FileError("EISDIR");
    attempt(() => deno.removeSync(path));
  }

  removeDirectory(path: string): void {
    if (this.lstat(path).kind !== "directory") throw new FileError("ENOTDIR");
    attempt(() => deno.removeSync(path));
  }

  rename(from: string, to: string): void {
    attempt(() => deno.renameSync(from, to));
  }

  chmod(path: string, permissions: number): void {
    if ((this.lstat(path).mode & 0o7777) === permissions) return;
    try {
      attempt(() => deno.chmodSync(path, permissions));
    } catch (error) {
      if (!(error instanceof FileError && error.code === "EPERM")) throw error;
      this.#ask({ kind: "chmod", path, mode: permissions });
    }
  }

  setTimes(path: string, atime: number, mtime: number): void {
    attempt(() => deno.utimeSync(path, atime / 1000, mtime / 1000));
  }

  truncate(path: string, size: number): void {
    attempt(() => deno.truncateSync(path, size));
  }

  #ask(change: HostFileChange): void {
    const code = this.changeFile(change);
    if (code !== null) throw new FileError(code);
  }
}

class DenoFile implements OpenFile {
  #position = 0;

  constructor(private readonly file: Deno.FsFile) {}

  stat(): Stat {
    return attempt(() => toStat(this.file.statSync()));
  }

  read(into: Uint8Array, position: number): number {
    return attempt(() => {
      this.#seek(position);
      const count = this.file.readSync(into) ?? 0;
      this.#position += count;
      return count;
    });
  }

  write(from: Uint8Array, position: number): number {
    return attempt(() => {
      this.#seek(position);
      const count = this.file.writeSync(from);
      this.#position += count;
      return count;
    });
  }

  truncate(size: number): void {
    attempt(() => this.file.truncateSync(size));
  }

  sync(): void {
    attempt(() => this.file.syncDataSync());
  }

  close(): void {
    this.file.close();
  }

  #seek(position: number): void {
    if (position === this.#position) return;
    this.file.seekSync(position, deno.SeekMode.Start);
    this.#position = position;
  }
}

function toStat(info: Deno.FileInfo): Stat {
  return {
    kind: info.isSymlink ? "link" : info.isDirectory ? "directory" : info.isFile ? "file" : "other",
    mode: info.mode ?? (info.isDirectory ? 0o755 : 0o644),
    size: info.size,
    mtime: info.mtime?.getTime() ?? 0,
    atime: info.atime?.getTime() ?? 0,
    ino: info.ino ?? 0,
    links: info.nlink ?? 1,
  };
}

function attempt<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new FileError(codeOf(error));
  }
}

function codeOf(error: unknown): Code {
  if (!(error instanceof Error)) return "EIO";
  const code = (error as { code?: string }).code;
  const known = KNOWN.find((name) => name === code);
  if (known) return known;
  const numbered = BY_NUMBER.find(([text]) => error.message.includes(text));
  return numbered?.[1] ?? BY_NAME[error.name] ?? "EIO";
}
