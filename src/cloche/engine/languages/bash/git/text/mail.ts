/** Patches as mail: headers, encoded words, the parts of a message. */
import { decodeText, encodeText } from "../../text/byte_strings.ts";

const WIDTH = 78;
const ENCODED = 76;

// deno-lint-ignore no-control-regex -- everything beyond ASCII is looked for
const BEYOND = /[^\x00-\x7f]/;

export function isAscii(text: string): boolean {
  return !BEYOND.test(text);
}

/** A header's value with text beyond ASCII encoded, folded into lines. */
export function renderHeader(name: string, prefix: string, text: string): string {
  const start = `${name}: ${prefix}`;
  return isAscii(text) ? fold(start, text) : start + encodeWords(text, start.length);
}

function fold(start: string, text: string): string {
  let out = "";
  let line = start;
  for (const [i, word] of text.split(" ").entries()) {
    const gap = i === 0 ? "" : " ";
    if (i > 0 && line.length + 1 + word.length > WIDTH) {
      out += `${line}\n`;
      line = ` ${word}`;
    } else line += gap + word;
  }
  return out + line;
}

function encodeWords(text: string, start: number): string {
  const open = "=?UTF-8?q?";
  let out = open;
  let length = start + open.length;
  for (const char of text) {
    const bytes = [...encodeText(char)].map((byte) => byte.charCodeAt(0));
    const piece = bytes.map((byte) =>
      /[A-Za-z0-9!*+\-/]/.test(String.fromCharCode(byte)) && byte < 128
        ? String.fromCharCode(byte)
        : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`
    ).join("");
    if (length + piece.length + 2 > ENCODED) {
      out += `?=\n ${open}`;
      length = 1 + open.length;
    }
    out += piece;
    length += piece.length;
  }
  return `${out}?=`;
}

/** Undoes encoded words such as `=?UTF-8?q?=C3=BC?=`. */
export function decodeWords(text: string): string {
  return text.replace(/\?=\s+=\?/g, "?==?").replace(
    /=\?[\w-]+\?([qQbB])\?([^?]*)\?=/g,
    (_, kind: string, data: string) => {
      if (kind.toLowerCase() === "b") return decodeText(atob(data));
      return decodeText(decodeQuoted(data.replaceAll("_", " ")));
    },
  );
}

/** Undoes quoted-printable, to bytes. */
export function decodeQuoted(text: string): string {
  return text.replace(/=\r?\n/g, "").replace(
    /=([0-9A-Fa-f]{2})/g,
    (_, code) => String.fromCharCode(parseInt(code, 16)),
  );
}

export interface Mail {
  from: string;
  date: string | undefined;
  subject: string;
  /** The message below the subject. */
  body: string;
  /** The patch, as bytes. */
  patch: string;
}

/** The mails in an mbox; all text is bytes. */
export function splitMails(text: string): string[] {
  const plain = text.replace(/\r\n/g, "\n").replace(/^\n+/, "");
  if (!/^From /.test(plain)) {
    return /^(From|Subject|Date|Message-Id|X-[\w-]+): /im.test(plain.split("\n\n")[0]) ? [plain] : [];
  }
  return plain.split(/^(?=From [^\n]*\d\d:\d\d:\d\d \d{4}\n)/m).filter((mail) => mail.trim() !== "");
}

export function parseMail(raw: string, keep = false): Mail {
  const text = raw.replace(/^From .*\n/, "");
  const gap = text.indexOf("\n\n");
  const head = decodeText((gap < 0 ? text : text.slice(0, gap + 1)).replace(/\n[ \t]+/g, " "));
  const value = (name: string) => {
    const found = head.match(new RegExp(`^${name}:[ \\t]*(.*)$`, "mi"))?.[1];
    return found === undefined ? undefined : decodeWords(found);
  };
  const coding = value("Content-Transfer-Encoding")?.toLowerCase() ?? "";
  const packed = gap < 0 ? "" : text.slice(gap + 2);
  const whole = coding === "quoted-printable"
    ? decodeQuoted(packed)
    : coding === "base64"
    ? atob(packed.replace(/\s/g, ""))
    : packed;
  const cut = whole.search(/^(?:---(?:\s|$)|diff -|Index: )/m);
  let body = decodeText(cut < 0 ? whole : whole.slice(0, cut));
  const inner = body.match(/^\s*From: (.*)\n+/);
  if (inner) body = body.slice(inner[0].length);
  const title = value("Subject") ?? "";
  return {
    from: inner?.[1] ?? value("From") ?? "",
    date: value("Date"),
    subject: keep ? title : title.replace(/^(?:\s*(?:re:|\[[^\]]*\]))*\s*/i, ""),
    body: body.trim(),
    patch: (cut < 0 ? "" : whole.slice(cut)).replace(/\n-- \n[^\n]*\n*$/, "\n"),
  };
}
