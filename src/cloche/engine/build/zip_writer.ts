/** Writes zip files whose entries are stored as they are. */

import { concatBytes } from "../text/bytes.ts";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF8 = 0x800;

export function writeZip(files: Map<string, Uint8Array>): Uint8Array {
  const [parts, list]: [Uint8Array[], Uint8Array[]] = [[], []];
  let at = 0;
  for (const [path, data] of files) {
    const name = new TextEncoder().encode(path);
    const crc = checksum(data);
    const header = fields([LOCAL, 4], [10, 2], [UTF8, 2], [0, 4], [0, 2], ...facts(crc, data, name), [0, 2]);
    list.push(
      fields(
        ...[[CENTRAL, 4], [10, 2], [10, 2], [UTF8, 2], [0, 4], [0, 2]] as Field[],
        ...facts(crc, data, name),
        ...[[0, 2], [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]] as Field[],
      ),
      name,
    );
    parts.push(header, name, data);
    at += header.length + name.length + data.length;
  }
  const directory = concatBytes(list);
  const count: Field = [files.size, 2];
  return concatBytes([
    ...parts,
    directory,
    fields([END, 4], [0, 4], count, count, [directory.length, 4], [at, 4], [0, 2]),
  ]);
}

/** A number and how many bytes it takes. */
type Field = [number, number];

function facts(crc: number, data: Uint8Array, name: Uint8Array): Field[] {
  return [[crc, 4], [data.length, 4], [data.length, 4], [name.length, 2]];
}

function fields(...all: Field[]): Uint8Array {
  return Uint8Array.from(
    all.flatMap(([value, size]) => Array.from({ length: size }, (_, i) => value >>> 8 * i & 0xff)),
  );
}

const TABLE = Uint32Array.from({ length: 256 }, (_, value) => {
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? value >>> 1 ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = TABLE[(crc ^ byte) & 0xff] ^ crc >>> 8;
  return (crc ^ 0xffffffff) >>> 0;
}
