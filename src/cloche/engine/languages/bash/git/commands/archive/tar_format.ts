/** Tar archives, byte for byte as git writes them. */
import { encodeText, toArray } from "../../../text/byte_strings.ts";

const RECORD = 512;
const BLOCK = 10_240;
const NAME = 100;
const PREFIX = 155;

export interface TarMember {
  /** With "/" at the end for a folder. */
  name: string;
  mode: number;
  kind: "file" | "folder" | "link";
  /** Contents, or the target of a link. */
  data: Uint8Array;
}

function header(
  name: Uint8Array,
  mode: number,
  size: number,
  time: number,
  kind: string,
  link?: Uint8Array,
  prefix?: Uint8Array,
) {
  const bytes = new Uint8Array(RECORD);
  const put = (at: number, text: string) => bytes.set(toArray(text), at);
  const octal = (value: number, width: number) => value.toString(8).padStart(width, "0");
  bytes.set(name.subarray(0, NAME), 0);
  put(NAME, octal(mode & 0o7777, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(size, 11));
  put(136, octal(time, 11));
  put(156, kind);
  if (link) bytes.set(link.subarray(0, NAME), 157);
  put(257, "ustar\x0000");
  put(265, "root");
  put(297, "root");
  put(329, octal(0, 7));
  put(337, octal(0, 7));
  if (prefix) bytes.set(prefix.subarray(0, PREFIX), 345);
  let sum = 8 * 32;
  for (const byte of bytes) sum += byte;
  put(148, octal(sum, 7));
  return bytes;
}

function padded(data: Uint8Array): Uint8Array {
  const rest = data.length % RECORD;
  if (rest === 0) return data;
  const whole = new Uint8Array(data.length + RECORD - rest);
  whole.set(data);
  return whole;
}

/** `LENGTH key=value` with its own length counted in. */
function extended(key: string, value: string): string {
  const text = ` ${key}=${value}\n`;
  let length = text.length + 1;
  while (String(length).length + text.length !== length) length = String(length).length + text.length;
  return `${length}${text}`;
}

export class TarWriter {
  readonly #parts: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly time: number, comment?: string) {
    if (comment === undefined) return;
    const data = toArray(extended("comment", comment));
    this.#push(header(toArray("pax_global_header"), 0o666, data.length, time, "g"), padded(data));
  }

  #push(...parts: Uint8Array[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#size += part.length;
    }
  }

  add({ name, mode, kind, data }: TarMember, oid: string): void {
    const path = toArray(encodeText(name));
    let shown = path;
    let prefix: Uint8Array | undefined;
    let more = "";
    if (path.length > NAME) {
      const cut = splitPlace(path);
      if (cut > 0) [prefix, shown] = [path.subarray(0, cut), path.subarray(cut + 1)];
      else {
        shown = toArray(`${oid}.data`);
        more += extended("path", encodeText(name));
      }
    }
    const link = kind === "link" ? data : undefined;
    if (link && link.length > NAME) more += extended("linkpath", String.fromCharCode(...link));
    if (more !== "") {
      const bytes = toArray(more);
      this.#push(header(toArray(`${oid}.paxheader`), 0o666, bytes.length, this.time, "x"), padded(bytes));
    }
    const target = link && link.length > NAME ? toArray(`see ${oid}.paxheader`) : link;
    const type = kind === "folder" ? "5" : kind === "link" ? "2" : "0";
    this.#push(header(shown, mode, kind === "file" ? data.length : 0, this.time, type, target, prefix));
    if (kind === "file") this.#push(padded(data));
  }

  /** The whole archive with its end. */
  finish(): Uint8Array[] {
    const tail = BLOCK - this.#size % BLOCK;
    this.#push(new Uint8Array(tail < 2 * RECORD ? tail + BLOCK : tail));
    return this.#parts;
  }
}

/** The slash at which a long path is cut in two; 0 if there is none. */
function splitPlace(path: Uint8Array): number {
  let at = Math.min(path.length, PREFIX + 1);
  if (at > 1 && path[at - 1] === 0x2f && at === path.length) at--;
  do at--; while (at > 0 && path[at] !== 0x2f);
  return at > 0 && path.length - at - 1 <= NAME && path.length - at - 1 > 0 ? at : 0;
}
