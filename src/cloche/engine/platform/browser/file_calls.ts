/** How a worker calls the page's file system and waits: messages out, answers through shared memory. */

import type { Code } from "../../fs/files.ts";

/** A call, as the worker posts it. */
export interface FileCall {
  op: "files";
  /** Which function, of the file system or of an open file. */
  name: string;
  /** The open file's number; 0 for the file system itself. */
  file: number;
  args: unknown[];
  data: Uint8Array | null;
}

/** What comes back: a value, or why not. */
export interface FileReply {
  value?: unknown;
  code?: Code;
}

/** The page gives each worker its memory for answers before anything else. */
export interface FileServerSetup {
  op: "greeting";
  replies: SharedArrayBuffer;
}
