/** How a worker calls the page's file system and waits: messages out, answers through shared memory. */

import type { Code } from "../fs/files.ts";

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
export interface Answer {
  value?: unknown;
  code?: Code;
}

/** The page gives each worker its memory for answers before anything else. */
export interface Greeting {
  op: "greeting";
  mailbox: SharedArrayBuffer;
}

const HEAD = 4;

export function pack(answer: Answer, data: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(answer));
  const all = new Uint8Array(HEAD + text.length + data.length);
  new DataView(all.buffer).setUint32(0, text.length, true);
  all.set(text, HEAD);
  all.set(data, HEAD + text.length);
  return all;
}

export function unpack(parts: Uint8Array[]): { answer: Answer; data: Uint8Array } {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  const length = new DataView(all.buffer).getUint32(0, true);
  const answer = JSON.parse(new TextDecoder().decode(all.subarray(HEAD, HEAD + length))) as Answer;
  return { answer, data: all.subarray(HEAD + length) };
}
