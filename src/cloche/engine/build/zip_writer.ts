/** Writes zip files whose entries are stored as they are, so that each can be read on its own. */

import { crc32 } from "node:zlib";
import { concatBytes } from "../text/bytes.ts";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF8 = 0x800;

/** The same files make the same archive, in whatever order they come. */
export function writeZip(files: Map<string, Uint8Array>): Uint8Array {
  const [parts, list]: [Uint8Array[], Uint8Array[]] = [[], []];
  let at = 0;
  for (const [path, data] of [...files].sort(([a], [b]) => a < b ? -1 : 1)) {
    const name = new TextEncoder().encode(path);
    const facts: Field[] = [[crc32(data), 4], [data.length, 4], [data.length, 4], [name.length, 2]];
    const header = encodeFields([LOCAL, 4], [10, 2], [UTF8, 2], [0, 4], [0, 2], ...facts, [0, 2]);
    list.push(
      encodeFields(
        ...[[CENTRAL, 4], [10, 2], [10, 2], [UTF8, 2], [0, 4], [0, 2]] as Field[],
        ...facts,
        ...[[0, 2], [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]] as Field[],
      ),
      name,
    );
    parts.push(header, name, data);
    at += header.length + name.length + data.length;
  }
  const directory = concatBytes(list);
  const count: Field = [files.size, 2];
  const end = encodeFields([END, 4], [0, 4], count, count, [directory.length, 4], [at, 4], [0, 2]);
  return concatBytes([...parts, directory, end]);
}

/** A number and how many bytes it takes. */
type Field = [value: number, bytes: number];

function encodeFields(...fields: Field[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, i) => value >>> 8 * i & 0xff)),
  );
}
