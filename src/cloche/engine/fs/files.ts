/** The file system interface that every language uses, and its error codes. */

export type Kind = "file" | "directory" | "link" | "other";

export interface Stat {
  kind: Kind;
  mode: number;
  size: number;
  mtime: number;
  atime: number;
  ino: number;
  links: number;
}

export interface OpenMode {
  read: boolean;
  write: boolean;
  create: boolean;
  exclusive: boolean;
  truncate: boolean;
}

export interface OpenFile {
  stat(): Stat;
  read(into: Uint8Array, position: number): number;
  write(from: Uint8Array, position: number): number;
  truncate(size: number): void;
  sync(): void;
  close(): void;
}

/** A synchronous file system. Paths are those of the host; only `open` follows a link in the last component. */
export interface Files {
  lstat(path: string): Stat;
  list(path: string): { name: string; kind: Kind }[];
  readLink(path: string): string;
  makeLink(target: string, path: string): void;
  hardLink(from: string, to: string): void;
  open(path: string, mode: OpenMode, permissions?: number): OpenFile;
  makeDirectory(path: string, permissions?: number): void;
  removeFile(path: string): void;
  removeDirectory(path: string): void;
  rename(from: string, to: string): void;
  chmod(path: string, permissions: number): void;
  setTimes(path: string, atime: number, mtime: number): void;
  truncate(path: string, size: number): void;
}

/** A folder of the host as the guest sees it. */
export interface Folder {
  target: string;
  host: string;
  readOnly: boolean;
}

/** The codes of failed operations, with the numbers that WASI and Emscripten give them. */
export const ERRNO = {
  EACCES: 2,
  EBADF: 8,
  EBUSY: 10,
  EEXIST: 20,
  EFBIG: 22,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  ENAMETOOLONG: 37,
  ENOENT: 44,
  ENOSPC: 51,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  EPERM: 63,
  EROFS: 69,
  EXDEV: 75,
};

export type Code = keyof typeof ERRNO;

const TEXTS: Record<Code, string> = {
  EACCES: "permission denied",
  EBADF: "bad file descriptor",
  EBUSY: "resource busy",
  EEXIST: "file already exists",
  EFBIG: "file too large",
  EINVAL: "invalid argument",
  EIO: "input/output error",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "file name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left in the sandbox",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  EXDEV: "cross-device link",
};

/** A failed file operation; `path` is the guest's. */
export class FileError extends Error {
  constructor(readonly code: Code, readonly path: string = "") {
    super(`${code}: ${TEXTS[code]}${path ? `, '${path}'` : ""}`);
    this.name = "FileError";
  }
}

/** Files that never change: an implementation only says which exist and what they contain. */
export abstract class ReadOnlyFiles implements Files {
  abstract lstat(path: string): Stat;
  abstract list(path: string): { name: string; kind: Kind }[];
  abstract open(path: string, mode: OpenMode): OpenFile;

  readLink(path: string): string {
    throw new FileError("EINVAL", path);
  }

  makeLink = (_: string, path: string) => refuse(path);
  hardLink = (_: string, path: string) => refuse(path);
  makeDirectory = refuse;
  removeFile = refuse;
  removeDirectory = refuse;
  rename = refuse;
  chmod = refuse;
  setTimes = refuse;
  truncate = refuse;
}

/** An open file of these. */
export function readOnly(path: string, file: Pick<OpenFile, "stat" | "read"> & Partial<OpenFile>): OpenFile {
  return { write: () => refuse(path), truncate: () => refuse(path), sync: () => {}, close: () => {}, ...file };
}

function refuse(path: string): never {
  throw new FileError("EROFS", path);
}
