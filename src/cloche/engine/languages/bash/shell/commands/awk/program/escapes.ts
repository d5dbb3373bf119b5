/** Backslash sequences of strings, in programs and in values given on the command line. */
import { decodeText, encodeText } from "../../../../text/byte_strings.ts";

const LETTERS: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "/": "/",
};

export interface Escape {
  text: string;
  /** Where the text goes on. */
  end: number;
  /** True if the backslash means nothing. */
  unknown?: boolean;
}

/** The sequence after the backslash before `at`. */
export function readEscape(source: string, at: number): Escape {
  const rest = source.slice(at, at + 9);
  const octal = rest.match(/^[0-7]{1,3}/);
  if (octal) return bytesFrom(source, at + octal[0].length, parseInt(octal[0], 8) & 255);
  const hex = rest.match(/^x([0-9a-fA-F]{1,2})/);
  if (hex) return bytesFrom(source, at + hex[0].length, parseInt(hex[1], 16));
  const wide = rest.match(/^u([0-9a-fA-F]{1,8})/);
  if (wide && parseInt(wide[1], 16) <= 0x10ffff) {
    return { text: String.fromCodePoint(parseInt(wide[1], 16)), end: at + wide[0].length };
  }
  const char = String.fromCodePoint(source.codePointAt(at) ?? 92);
  const known = LETTERS[char];
  if (known !== undefined) return { text: known, end: at + 1 };
  return { text: char, end: Math.min(source.length, at + char.length), unknown: true };
}

/** A byte, with those that follow and make one character with it. */
function bytesFrom(source: string, end: number, byte: number): Escape {
  if (byte < 0x80) return { text: String.fromCharCode(byte), end };
  let bytes = String.fromCharCode(byte);
  const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
  while (byte >= 0xc2 && bytes.length < wanted) {
    const more = source.slice(end, end + 4).match(/^\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2}))/);
    if (!more) break;
    const code = more[1] !== undefined ? parseInt(more[1], 8) : parseInt(more[2], 16);
    if ((code & 0xc0) !== 0x80) break;
    bytes += String.fromCharCode(code);
    end += more[0].length;
  }
  return { text: decodeText(bytes), end };
}

/** A value of the command line, `x=a\tb`, whose sequences mean what they mean in a string. */
export function unescapeValue(value: string): string {
  if (!value.includes("\\")) return value;
  let text = "";
  for (let at = 0; at < value.length;) {
    if (value[at] !== "\\" || at + 1 === value.length) {
      text += value[at++];
      continue;
    }
    const escape = readEscape(value, at + 1);
    text += escape.text;
    at = escape.end;
  }
  return text;
}

/** The character of a number, as `printf %c` prints it. */
export function characterOf(code: number): string {
  if (!(code >= 0 && code <= 0x10ffff)) return "\ufffd";
  return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : String.fromCodePoint(code);
}

/** The same where every byte is a character. */
export function byteOf(code: number): string {
  const byte = code & 255;
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
}

/** How many bytes a text has. */
export function sizeInBytes(text: string): number {
  return encodeText(text).length;
}
