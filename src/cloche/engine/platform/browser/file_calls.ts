/** How a worker calls the page's file system and waits: messages out, replies through shared memory. */

import type { Code } from "../../fs/files.ts";

/** A call, as the worker posts it. */
export interface FileCall {
  op: "files";
  /** The name of the function, of the file system or of an open file. */
  name: string;
  /** The open file's number; 0 for the file system itself. */
  file: number;
  args: unknown[];
  data: Uint8Array | null;
}

/** The reply: a value, or why there is none. */
export interface FileReply {
  value?: unknown;
  code?: Code;
}

/** The page gives each worker its memory for replies before anything else. */
export interface FileServerSetup {
  op: "greeting";
  replies: SharedArrayBuffer;
}
