/** Open files, pipes and devices: what descriptors refer to. Bytes, never text. */
import type { Stat } from "../../../../fs/files.ts";
import type { Later } from "../task.ts";

export type StreamKind = "file" | "directory" | "pipe" | "terminal" | "device";

/**
 * One open description (POSIX): descriptors that were duplicated or inherited share it, and with it the position.
 *
 * A method that this kind of stream does not have throws FileError("EBADF").
 */
export interface OpenStream {
  readonly kind: StreamKind;
  /** The path it was opened by, if any; for /dev/fd and messages. */
  readonly path: string | undefined;
  /** 1 to `most` bytes; undefined at the end. Waits only if nothing is there yet. */
  read(most: number): Later<Uint8Array | undefined>;
  /** Gives bytes back that were read too far: the next read, whoever does it, gets them. */
  unread(bytes: Uint8Array): void;
  /**
   * Takes all bytes; waits while a pipe is full. Throws BrokenPipe once the reader has left. The bytes may be kept: the
   * caller does not change them afterwards.
   */
  write(bytes: Uint8Array): Later<void>;
  /** Of a named pipe: waits until its other end is open. */
  opened?(): Later<void>;
  /** What is written here has no end: the name of its source, set by that. */
  endless?: string;
  /** Whether a read would return at once. */
  ready(): boolean;
  /** Sets the position of a file; `end` counts from its end. Others throw ESPIPE as FileError("EINVAL"). */
  seek(offset: number, from: "start" | "current" | "end"): number;
  stat(): Stat;
  truncate(size: number): void;
  /** Calls `act` when nobody can read any more what is written here; returns how to withdraw that. */
  onBroken(act: () => void): () => void;
  /** Calls `act` when the last descriptor is closed; what has no end that anybody waits for has not this. */
  onClosed?(act: () => void): void;
  /** Called when the last descriptor is closed. */
  close(): void;
}

/** The reader of a pipe has left. A process that does not handle it ends with 141, as by SIGPIPE. */
export class BrokenPipe extends Error {
  override readonly name = "BrokenPipe";

  constructor() {
    super("Broken pipe");
  }
}
