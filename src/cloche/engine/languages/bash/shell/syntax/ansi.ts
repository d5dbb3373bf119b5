/** The escapes of $'…'. */
import { decodeText, encodeText } from "../../text/byte_strings.ts";
import { SIMPLE_ESCAPES } from "../../text/escapes.ts";

const SIMPLE: Record<string, string> = { ...SIMPLE_ESCAPES, "'": "'", '"': '"', "?": "?" };

const NUMBER =
  /x\{([0-9a-fA-F]*)\}|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])/y;

/** Reads from after `$'` to the closing quote; `end` is beyond the text if there is none. */
export function unescapeAnsi(text: string, start: number): { value: string; end: number } {
  let bytes = "";
  let at = start;
  for (; at < text.length && text[at] !== "'"; at++) {
    if (text[at] !== "\\" || at + 1 >= text.length) {
      bytes += encodeText(pointAt(text, at));
      if (pointAt(text, at).length > 1) at++;
      continue;
    }
    at++;
    const simple = SIMPLE[text[at]];
    NUMBER.lastIndex = at;
    const match = simple === undefined ? NUMBER.exec(text) : null;
    if (simple !== undefined) bytes += simple;
    else if (match) {
      bytes += decodeNumber(match);
      at += match[0].length - 1;
    } else bytes += `\\${encodeText(text[at])}`;
  }
  // A NUL ends the text.
  const nul = bytes.indexOf("\0");
  return { value: decodeText(nul < 0 ? bytes : bytes.slice(0, nul)), end: at + 1 };
}

function decodeNumber([, braced, hex, short, long, octal, control]: RegExpExecArray): string {
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 31);
  if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 255);
  const byte = braced ?? hex;
  if (byte !== undefined) return String.fromCharCode(parseInt(byte || "0", 16) & 255);
  const code = parseInt(short ?? long ?? "0", 16);
  return code > 0x10ffff ? "" : encodeText(String.fromCodePoint(code));
}

function pointAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}
