/** What file says of texts: encoding, line ends, language. */
import { decodeLatin1 } from "../../../../../../text/bytes.ts";

/** A text as it was recognized. */
export interface TextDescription {
  text: string;
  mime: string;
  charset: string;
}

const LONG_LINE = 300;
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

interface Encoding {
  name: string;
  charset: string;
  decoded: string;
}

/** undefined if the bytes are no text. */
export function describeText(bytes: Uint8Array, whole: boolean): TextDescription | undefined {
  const encoding = findEncoding(bytes, whole);
  if (!encoding) return undefined;
  const { decoded, name, charset } = encoding;
  const json = charset === "us-ascii" || charset === "utf-8" ? describeJson(decoded, whole) : undefined;
  if (json) return { ...json, charset };
  const language = findLanguage(decoded);
  if (!language && charset !== "utf-16le" && charset !== "utf-16be" && isCsv(decoded, whole)) {
    return { text: "CSV text", mime: "text/csv", charset };
  }
  const kind = language?.text === undefined ? name : `${language.text}, ${name}`;
  const executable = language?.executable ? " executable" : "";
  return { text: kind + executable + lineNotes(decoded), mime: language?.mime ?? "text/plain", charset };
}

function findEncoding(bytes: Uint8Array, whole: boolean): Encoding | undefined {
  for (const [start, charset] of [[0xfffe, "utf-16le"], [0xfeff, "utf-16be"]] as const) {
    if (bytes.length < 2 || (bytes[0] << 8 | bytes[1]) !== start) continue;
    const order = charset === "utf-16le" ? "little" : "big";
    const decoded = new TextDecoder(charset).decode(bytes);
    return { name: `Unicode text, UTF-16, ${order}-endian text`, charset, decoded };
  }
  // deno-lint-ignore no-control-regex -- bytes that no text has
  const control = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]/;
  const latin = decodeLatin1(bytes);
  if (control.test(latin)) return undefined;
  // deno-lint-ignore no-control-regex -- "only ASCII" is what is asked
  if (/^[\x00-\x7f]*$/.test(latin)) return { name: "ASCII text", charset: "us-ascii", decoded: latin };
  const utf8 = decodeUtf8(bytes, whole);
  if (utf8 !== undefined) {
    const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return { name: `Unicode text, UTF-8 ${bom ? "(with BOM) " : ""}text`, charset: "utf-8", decoded: utf8 };
  }
  if (/[\x80-\x9f]/.test(latin)) {
    return { name: "Non-ISO extended-ASCII text", charset: "unknown-8bit", decoded: latin };
  }
  return { name: "ISO-8859 text", charset: "iso-8859-1", decoded: latin };
}

/** A piece of a longer file may end inside of a character. */
function decodeUtf8(bytes: Uint8Array, whole: boolean): string | undefined {
  for (let cut = 0; cut <= (whole ? 0 : 3); cut++) {
    try {
      return UTF_8.decode(bytes.subarray(0, bytes.length - cut));
    } catch {
      // Perhaps less of it is whole characters.
    }
  }
  return undefined;
}

function lineNotes(text: string): string {
  const crlf = (text.match(/\r\n/g) ?? []).length;
  const cr = (text.match(/\r(?!\n)/g) ?? []).length;
  const lf = (text.match(/(?<!\r)\n/g) ?? []).length;
  const longest = text.split("\n").reduce((most, line) => Math.max(most, line.length), 0);
  let notes = longest > LONG_LINE ? `, with very long lines (${longest})` : "";
  const ends = [crlf > 0 ? "CRLF" : "", cr > 0 ? "CR" : "", lf > 0 ? "LF" : ""].filter((end) => end !== "");
  if (ends.length === 0) notes += ", with no line terminators";
  else if (ends.length > 1 || ends[0] !== "LF") notes += `, with ${ends.join(", ")} line terminators`;
  if (text.includes("\x1b")) notes += ", with escape sequences";
  return notes;
}

interface Language {
  text: string;
  mime: string;
  executable?: boolean;
}

const SHELLS: Record<string, string> = {
  sh: "POSIX shell script",
  bash: "Bourne-Again shell script",
  dash: "a dash script",
  zsh: "Paul Falstad's zsh script",
  node: "Node.js script",
  ruby: "Ruby script",
  perl: "Perl script",
  awk: "awk script",
  php: "PHP script",
  lua: "Lua script",
  tclsh: "Tcl script",
};

const LANGUAGES: [RegExp, Language][] = [
  [/^\s*<\?xml\b[^>]*version="([\d.]+)"/, { text: "XML $1 document", mime: "text/xml" }],
  [/^\s*(?:<!doctype html|<html|<head|<body)/i, { text: "HTML document", mime: "text/html" }],
  [/^\s*<svg\b/, { text: "SVG Scalable Vector Graphics image", mime: "image/svg+xml" }],
  [/^<\?php/, { text: "PHP script", mime: "text/x-php" }],
  [/^\s*#\s*include\s*[<"]/m, { text: "C source", mime: "text/x-c" }],
  [/^(?:import \w|from [\w.]+ import |def \w+\(.*\).*:$)[^]*^\s*(?:def|class) \w+.*:$/m, {
    text: "Python script",
    mime: "text/x-script.python",
    executable: true,
  }],
  [/^\\documentclass|^\\begin\{document\}/m, { text: "LaTeX 2e document", mime: "text/x-tex" }],
  [/^-----BEGIN CERTIFICATE-----/, { text: "PEM certificate", mime: "text/plain" }],
  [/^diff --git |^--- .*\n\+\+\+ /, { text: "unified diff output", mime: "text/x-diff" }],
];

function findLanguage(text: string): Language | undefined {
  const [, program, argument] = /^#!\s*(\S+)(?:[ \t]+(?:-S\s+)?(\S+))?/.exec(text) ?? [];
  if (program !== undefined) {
    const path = program.endsWith("/env") ? argument ?? "" : program;
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (/^python[\d.]*$/.test(name)) return { text: "Python script", mime: "text/x-script.python", executable: true };
    const known = SHELLS[name];
    const mime = name === "sh" || name === "bash" ? "text/x-shellscript" : known ? `text/x-${name}` : "text/plain";
    return { text: known ?? `a ${path} script`, mime, executable: true };
  }
  for (const [pattern, language] of LANGUAGES) {
    const match = pattern.exec(text);
    if (match) return { ...language, text: language.text.replace("$1", match[1] ?? "") };
  }
  return undefined;
}

function describeJson(text: string, whole: boolean): { text: string; mime: string } | undefined {
  if (!whole || !/^\s*[{[]/.test(text)) return undefined;
  try {
    JSON.parse(text);
    return { text: "JSON text data", mime: "application/json" };
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (lines.length < 2 || !lines.every(isJson)) return undefined;
    return { text: "New Line Delimited JSON text data", mime: "application/x-ndjson" };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Several lines with as many commas each, more than none. */
function isCsv(text: string, whole: boolean): boolean {
  const lines = text.split("\n");
  if (whole ? lines.at(-1) === "" : true) lines.pop();
  if (lines.length < 2) return false;
  const counts = lines.slice(0, 10).map((line) => line.replace(/"(?:[^"]|"")*"/g, "").split(",").length);
  return counts[0] > 1 && counts.every((count) => count === counts[0]);
}
