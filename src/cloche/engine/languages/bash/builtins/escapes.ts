/** Backslash escapes of echo -e, printf and %b, over byte strings. */
import { encodeText } from "../streams/byte_strings.ts";

const SIMPLE: Record<string, string> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

/** Which escapes count: `format` is printf's first argument, `argument` that of %b. */
type Dialect = "format" | "echo" | "argument";

/** Replaces the escapes; `stopped` says that \c ended the output. */
export function unescapeText(text: string, dialect: Dialect): { bytes: string; stopped: boolean } {
  let bytes = "";
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1];
    if (text[at] !== "\\" || next === undefined) {
      bytes += text[at];
      continue;
    }
    if (next === "c" && dialect !== "format") return { bytes, stopped: true };
    const { value, length } = escape(text.slice(at + 1, at + 10), dialect);
    bytes += value;
    at += length;
  }
  return { bytes, stopped: false };
}

function escape(text: string, dialect: Dialect): { value: string; length: number } {
  const simple = SIMPLE[text[0]];
  if (simple !== undefined) return { value: simple, length: 1 };
  if (dialect === "format" && /["'?]/.test(text[0])) return { value: text[0], length: 1 };
  const octal = text.match(dialect === "format" ? /^[0-7]{1,3}/ : dialect === "echo" ? /^0[0-7]{0,3}/ : /^0?[0-7]{1,3}/)
    ?.[0];
  if (octal !== undefined) return { value: String.fromCharCode(parseInt(octal, 8) & 255), length: octal.length };
  const hex = text.match(/^x([0-9a-fA-F]{1,2})/) ?? text.match(/^u([0-9a-fA-F]{1,4})/) ??
    text.match(/^U([0-9a-fA-F]{1,8})/);
  if (!hex) return { value: "\\" + text[0], length: 1 };
  const code = parseInt(hex[1], 16);
  const value = text[0] === "x"
    ? String.fromCharCode(code)
    : encodeText(String.fromCodePoint(Math.min(code, 0x10ffff)));
  return { value, length: hex[0].length };
}
