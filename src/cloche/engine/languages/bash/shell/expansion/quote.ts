/** Text quoted so that the shell reads it back. */

// deno-lint-ignore no-control-regex -- control characters are what is looked for
const CONTROL = /[\x00-\x1f\x7f\udc80-\udcff]/;
const SAFE = /^[\w@%+=:,./-]+$/;

const ESCAPES: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\x1b": "\\E",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "'": "\\'",
  "\\": "\\\\",
};

/** $'…', where control characters are in it. */
export function quoteAnsi(text: string): string {
  let out = "";
  for (const char of text) {
    const code = char.charCodeAt(0);
    out += ESCAPES[char] ??
      (code < 32 || code === 127 ? `\\${code.toString(8).padStart(3, "0")}` : code >= 0xdc80 && code <= 0xdcff ? `\\${(code & 255).toString(8)}` : char);
  }
  return `$'${out}'`;
}

/** '…' always, as ${x@Q}, `set` and `alias` do. */
export function quoteReusable(text: string): string {
  if (CONTROL.test(text)) return quoteAnsi(text);
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** '…' only where needed, as `set -x` does. */
export function quoteTrace(text: string): string {
  if (text === "") return "''";
  if (CONTROL.test(text)) return quoteAnsi(text);
  if (!/[\s|&;()<>$`\\"'*?[\]{}!^]|^[~#]/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** By backslashes, as printf %q does. */
export function quoteBackslash(text: string): string {
  if (text === "") return "''";
  if (CONTROL.test(text)) return quoteAnsi(text);
  if (SAFE.test(text)) return text;
  return text.replace(/[\s|&;()<>$`\\"'*?[\]{}!^,]|^[~#]/g, "\\$&");
}

/** "…", as `declare -p` does. */
export function quoteDouble(text: string): string {
  if (CONTROL.test(text)) return quoteAnsi(text);
  return `"${text.replace(/["$`\\]/g, "\\$&")}"`;
}
