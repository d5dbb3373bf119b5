/** Text as a script would write it, in the ways in which bash shows it. */
import { encodeText } from "../../text/byte_strings.ts";

// deno-lint-ignore no-control-regex -- what a terminal does not show
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\udc80-\udcff]/u;
const NAMED: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1b": "\\E",
  "'": "\\'",
  "\\": "\\\\",
};

/** $'…' */
export function quoteAnsi(text: string): string {
  let quoted = "";
  for (const char of text) {
    if (char in NAMED) quoted += NAMED[char];
    else if (!UNPRINTABLE.test(char)) quoted += char;
    else for (const byte of encodeText(char)) quoted += `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`;
  }
  return `$'${quoted}'`;
}

export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

export function quoteSingle(text: string): string {
  if (text === "'") return "\\'";
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `${x@Q}` */
export function quoteReusable(text: string): string {
  return UNPRINTABLE.test(text) ? quoteAnsi(text) : quoteSingle(text);
}

const META = /[ \t\n'"\\|&;()<>!{}*[\]?^$`,]/g;

/** `printf %q`: backslashes. */
export function quoteBackslash(text: string): string {
  if (text === "") return "''";
  if (UNPRINTABLE.test(text)) return quoteAnsi(text);
  return text.replace(META, "\\$&").replace(/^[#~]/, "\\$&").replace(/([:=])~/g, "$1\\~");
}

/** Whether a word has to be quoted to be read back as it is. */
export function hasMeta(text: string): boolean {
  return /[ \t\n'"\\|&;()<>!{}*[\]?^$`]/.test(text) || /^[#~]|[:=]~/.test(text);
}

/** `set -x`, for which quotes are enough where there are any. */
export function quoteTrace(text: string): string {
  if (text === "") return "''";
  if (hasMeta(text)) return quoteSingle(text);
  return UNPRINTABLE.test(text) ? quoteAnsi(text) : text;
}

/** The output of `set`. */
export function quoteAssigned(text: string): string {
  if (text === "") return "";
  if (UNPRINTABLE.test(text)) return quoteAnsi(text);
  return hasMeta(text) ? quoteSingle(text) : text;
}

/** `declare -p` */
export function quoteDouble(text: string): string {
  return UNPRINTABLE.test(text) ? quoteAnsi(text) : `"${text.replace(/["\\$`]/g, "\\$&")}"`;
}

/** A key as `declare -p` and `${m[@]@K}` show it. */
export function quoteKey(text: string): string {
  if (UNPRINTABLE.test(text)) return quoteAnsi(text);
  return hasMeta(text) || text === "@" || text === "*" || text === "" ? `"${text.replace(/["\\$`]/g, "\\$&")}"` : text;
}
