/** Zip files for tests; contains no tests. */

import type { OpenBlob } from "../fs/packages.ts";
import { concatBytes } from "../text/bytes.ts";

const encoder = new TextEncoder();

export interface Piece {
  name: string;
  data: string;
  method?: number;
  /** Bytes between the local header and the data, which the central directory does not mention. */
  extra?: number;
  /** Whether its sizes follow the data. */
  trailed?: boolean;
}

function record(signature: number, size: number, fields: [at: number, value: number, bytes: 2 | 4][]): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, signature, true);
  for (const [at, value, bytes] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  }
  return new Uint8Array(view.buffer);
}

/** A zip file, made by hand; checksums are left out, because they are not checked here. */
export function makeZip(pieces: Piece[]): Uint8Array {
  const locals: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let offset = 0;
  for (const { name, data, method = 0, extra = 0, trailed = false } of pieces) {
    const [title, body] = [encoder.encode(name), encoder.encode(data)];
    const head = record(0x04034b50, 30, [[8, method, 2], [18, body.length, 4], [22, body.length, 4], [
      26,
      title.length,
      2,
    ], [28, extra, 2]]);
    const local = concatBytes([head, title, new Uint8Array(extra), body, new Uint8Array(trailed ? 16 : 0)]);
    const entry = record(0x02014b50, 46, [
      [8, trailed ? 8 : 0, 2],
      [10, method, 2],
      [20, body.length, 4],
      [24, body.length, 4],
      [28, title.length, 2],
      [30, 4, 2],
      [32, 3, 2],
      [42, offset, 4],
    ]);
    entries.push(concatBytes([entry, title, new Uint8Array(7)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = concatBytes(entries);
  const end = record(0x06054b50, 22, [[8, pieces.length, 2], [10, pieces.length, 2], [12, directory.length, 4], [
    16,
    offset,
    4,
  ]]);
  return concatBytes([...locals, directory, end]);
}

/** Counts how often it is read, and whether it was closed. */
export function makeBlob(data: Uint8Array): OpenBlob & { reads: number; closed: number } {
  return {
    size: data.length,
    reads: 0,
    closed: 0,
    read(into, position) {
      this.reads++;
      if (position < 0 || position + into.length > data.length) throw new Error("shorter than it should be");
      into.set(data.subarray(position, position + into.length));
    },
    close() {
      this.closed++;
    },
  };
}
