/** The file system as the shell and its programs see it. All calls are synchronous; paths are absolute. */
import type { Kind, Stat } from "../../../../fs/files.ts";
import type { OpenStream } from "../descriptors/stream.ts";

export interface OpenFlags {
  read: boolean;
  write: boolean;
  append?: boolean;
  create?: boolean;
  exclusive?: boolean;
  truncate?: boolean;
}

/** What fails throws FileError. */
export interface SystemFiles {
  /** The absolute form of a path from a folder; `..` goes up from where a link leads. */
  resolve(base: string, path: string): string;
  stat(path: string): Stat;
  lstat(path: string): Stat;
  exists(path: string): boolean;
  list(path: string): { name: string; kind: Kind }[];
  realPath(path: string): string;
  readLink(path: string): string;
  readFile(path: string): Uint8Array;
  open(path: string, flags: OpenFlags, permissions?: number): OpenStream;
  makeDirectory(path: string, permissions?: number): void;
  /** Makes a named pipe. */
  makeFifo(path: string, permissions: number): void;
  removeFile(path: string): void;
  removeDirectory(path: string): void;
  rename(from: string, to: string): void;
  makeLink(target: string, path: string): void;
  hardLink(from: string, to: string): void;
  chmod(path: string, mode: number): void;
  setTimes(path: string, atime: number, mtime: number): void;
  /** Whether the file is a program: executable, or the stub of a command. */
  isExecutable(path: string): boolean;
}

/** The absolute form of a path, without `.` and `..`; links are not followed. */
export function resolvePath(base: string, path: string): string {
  const done: string[] = [];
  for (const name of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (name === "..") done.pop();
    else if (name !== "" && name !== ".") done.push(name);
  }
  return "/" + done.join("/");
}
