/** iconv. */
import { concatBytes } from "../../../../../text/bytes.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { BYTES } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "f:t:clo:s",
  long: {
    "from-code=": "f",
    "to-code=": "t",
    list: "l",
    "output=": "o",
    silent: "s",
  },
  synopsis: "[OPTION...] [FILE...]",
};
/** Names of others for what browsers know. */
const ALIASES: Record<string, string> = {
  ascii: "ascii",
  "us-ascii": "ascii",
  "ansi_x3.4-1968": "ascii",
  utf8: "utf-8",
  utf16: "utf-16",
  utf16le: "utf-16le",
  utf16be: "utf-16be",
  utf32: "utf-32",
  utf32le: "utf-32le",
  utf32be: "utf-32be",
  "ucs-2": "utf-16le",
  "ucs-2le": "utf-16le",
  "ucs-2be": "utf-16be",
  "ucs-4": "utf-32be",
  latin1: "iso-8859-1",
  l1: "iso-8859-1",
  "8859_1": "iso-8859-1",
  iso8859_1: "iso-8859-1",
  "iso8859-1": "iso-8859-1",
  cp1252: "windows-1252",
  cp1251: "windows-1251",
  cp1250: "windows-1250",
  sjis: "shift_jis",
  "shift-jis": "shift_jis",
  eucjp: "euc-jp",
  cp936: "gbk",
  cp949: "euc-kr",
  latin9: "iso-8859-15",
};
const LISTED = [
  "ASCII",
  "BIG5",
  "EUC-JP",
  "EUC-KR",
  "GB18030",
  "GBK",
  "ISO-8859-1",
  "ISO-8859-2",
  "ISO-8859-5",
  "ISO-8859-15",
  "KOI8-R",
  "SHIFT_JIS",
  "UTF-8",
  "UTF-16",
  "UTF-16BE",
  "UTF-16LE",
  "UTF-32",
  "UTF-32BE",
  "UTF-32LE",
  "WINDOWS-1250",
  "WINDOWS-1251",
  "WINDOWS-1252",
];

function nameOf(word: string): string {
  const lower = word.toLowerCase();
  return ALIASES[lower] ?? lower;
}

/** A character that cannot be read or written, and how much came before it. */
class Unconvertible extends Error {
  constructor(readonly position: number) {
    super();
  }
}

type Decode = (bytes: Uint8Array) => string;
type Encode = (char: string) => number[] | undefined;

function decoderOf(name: string, skips: boolean): Decode | undefined {
  if (name === "ascii" || name === "iso-8859-1") {
    return (bytes) => {
      const text = Array.from(bytes, (byte) => String.fromCharCode(byte));
      const bad = name === "ascii" ? bytes.findIndex((byte) => byte > 127) : -1;
      if (bad >= 0 && !skips) throw new Unconvertible(bad);
      return (bad < 0 ? text : text.filter((char) => char < "\x80")).join("");
    };
  }
  if (name.startsWith("utf-32")) return (bytes) => decode32(bytes, name);
  if (name === "utf-16") {
    return (bytes) => {
      const big = bytes[0] === 0xfe && bytes[1] === 0xff;
      return new TextDecoder(big ? "utf-16be" : "utf-16le", { fatal: true }).decode(bytes);
    };
  }
  try {
    const strict = new TextDecoder(name, { fatal: true, ignoreBOM: true });
    return (bytes) => decodeStrictly(bytes, strict, new TextDecoder(name, { ignoreBOM: true }), skips);
  } catch {
    return undefined;
  }
}

function decodeStrictly(bytes: Uint8Array, strict: TextDecoder, loose: TextDecoder, skips: boolean): string {
  try {
    return strict.decode(bytes);
  } catch {
    const text = loose.decode(bytes);
    if (skips) return text.replaceAll("\ufffd", "");
    const before = text.slice(0, text.indexOf("\ufffd"));
    throw new Unconvertible(new TextEncoder().encode(before).length);
  }
}

function decode32(bytes: Uint8Array, name: string): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const marked = bytes.length >= 4 && view.getUint32(0, true) === 0xfeff;
  const little = name.endsWith("le") ||
    name === "utf-32" && (marked || !(bytes.length >= 4 && view.getUint32(0) === 0xfeff));
  let text = "";
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, little);
    if (code > 0x10ffff) throw new Unconvertible(at);
    if (at > 0 || code !== 0xfeff) text += String.fromCodePoint(code);
  }
  return text;
}

function encoderOf(name: string): Encode | undefined {
  const utf8 = new TextEncoder();
  if (name === "utf-8") return (char) => [...utf8.encode(char)];
  if (name === "ascii") return (char) => char < "\x80" ? [char.charCodeAt(0)] : undefined;
  if (name === "iso-8859-1") return (char) => char <= "\xff" ? [char.charCodeAt(0)] : undefined;
  if (name.startsWith("utf-16")) {
    const big = name === "utf-16be";
    return (char) =>
      Array.from({ length: char.length }, (_, i) => char.charCodeAt(i))
        .flatMap((unit) => big ? [unit >> 8, unit & 255] : [unit & 255, unit >> 8]);
  }
  if (name.startsWith("utf-32")) {
    return (char) => {
      const code = char.codePointAt(0) ?? 0;
      const bytes = [code & 255, code >> 8 & 255, code >> 16 & 255, 0];
      return name === "utf-32be" ? bytes.reverse() : bytes;
    };
  }
  return tableOf(name);
}

/** Reads the other way round what a decoder does with all codes of one and two bytes. */
function tableOf(name: string): Encode | undefined {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(name);
  } catch {
    return undefined;
  }
  const table = new Map<string, number[]>();
  const add = (bytes: number[]) => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if ([...char].length === 1 && char !== "\ufffd" && !table.has(char)) table.set(char, bytes);
  };
  for (let byte = 0; byte < 256; byte++) add([byte]);
  if (!/^(windows|iso-8859|koi8|ibm|mac|x-mac)/.test(name)) {
    for (let first = 0x81; first < 0xff; first++) for (let second = 0x40; second < 0xff; second++) add([first, second]);
  }
  return (char) => table.get(char);
}

const iconv = defineTool("iconv", USAGE, async (tool) => {
  const { given } = tool;
  if (given.has("l")) return tool.out.write(LISTED.map((name) => `${name}//\n`).join(""));
  const [to, ...suffixes] = (given.get("t") ?? "UTF-8").split("//");
  const from = (given.get("f") ?? "UTF-8").split("//")[0];
  const skips = given.has("c") || suffixes.some((suffix) => /IGNORE/i.test(suffix));
  const decode = decoderOf(nameOf(from), skips);
  const encode = encoderOf(nameOf(to));
  if (!decode) {
    throw new CommandError(
      `conversion from \`${from}' is not supported\nTry \`iconv --help' or \`iconv --usage' for more information.`,
    );
  }
  if (!encode) {
    throw new CommandError(
      `conversion to \`${to}' is not supported\nTry \`iconv --help' or \`iconv --usage' for more information.`,
    );
  }
  const loose = suffixes.some((suffix) => /TRANSLIT/i.test(suffix));
  const parts: Uint8Array[] = [];
  if (nameOf(to) === "utf-16") parts.push(Uint8Array.of(0xff, 0xfe));
  if (nameOf(to) === "utf-32") parts.push(Uint8Array.of(0xff, 0xfe, 0, 0));
  try {
    for (const name of tool.inputs) {
      await convert(tool, await tool.readFile(name), parts, decode, (char) => write(char, encode, loose, skips));
    }
  } catch (error) {
    if (!(error instanceof Unconvertible)) throw error;
    tool.report(`illegal input sequence at position ${error.position}`);
  }
  const target = given.get("o");
  const stream = target === undefined ? tool.context.fds.get(1) : tool.create(target);
  await stream.write(concatBytes(parts));
  if (target !== undefined) stream.close();
  return skips && tool.code === 0 ? 0 : tool.code;
});

async function convert(
  tool: Tool,
  bytes: Uint8Array,
  parts: Uint8Array[],
  decode: Decode,
  encode: (char: string) => number[],
): Promise<void> {
  tool.out.coding = BYTES;
  let batch: number[] = [];
  let position = 0;
  for (const char of decode(bytes)) {
    try {
      batch.push(...encode(char));
    } catch (error) {
      parts.push(Uint8Array.from(batch));
      if (error instanceof Unconvertible) throw new Unconvertible(position);
      throw error;
    }
    position += new TextEncoder().encode(char).length;
    if (batch.length < 32768) continue;
    parts.push(Uint8Array.from(batch));
    batch = [];
    await tool.attend();
  }
  parts.push(Uint8Array.from(batch));
}

function write(char: string, encode: Encode, loose: boolean, skips: boolean): number[] {
  const found = encode(char);
  if (found) return found;
  if (loose) {
    const bare = char.normalize("NFKD").replace(/\p{M}/gu, "");
    const parts = [...bare].map(encode);
    if (bare !== "" && parts.every((part) => part !== undefined)) return parts.flat() as number[];
    return encode("?") ?? [];
  }
  if (skips) return [];
  throw new Unconvertible(0);
}

export const commands = [iconv];
