/** Sets of bytes as tr takes them: ranges, classes, repetitions, escapes. */
import { CommandError } from "../tool/errors.ts";

export interface SetPart {
  bytes: number[];
  /** The class it was given by, or `=`. */
  name?: string;
  /** `[x*5]`; 0 means as often as there is room. */
  repeat?: number;
}

const CLASSES: Record<string, (code: number) => boolean> = {
  alnum: (c) => isDigit(c) || isAlpha(c),
  alpha: isAlpha,
  blank: (c) => c === 32 || c === 9,
  cntrl: (c) => c < 32 || c === 127,
  digit: isDigit,
  graph: (c) => c > 32 && c < 127,
  lower: (c) => c >= 97 && c <= 122,
  print: (c) => c >= 32 && c < 127,
  punct: (c) => c > 32 && c < 127 && !isDigit(c) && !isAlpha(c),
  space: (c) => c === 32 || c >= 9 && c <= 13,
  upper: (c) => c >= 65 && c <= 90,
  xdigit: (c) => isDigit(c) || c >= 65 && c <= 70 || c >= 97 && c <= 102,
};

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isAlpha(code: number): boolean {
  return code >= 65 && code <= 90 || code >= 97 && code <= 122;
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, "\\": 92 };

/** A byte, and whether it was escaped. */
interface Item {
  byte: number;
  plain: boolean;
}

/** Reads escapes: what is left is bytes, of which the plain ones may be signs. */
function readItems(text: string): Item[] {
  const items: Item[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "\\" || at + 1 >= text.length) {
      items.push({ byte: text.charCodeAt(at), plain: true });
      continue;
    }
    const [octal] = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4)) ?? [];
    if (octal !== undefined) {
      const digits = parseInt(octal, 8) > 255 ? octal.slice(0, 2) : octal;
      items.push({ byte: parseInt(digits, 8), plain: false });
      at += digits.length;
    } else {
      items.push({ byte: ESCAPES[text[at + 1]] ?? text.charCodeAt(at + 1), plain: false });
      at++;
    }
  }
  return items;
}

export function parseSet(text: string): SetPart[] {
  const items = readItems(text);
  const parts: SetPart[] = [];
  const sign = (at: number, char: string) => items[at]?.plain === true && items[at].byte === char.charCodeAt(0);
  for (let at = 0; at < items.length;) {
    const bracket = sign(at, "[") ? readBracket(items, at, sign) : undefined;
    if (bracket) {
      parts.push(bracket.part);
      at = bracket.end;
    } else if (sign(at + 1, "-") && at + 2 < items.length) {
      parts.push(makeRange(items[at].byte, items[at + 2].byte));
      at += 3;
    } else {
      parts.push({ bytes: [items[at].byte] });
      at++;
    }
  }
  return parts;
}

function readBracket(
  items: Item[],
  at: number,
  sign: (at: number, char: string) => boolean,
): { part: SetPart; end: number } | undefined {
  for (const mark of [":", "="]) {
    if (!sign(at + 1, mark)) continue;
    for (let end = at + 2; end + 1 < items.length; end++) {
      if (!sign(end, mark) || !sign(end + 1, "]") || end === at + 2 && mark === "=") continue;
      return { part: makeClass(items.slice(at + 2, end), mark), end: end + 2 };
    }
  }
  if (at + 1 >= items.length || !sign(at + 2, "*")) return undefined;
  let digits = "";
  for (let end = at + 3; end < items.length; end++) {
    if (sign(end, "]")) {
      const repeat = parseInt(digits, digits.startsWith("0") ? 8 : 10) || 0;
      return { part: { bytes: [items[at + 1].byte], repeat }, end: end + 1 };
    }
    const char = String.fromCharCode(items[end].byte);
    if (!/\d/.test(char)) return undefined;
    digits += char;
  }
  return undefined;
}

function makeClass(items: Item[], mark: string): SetPart {
  const name = items.map(({ byte }) => String.fromCharCode(byte)).join("");
  if (mark === "=") {
    if (items.length === 1) return { bytes: [items[0].byte], name: "=" };
    throw new CommandError(`${name}: equivalence class operand must be a single character`);
  }
  const test = CLASSES[name];
  if (!test) throw new CommandError(`invalid character class '${name}'`);
  return { bytes: Array.from({ length: 256 }, (_, code) => code).filter(test), name };
}

function makeRange(first: number, last: number): SetPart {
  if (last >= first) return { bytes: Array.from({ length: last - first + 1 }, (_, i) => first + i) };
  const show = (byte: number) =>
    byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
  throw new CommandError(
    `range-endpoints of '${show(first)}-${show(last)}' are in reverse collating sequence order`,
  );
}
