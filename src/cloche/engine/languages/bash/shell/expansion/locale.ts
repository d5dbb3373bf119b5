/** What a character is: in the C locale each byte. */
import { decodeText, encodeText } from "../../text/byte_strings.ts";
import type { Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import { compilePattern } from "./patterns.ts";

export interface Locale {
  /** Whether characters are bytes, and only those of ASCII are letters. */
  readonly bytes: boolean;
  /** Text as a string with one element for each character, and back. */
  encode(text: string): string;
  decode(text: string): string;
}

const UNICODE: Locale = { bytes: false, encode: (text) => text, decode: (text) => text };
const BYTES: Locale = { bytes: true, encode: encodeText, decode: decodeText };

/** The locale of a shell: UTF-8, unless LC_ALL, LC_CTYPE or LANG says C or POSIX. */
export function localeOf(shell: Interpreter): Locale {
  const name = readVariable(shell, "LC_ALL") || readVariable(shell, "LC_CTYPE") || readVariable(shell, "LANG");
  return name === "C" || name === "POSIX" ? BYTES : UNICODE;
}

/** Characters; of text in UTF-8 those beyond 16 bits are two elements of its string. */
export function countCharacters(shell: Interpreter, text: string): number {
  // deno-lint-ignore no-control-regex -- "only ASCII" is what is asked
  if (/^[\x00-\x7f]*$/.test(text)) return text.length;
  const { bytes, encode } = localeOf(shell);
  if (bytes) return encode(text).length;
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}

/** Whether a text as a whole matches a pattern. */
export function matchPattern(shell: Interpreter, pattern: string, text: string, nocase: boolean): boolean {
  const { bytes, encode } = localeOf(shell);
  return compilePattern(encode(pattern), { nocase, bytes }).match(encode(text));
}
