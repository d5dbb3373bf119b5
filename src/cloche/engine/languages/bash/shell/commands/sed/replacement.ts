/** The right side of `s`: read once, then filled in for each match. */
import type { Match } from "../../../text/regex/regex.ts";
import { readCharacterEscape } from "../../../text/regex/syntax.ts";
import type { Piece } from "./script.ts";

export function parseReplacement(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = "";
  const add = (piece: Piece) => {
    if (plain !== "") pieces.push({ kind: "text", text: plain });
    plain = "";
    pieces.push(piece);
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "&") add({ kind: "group", group: 0 });
    else if (char !== "\\" || at + 1 >= text.length) plain += char;
    else {
      const next = text[at + 1];
      const escape = readCharacterEscape(text, at);
      if (/\d/.test(next)) add({ kind: "group", group: Number(next) });
      else if (/[ULulE]/.test(next)) add({ kind: "case", letter: next as "U" });
      else if (escape) {
        plain += String.fromCharCode(escape.code);
        at += escape.length - 2;
      } else plain += next;
      at++;
    }
  }
  if (plain !== "") pieces.push({ kind: "text", text: plain });
  return pieces;
}

/** What a match is replaced by. */
export function fillIn(pieces: Piece[], text: string, match: Match): string {
  if (pieces.length === 1 && pieces[0].kind === "text") return pieces[0].text;
  let out = "";
  let all: "U" | "L" | undefined;
  let next: "u" | "l" | undefined;
  for (const piece of pieces) {
    if (piece.kind === "case") {
      if (piece.letter === "u" || piece.letter === "l") next = piece.letter;
      else {
        all = piece.letter === "E" ? undefined : piece.letter;
        next = undefined;
      }
      continue;
    }
    let part = piece.kind === "text"
      ? piece.text
      : piece.group === 0
      ? text.slice(match.start, match.end)
      : match.groups[piece.group - 1] ?? "";
    if (part === "") continue;
    if (all) part = all === "U" ? part.toUpperCase() : part.toLowerCase();
    if (next) {
      const first = String.fromCodePoint(part.codePointAt(0) ?? 0);
      part = (next === "u" ? first.toUpperCase() : first.toLowerCase()) + part.slice(first.length);
      next = undefined;
    }
    out += part;
  }
  return out;
}
