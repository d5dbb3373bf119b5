/** The format of gzip: a header, deflated data, a checksum and the size; several of these may follow each other. */
import { concatBytes } from "../../../../../text/bytes.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import { BadData } from "./bits.ts";
import { crc32 } from "./checks.ts";
import { inflate } from "./inflate.ts";

const FIXED = 10;
/** The checksum and the size. */
export const ENDING = 8;
const UNIX = 3;
const [HEADER_CHECK, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

/** What the header says of the file. */
export interface Origin {
  name?: string;
  /** Seconds since 1970; 0 if it is not known. */
  mtime: number;
}

/** The platform packs at one level of its own; the header says which one was asked for. */
export async function encodeGzip(data: Uint8Array, level: number, { name, mtime }: Origin): Promise<Uint8Array> {
  const head = new Uint8Array(FIXED);
  const view = new DataView(head.buffer);
  head.set([0x1f, 0x8b, 8, name === undefined ? 0 : NAME]);
  view.setUint32(4, mtime, true);
  head[8] = level === 9 ? 2 : level === 1 ? 4 : 0;
  head[9] = UNIX;
  const ending = new Uint8Array(ENDING);
  new DataView(ending.buffer).setUint32(0, crc32(data), true);
  new DataView(ending.buffer).setUint32(4, data.length >>> 0, true);
  const title = name === undefined ? new Uint8Array() : toArray(`${encodeText(name)}\0`);
  const body = await throughStream(Uint8Array.from(data), new CompressionStream("deflate-raw"));
  return concatBytes([head, title, body, ending]);
}

async function throughStream(data: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream) {
  const writer = stream.writable.getWriter();
  // What goes wrong here is seen by the reader too.
  writer.write(data).then(() => writer.close()).catch(() => {});
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream.readable) chunks.push(chunk);
  return concatBytes(chunks);
}

export function isGzip(data: Uint8Array): boolean {
  return data[0] === 0x1f && data[1] === 0x8b;
}

/** What is packed, and whether something else follows it. */
export async function decodeGzip(data: Uint8Array): Promise<{ content: Uint8Array; rest: boolean }> {
  if (!isGzip(data)) throw new BadData("not in gzip format");
  try {
    return { content: await throughStream(Uint8Array.from(data), new DecompressionStream("gzip")), rest: false };
  } catch {
    // Several parts, something after them, or damage: seen when it is read step by step.
    return decodeParts(data);
  }
}

function decodeParts(data: Uint8Array): { content: Uint8Array; rest: boolean } {
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at < data.length && isGzip(data.subarray(at))) {
    const found = inflate(data, readHeader(data, at).end);
    if (found.at + ENDING > data.length) throw new BadData("unexpected end of file");
    const view = new DataView(data.buffer, data.byteOffset + found.at);
    if (view.getUint32(0, true) !== crc32(found.content)) throw new BadData("invalid compressed data--crc error");
    if (view.getUint32(4, true) !== found.content.length >>> 0) {
      throw new BadData("invalid compressed data--length error");
    }
    parts.push(found.content.slice());
    at = found.at + ENDING;
  }
  return { content: concatBytes(parts), rest: data.subarray(at).some((byte) => byte !== 0) };
}

export function readHeader(data: Uint8Array, start = 0): Origin & { end: number } {
  if (data.length < start + FIXED) throw new BadData("unexpected end of file");
  const flags = data[start + 3];
  if (data[start + 2] !== 8) throw new BadData("unknown method -- not supported");
  const mtime = new DataView(data.buffer, data.byteOffset + start).getUint32(4, true);
  let at = start + FIXED;
  if (flags & EXTRA) at += 2 + (data[at] | data[at + 1] << 8);
  const text = () => {
    const end = data.indexOf(0, at);
    if (end < 0) throw new BadData("unexpected end of file");
    const found = decodeText(fromArray(data.subarray(at, end)));
    at = end + 1;
    return found;
  };
  const name = flags & NAME ? text() : undefined;
  if (flags & COMMENT) text();
  if (flags & HEADER_CHECK) at += 2;
  return { name, mtime, end: at };
}
