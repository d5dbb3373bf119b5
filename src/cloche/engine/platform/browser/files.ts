/** The page's files as a worker sees them: each call waits until the page has answered. */

import type { Wish } from "../../protocol.ts";
import {
  type Code,
  FileError,
  type Files,
  type Kind,
  type OpenFile,
  type OpenMode,
  type Stat,
} from "../../fs/files.ts";
import { Shared } from "../../worker/shared_memory.ts";
import { openLetter } from "../../worker/reply_codec.ts";
import type { Answer, FileCall, Greeting } from "./file_calls.ts";

export type Aid = (wish: Wish) => Code | null;

const scope = self as unknown as {
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: MessageEvent<Greeting | { op: "other" }>) => void): void;
};
const post = scope.postMessage.bind(scope);
let mailbox: Shared | undefined;

scope.addEventListener("message", ({ data }) => {
  if (data.op === "greeting") mailbox = new Shared(data.mailbox);
});

function call(name: string, file: number, args: unknown[], data: Uint8Array | null = null) {
  if (!mailbox) throw new FileError("EIO");
  mailbox.clearMail();
  post({ op: "files", name, file, args, data } satisfies FileCall);
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = mailbox.awaitMail();
    if (!part) throw new FileError("EIO");
    parts.push(part.data);
    if (part.last) break;
    post({ op: "files-next" });
  }
  const { head, body: bytes } = openLetter(parts);
  const answer = head as Answer;
  if (answer.code) throw new FileError(answer.code);
  return { value: answer.value, bytes };
}

export class HostFiles implements Files {
  constructor(_aid: Aid) {}

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
    // A copy: what lies in shared or larger memory cannot be posted.
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
