/** Backslash escapes of echo -e, printf and %b, over byte strings. */
import { encodeText } from "./byte_strings.ts";

/** What a letter after a backslash stands for. */
export const SIMPLE_ESCAPES: Record<string, string> = {
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

/**
 * Which escapes count: `format` is printf's first argument, `argument` that of %b; the programs printf and echo differ
 * from the builtins.
 */
type Dialect = "format" | "echo" | "argument" | "program format" | "program echo";

const OCTAL: Record<Dialect, RegExp> = {
  format: /^[0-7]{1,3}/,
  echo: /^0[0-7]{0,3}/,
  argument: /^0?[0-7]{1,3}/,
  "program format": /^[0-7]{1,3}/,
  "program echo": /^(?:0[0-7]{0,3}|[0-7]{1,3})/,
};

/** What must follow some letters. */
const DIGITS: Record<string, [RegExp, string] | undefined> = {
  x: [/[0-9a-fA-F]/, "hex"],
  u: [/[0-9a-fA-F]/, "unicode"],
  U: [/[0-9a-fA-F]/, "unicode"],
};

interface Unescaped {
  bytes: string;
  /** \c has ended the output. */
  stopped: boolean;
  /** The first that is wrong. */
  error: string | undefined;
}

/** Replaces the escapes. */
export function unescapeText(text: string, dialect: Dialect): Unescaped {
  let bytes = "";
  let error: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1];
    if (text[at] !== "\\" || next === undefined) {
      bytes += text[at];
      continue;
    }
    if (next === "c" && dialect !== "format") return { bytes, stopped: true, error };
    const digits = dialect.endsWith("echo") ? undefined : DIGITS[next];
    if (digits && !digits[0].test(text[at + 2] ?? "")) {
      if (dialect === "program format") {
        return { bytes, stopped: true, error: "missing hexadecimal number in escape" };
      }
      error ??= `missing ${digits[1]} digit for \\${next}`;
    }
    const { value, length } = escape(text.slice(at + 1, at + 10), dialect);
    bytes += value;
    at += length;
  }
  return { bytes, stopped: false, error };
}

function escape(text: string, dialect: Dialect): { value: string; length: number } {
  const simple = SIMPLE_ESCAPES[text[0]];
  if (simple !== undefined) return { value: simple, length: 1 };
  if (dialect.endsWith("format") && /["'?]/.test(text[0])) return { value: text[0], length: 1 };
  const octal = text.match(OCTAL[dialect])?.[0];
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
