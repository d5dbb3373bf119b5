/** Reads the directory of a zip file whose entries are not compressed. */

/** Reads bytes of the zip file. */
export interface Blob {
  readonly size: number;
  read(into: Uint8Array, position: number): void;
}

interface ZipEntry {
  name: string;
  size: number;
  /** Where its local header starts; its data follows. */
  header: number;
  /** Where its data starts, according to the directory: right before the next header. */
  start: number;
}

const END_SIGNATURE = 0x06054b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_SIZE = 22;
/** The comment at the end of package archives: their hash, which the host checks. */
const SEAL_SIZE = 64;
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;
/** The value of a field whose number is too large and is elsewhere. */
const MANY = 0xffff;
/** The flag for sizes that follow the data. */
const TRAILED = 8;
const UNKNOWN = -1;

const DAMAGED = "the archive is damaged or not a zip file";

/** Its files and folders (whose names end with a slash), in the order of their data. */
export function listZip(blob: Blob): ZipEntry[] {
  const end = endOf(blob);
  const count = end.getUint16(10, true);
  if (count === MANY) throw new Error("the archive has too many files");
  const at = end.getUint32(16, true);
  const directory = view(blob, at, end.getUint32(12, true));
  const entries = readEntries(directory, count);
  for (const [index, entry] of entries.entries()) {
    const next = entries[index + 1]?.header ?? at;
    if (entry.start === UNKNOWN) entry.start = dataOf(blob, entry.header);
    else entry.start = next - entry.size;
    if (entry.start < entry.header + LOCAL_SIZE || entry.start + entry.size > next) throw new Error(DAMAGED);
  }
  return entries;
}

function endOf(blob: Blob): DataView {
  for (const comment of [0, SEAL_SIZE]) {
    const end = view(blob, blob.size - END_SIZE - comment, END_SIZE);
    if (end.getUint32(0, true) === END_SIGNATURE && end.getUint16(20, true) === comment) return end;
  }
  throw new Error(DAMAGED);
}

function readEntries(directory: DataView, count: number): ZipEntry[] {
  const decoder = new TextDecoder();
  const entries: ZipEntry[] = [];
  let sorted = true;
  for (let i = 0, at = 0, last = -1; i < count; i++) {
    if (at + CENTRAL_SIZE > directory.byteLength || directory.getUint32(at, true) !== CENTRAL_SIGNATURE) {
      throw new Error(DAMAGED);
    }
    const length = directory.getUint16(at + 28, true);
    if (at + CENTRAL_SIZE + length > directory.byteLength) throw new Error(DAMAGED);
    const name = decoder.decode(new Uint8Array(directory.buffer, at + CENTRAL_SIZE, length));
    if (directory.getUint16(at + 10, true) !== 0) throw new Error(`${name} is compressed in the archive`);
    const header = directory.getUint32(at + 42, true);
    const start = directory.getUint16(at + 8, true) & TRAILED ? UNKNOWN : 0;
    entries.push({ name, size: directory.getUint32(at + 20, true), header, start });
    sorted &&= header > last;
    last = header;
    at += CENTRAL_SIZE + length + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
  }
  return sorted ? entries : entries.sort((a, b) => a.header - b.header);
}

function dataOf(blob: Blob, header: number): number {
  const local = view(blob, header, LOCAL_SIZE);
  if (local.getUint32(0, true) !== LOCAL_SIGNATURE) throw new Error(DAMAGED);
  return header + LOCAL_SIZE + local.getUint16(26, true) + local.getUint16(28, true);
}

function view(blob: Blob, position: number, size: number): DataView {
  if (position < 0 || position + size > blob.size) throw new Error(DAMAGED);
  const data = new Uint8Array(size);
  blob.read(data, position);
  return new DataView(data.buffer);
}
