/** The files of xz, and the older ones of lzma. */
import { BadData, type Breathe, GrowingBytes } from "./bits.ts";
import { crc32, crc64 } from "./checks.ts";
import { decodeLzma2, LzmaDecoder } from "./lzma_decode.ts";
import { encodeLzma2 } from "./lzma_encode.ts";

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];
const CORRUPT = "Compressed data is corrupt";
const CRC64 = 4;
const SHA256 = 10;

export function isXz(data: Uint8Array): boolean {
  return MAGIC.every((byte, i) => data[i] === byte);
}

/** All streams of a file. */
export async function decodeXz(data: Uint8Array, breathe: Breathe): Promise<Uint8Array> {
  if (!isXz(data)) {
    if (data[0] < 225 && data.length > 13 && data.subarray(0, 5).some((byte) => byte !== 0)) {
      return await decodeLzmaFile(data, breathe);
    }
    throw new BadData("File format not recognized");
  }
  const out = new GrowingBytes();
  let at = 0;
  while (at < data.length) {
    if (data[at] === 0 && at > 0) {
      // Padding between streams.
      at++;
      continue;
    }
    if (!isXz(data.subarray(at))) throw new BadData(at === 0 ? "File format not recognized" : CORRUPT);
    at = await decodeStream(data, at, out, breathe);
  }
  return out.done();
}

function readNumber(data: Uint8Array, from: number): [value: number, at: number] {
  let value = 0;
  for (let i = 0, at = from;; i++, at++) {
    if (at >= data.length) throw new BadData("Unexpected end of input");
    value += (data[at] & 127) * 2 ** (7 * i);
    if (data[at] < 128) return [value, at + 1];
    if (i > 8) throw new BadData(CORRUPT);
  }
}

async function decodeStream(data: Uint8Array, start: number, out: GrowingBytes, breathe: Breathe): Promise<number> {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  if (start + 12 > data.length) throw new BadData("Unexpected end of input");
  const flags = data.subarray(start + 6, start + 8);
  if (crc32(flags) !== view.getUint32(start + 8, true)) throw new BadData(CORRUPT);
  const check = flags[1] & 15;
  let at = start + 12;
  while (at < data.length && data[at] !== 0) at = await decodeBlock(data, at, check, out, breathe);
  if (at >= data.length) throw new BadData("Unexpected end of input");
  const indexStart = at;
  let count: number;
  [count, at] = readNumber(data, at + 1);
  for (; count > 0; count--) {
    [, at] = readNumber(data, at);
    [, at] = readNumber(data, at);
  }
  while ((at - indexStart) % 4 !== 0) at++;
  if (at + 16 > data.length) throw new BadData("Unexpected end of input");
  if (crc32(data.subarray(indexStart, at)) !== view.getUint32(at, true)) throw new BadData(CORRUPT);
  if (data[at + 14] !== 0x59 || data[at + 15] !== 0x5a) throw new BadData(CORRUPT);
  return at + 16;
}

async function decodeBlock(
  data: Uint8Array,
  start: number,
  check: number,
  out: GrowingBytes,
  breathe: Breathe,
): Promise<number> {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const headerSize = (data[start] + 1) * 4;
  if (start + headerSize > data.length) throw new BadData("Unexpected end of input");
  const header = data.subarray(start, start + headerSize - 4);
  if (crc32(header) !== view.getUint32(start + headerSize - 4, true)) throw new BadData(CORRUPT);
  let at = start + 2;
  if (header[1] & 0x40) [, at] = readNumber(data, at);
  if (header[1] & 0x80) [, at] = readNumber(data, at);
  const [filter] = readNumber(data, at);
  if ((header[1] & 3) !== 0 || filter !== 0x21) throw new BadData("Unsupported options");
  const before = out.length;
  const body = start + headerSize;
  at = await decodeLzma2(data, body, out, breathe);
  while ((at - body) % 4 !== 0) at++;
  await verify(data.subarray(at, at + CHECK_SIZES[check]), check, out.bytes.subarray(before, out.length));
  return at + CHECK_SIZES[check];
}

async function verify(stored: Uint8Array, check: number, content: Uint8Array): Promise<void> {
  let computed: Uint8Array | undefined;
  if (check === 1) {
    computed = new Uint8Array(4);
    new DataView(computed.buffer).setUint32(0, crc32(content), true);
  } else if (check === CRC64) computed = crc64(content);
  else if (check === SHA256) {
    computed = new Uint8Array(await crypto.subtle.digest("SHA-256", content as Uint8Array<ArrayBuffer>));
  }
  if (stored.length < CHECK_SIZES[check]) throw new BadData("Unexpected end of input");
  if (computed?.some((byte, i) => stored[i] !== byte)) throw new BadData(CORRUPT);
}

export async function decodeLzmaFile(data: Uint8Array, breathe: Breathe): Promise<Uint8Array> {
  if (data.length < 18) throw new BadData("File format not recognized");
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const out = new GrowingBytes();
  const decoder = new LzmaDecoder(out);
  decoder.setProperties(data[0]);
  const size = view.getBigUint64(5, true);
  const known = size !== 0xffffffffffffffffn;
  if (known && size > 1n << 38n) throw new BadData("File format not recognized");
  decoder.open(data, 13);
  await decoder.decode(known ? Number(size) : Infinity, breathe);
  return out.done();
}

/** One stream with one block and CRC-64, as xz writes it. */
export async function encodeXz(data: Uint8Array, level: number, breathe: Breathe): Promise<Uint8Array> {
  const out = new GrowingBytes();
  const flags = Uint8Array.of(0, CRC64);
  out.append(Uint8Array.from(MAGIC));
  out.append(flags);
  appendCrc(out, flags);
  const index = new GrowingBytes();
  index.push(0);
  if (data.length === 0) index.push(0);
  else {
    const start = out.length;
    const header = Uint8Array.of(2, 0, 0x21, 1, 0x16, 0, 0, 0);
    out.append(header);
    appendCrc(out, header);
    out.append(await encodeLzma2(data, level, breathe));
    const size = out.length - start + 8;
    while ((out.length - start) % 4 !== 0) out.push(0);
    out.append(crc64(data));
    index.push(1);
    writeNumber(index, size);
    writeNumber(index, data.length);
  }
  while (index.length % 4 !== 0) index.push(0);
  out.append(index.done());
  appendCrc(out, index.done());
  const footer = new Uint8Array(6);
  new DataView(footer.buffer).setUint32(0, (index.length + 4) / 4 - 1, true);
  footer.set(flags, 4);
  appendCrc(out, footer);
  out.append(footer);
  out.append(Uint8Array.of(0x59, 0x5a));
  return out.done();
}

function writeNumber(out: GrowingBytes, value: number): void {
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) out.push(left % 128 + 128);
  out.push(left);
}

function appendCrc(out: GrowingBytes, bytes: Uint8Array): void {
  const crc = crc32(bytes);
  for (let i = 0; i < 4; i++) out.push((crc >>> (8 * i)) & 255);
}
