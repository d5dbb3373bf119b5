/** How a file is shown: as text, as a picture, as a table, in parts. */

/** Bytes of a file that is read whole, and edited. */
export const LARGE = 1024 * 1024;
/** Bytes of a picture that is shown. */
export const LARGEST_PICTURE = 32 * LARGE;
/** Bytes of a part of a large text, and of one that is shown in hexadecimal. */
export const TEXT_PART = 128 * 1024;
export const HEX_PART = 4096;

const PICTURES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
  svg: "image/svg+xml",
};

const ending = (path: string) => path.slice(path.lastIndexOf(".") + 1).toLowerCase();

/** The type of a picture; undefined for anything else. */
export const pictureType = (path: string): string | undefined =>
  Object.hasOwn(PICTURES, ending(path)) ? PICTURES[ending(path)] : undefined;

/** Ways to look at a text besides editing it. */
export function previewOf(path: string): "table" | "markdown" | "picture" | undefined {
  const end = ending(path);
  if (end === "csv" || end === "tsv") return "table";
  if (end === "md" || end === "markdown") return "markdown";
  return end === "svg" ? "picture" : undefined;
}

/** The text of some bytes; undefined if they are none. */
export function decodeText(data: Uint8Array): string | undefined {
  if (data.includes(0)) return undefined;
  try {
    // With its mark at the beginning, if it has one: it is written back.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}

/** The text of a part: characters that are cut at its ends are left to the parts beside it. */
export function decodePart(data: Uint8Array): string {
  let [from, to] = [0, data.length];
  while (from < Math.min(3, to) && isContinuation(data[from])) from++;
  let begin = to - 1;
  while (begin > from && to - begin < 4 && isContinuation(data[begin])) begin--;
  if (begin >= from && begin + lengthOf(data[begin]) > to) to = begin;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(data.subarray(from, to));
}

const isContinuation = (byte = 0) => (byte & 0xc0) === 0x80;
const lengthOf = (byte = 0) => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1);

/** Bytes as `xxd` shows them: where, sixteen in hexadecimal, and those that are letters. */
export function dumpHex(data: Uint8Array, start = 0): string {
  const lines: string[] = [];
  for (let at = 0; at < data.length; at += 16) {
    const row = [...data.subarray(at, at + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${(start + at).toString(16).padStart(8, "0")}  ${hex.padEnd(47)}  ${letters}`);
  }
  return lines.join("\n");
}
