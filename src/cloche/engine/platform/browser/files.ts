/** The page's files as a worker sees them: each call waits until the page has replied. */

import type { HostFileChange } from "../../protocol.ts";
import {
  type Code,
  FileError,
  type Files,
  type Kind,
  type OpenFile,
  type OpenMode,
  type Stat,
} from "../../fs/files.ts";
import { SharedMemory } from "../../worker/shared_memory.ts";
import { decodeReply } from "../../worker/reply_codec.ts";
import type { FileCall, FileReply, FileServerSetup } from "./file_calls.ts";

export type ChangeFile = (change: HostFileChange) => Code | null;

const scope = self as unknown as {
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: MessageEvent<FileServerSetup | { op: "other" }>) => void): void;
};
const post = scope.postMessage.bind(scope);
let replies: SharedMemory | undefined;

scope.addEventListener("message", ({ data }) => {
  if (data.op === "greeting") replies = new SharedMemory(data.replies);
});

function call(name: string, file: number, args: unknown[], data: Uint8Array | null = null) {
  if (!replies) throw new FileError("EIO");
  replies.clearReply();
  post({ op: "files", name, file, args, data } satisfies FileCall);
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = replies.awaitReply(0);
    if (!part) throw new FileError("EIO");
    parts.push(part.data);
    if (part.last) break;
    post({ op: "files-next" });
  }
  const { head, body: bytes } = decodeReply(parts);
  const answer = head as FileReply;
  if (answer.code) throw new FileError(answer.code);
  return { value: answer.value, bytes };
}

/** The files of a worker that shares none with the page. */
let own: Files | undefined;

export function useOwnFiles(files: Files): void {
  own = files;
}

export class PlatformFiles implements Files {
  constructor(_changeFile: ChangeFile) {
    // In place of this object: whoever has asked for the platform's files gets the worker's own.
    if (own) return own as PlatformFiles;
  }

  lstat(path: string): Stat {
    return call("lstat", 0, [path]).value as Stat;
  }

  list(path: string): { name: string; kind: Kind }[] {
    return call("list", 0, [path]).value as { name: string; kind: Kind }[];
  }

  readLink(path: string): string {
    return call("readLink", 0, [path]).value as string;
  }

  makeLink(target: string, path: string): void {
    call("makeLink", 0, [target, path]);
  }

  hardLink(from: string, to: string): void {
    call("hardLink", 0, [from, to]);
  }

  open(path: string, mode: OpenMode, permissions?: number): OpenFile {
    return new PageFile(call("open", 0, [path, mode, permissions]).value as number);
  }

  makeDirectory(path: string, permissions?: number): void {
    call("makeDirectory", 0, [path, permissions]);
  }

  removeFile(path: string): void {
    call("removeFile", 0, [path]);
  }

  removeDirectory(path: string): void {
    call("removeDirectory", 0, [path]);
  }

  rename(from: string, to: string): void {
    call("rename", 0, [from, to]);
  }

  chmod(path: string, permissions: number): void {
    call("chmod", 0, [path, permissions]);
  }

  setTimes(path: string, atime: number, mtime: number): void {
    call("setTimes", 0, [path, atime, mtime]);
  }

  truncate(path: string, size: number): void {
    call("truncate", 0, [path, size]);
  }
}

class PageFile implements OpenFile {
  constructor(private readonly number: number) {}

  stat(): Stat {
    return call("stat", this.number, []).value as Stat;
  }

  read(into: Uint8Array, position: number): number {
    const { bytes } = call("read", this.number, [into.length, position]);
    into.set(bytes);
    return bytes.length;
  }

  write(from: Uint8Array, position: number): number {
    // A copy: bytes in shared or larger memory cannot be posted.
    return call("write", this.number, [position], from.slice()).value as number;
  }

  truncate(size: number): void {
    call("truncate", this.number, [size]);
  }

  sync(): void {}

  close(): void {
    call("close", this.number, []);
  }
}
