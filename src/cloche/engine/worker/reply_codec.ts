/** Encodes replies for shared memory: JSON, followed by bytes. */

import type { Package } from "../fs/packages.ts";
import type { RequestFailure } from "../protocol.ts";
import { concatBytes } from "../text/bytes.ts";

interface EncodedReply {
  head: unknown;
  body: Uint8Array;
}

/** The reply to a blocked worker. */
export interface BlockingReply {
  data?: unknown;
  error?: RequestFailure;
  /** All packages, if they have changed meanwhile. */
  packages?: Package[];
  body: Uint8Array;
}

/** Bytes of the length, which comes first. */
const SIZE = 4;

export function encodeReply({ head, body }: EncodedReply): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const size = new Uint8Array(SIZE);
  new DataView(size.buffer).setUint32(0, text.length, true);
  return concatBytes([size, text, body]);
}

/** It may arrive in parts. */
export function decodeReply(parts: Uint8Array[]): EncodedReply {
  const all = concatBytes(parts);
  const end = SIZE + new DataView(all.buffer).getUint32(0, true);
  return { head: JSON.parse(new TextDecoder().decode(all.subarray(SIZE, end))), body: all.subarray(end) };
}

export function encodeBlockingReply({ data, error, packages, body }: BlockingReply): Uint8Array {
  return encodeReply({ head: { packages, ...(error ? { error } : { data: data ?? null }) }, body });
}

export function decodeBlockingReply(parts: Uint8Array[]): BlockingReply {
  const { head, body } = decodeReply(parts);
  return { ...head as Omit<BlockingReply, "body">, body };
}
