/** Colours for code that is only shown: pieces of text with the classes that the editor uses too. */

import { classHighlighter, highlightTree } from "@lezer/highlight";
import { loadLanguage } from "./languages.ts";

export interface Piece {
  text: string;
  /** Empty for plain text. */
  classes: string;
}

/** Characters beyond which a text is shown without colours. */
const LIMIT = 60_000;

/** The pieces of some code; undefined if its language is not known, or if it is too long. */
export async function highlight(code: string, language: string): Promise<Piece[] | undefined> {
  const loading = code.length <= LIMIT ? loadLanguage(language) : undefined;
  if (!loading) return undefined;
  const known = await loading;
  const { parser } = "language" in known ? known.language : known;
  const pieces: Piece[] = [];
  let done = 0;
  const add = (end: number, classes: string) => {
    if (end > done) pieces.push({ text: code.slice(done, end), classes });
    done = Math.max(done, end);
  };
  highlightTree(parser.parse(code), classHighlighter, (from, to, classes) => {
    add(from, "");
    add(to, classes);
  });
  add(code.length, "");
  return pieces;
}
