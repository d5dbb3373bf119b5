/** Reading and writing zip archives. */
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import { concatBytes } from "../../../../../text/bytes.ts";
import { CommandError } from "../tool/errors.ts";

export interface ZipMember {
  /** With "/" at the end for a folder. */
  name: string;
  data: Uint8Array<ArrayBuffer>;
  mtime: Date;
  mode: number;
}

/** An entry as the directory lists it. */
export interface Listed {
  name: string;
  size: number;
  packed: number;
  crc: number;
  method: number;
  mtime: Date;
  mode: number;
  offset: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF8 = 0x0800;
const DEFLATE = 8;
/** The type of symbolic links, in the mode of an entry. */
export const LINK = 0o120000;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

/** The CRC-32 that zip and gzip use. */
function crc32(data: Uint8Array): number {
  let crc = ~0;
  for (const byte of data) crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

async function through(
  data: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  // What goes wrong here is seen by the reader too.
  writer.write(data).then(() => writer.close()).catch(() => {});
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream.readable) chunks.push(chunk);
  return concatBytes(chunks);
}

/** Packs entries; `store` leaves them uncompressed. */
export async function packZip(entries: ZipMember[], store = false): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = toArray(encodeText(entry.name));
    const deflated = store || entry.data.length === 0
      ? entry.data
      : await through(entry.data, new CompressionStream("deflate-raw"));
    const method = deflated.length < entry.data.length ? DEFLATE : 0;
    const body = method === DEFLATE ? deflated : entry.data;
    const common = record([
      [20, 2],
      [UTF8, 2],
      [method, 2],
      ...dosTime(entry.mtime),
      [crc32(entry.data), 4],
      [body.length, 4],
      [entry.data.length, 4],
      [name.length, 2],
      [0, 2],
    ]);
    const folder = entry.name.endsWith("/");
    const type = folder ? 0o40000 : (entry.mode & 0o170000) === LINK ? LINK : 0o100000;
    const attributes = ((entry.mode & 0o7777 | type) * 65536) + (folder ? 16 : 0);
    parts.push(record([[LOCAL, 4]]), common, name, body);
    directory.push(
      record([[CENTRAL, 4], [3 << 8 | 20, 2]]),
      common,
      record([[0, 2], [0, 2], [0, 2], [attributes, 4], [offset, 4]]),
      name,
    );
    offset += 4 + common.length + name.length + body.length;
  }
  const listing = concatBytes(directory);
  const end = record([[END, 4], [0, 2], [0, 2], [entries.length, 2], [entries.length, 2], [listing.length, 4], [
    offset,
    4,
  ], [0, 2]]);
  return concatBytes([...parts, listing, end]);
}

function record(fields: [value: number, size: number][]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

function dosTime(date: Date): [number, number][] {
  const time = date.getUTCHours() << 11 | date.getUTCMinutes() << 5 | date.getUTCSeconds() >> 1;
  const day = Math.max(0, date.getUTCFullYear() - 1980) << 9 | (date.getUTCMonth() + 1) << 5 | date.getUTCDate();
  return [[time, 2], [day, 2]];
}

function fromDos(time: number, day: number): Date {
  return new Date(
    Date.UTC((day >> 9) + 1980, (day >> 5 & 15) - 1, day & 31, time >> 11, time >> 5 & 63, (time & 31) * 2),
  );
}

/** The entries of an archive, as its directory has them. */
export function listZip(data: Uint8Array): Listed[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let end = data.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw new CommandError("End-of-central-directory signature not found: this is not a zip archive", 9);
  const entries: Listed[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > data.length || view.getUint32(at, true) !== CENTRAL) {
      throw new CommandError("the archive's directory is damaged", 3);
    }
    const [nameSize, extraSize, noteSize] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    entries.push({
      name: new TextDecoder().decode(data.subarray(at + 46, at + 46 + nameSize)),
      method: view.getUint16(at + 10, true),
      mtime: fromDos(view.getUint16(at + 12, true), view.getUint16(at + 14, true)),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      mode: view.getUint32(at + 38, true) >>> 16,
      offset: view.getUint32(at + 42, true),
    });
    at += 46 + nameSize + extraSize + noteSize;
  }
  return entries;
}

/** The content of an entry; throws if it is damaged. */
export async function unpackEntry(data: Uint8Array, entry: Listed): Promise<Uint8Array<ArrayBuffer>> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (entry.offset + 30 > data.length || view.getUint32(entry.offset, true) !== LOCAL) {
    throw new CommandError(`${entry.name}: entry is damaged`, 3);
  }
  const start = entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
  const body = data.slice(start, start + entry.packed);
  if (entry.method !== 0 && entry.method !== DEFLATE) {
    throw new CommandError(`${entry.name}: unsupported compression method ${entry.method}`, 81);
  }
  let content = body;
  if (entry.method === DEFLATE) {
    try {
      content = await through(body, new DecompressionStream("deflate-raw"));
    } catch {
      throw new CommandError(`${entry.name}: compressed data is damaged`, 3);
    }
  }
  if (crc32(content) !== entry.crc) throw new CommandError(`${entry.name}: bad CRC`, 2);
  return content;
}
