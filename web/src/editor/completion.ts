/** Completions of the server, which counts characters, in an editor, which counts half characters. */

import type { Completion as Answer } from "../api/types.ts";

/** What may stand at the cursor of some code, which is given in characters; null if nothing may. */
export type Complete = (code: string, cursor: number, signal: AbortSignal) => Promise<Answer | null>;

/** The number of characters before a place in a text. */
export function countCharacters(text: string, place: number): number {
  let count = 0;
  for (let at = 0; at < place; at++) {
    // A character beyond the first 65,536 has two places: its second half does not count.
    if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00 || at === 0) count++;
  }
  return count;
}

/** The place in a text after so many characters. */
export function findCharacter(text: string, count: number): number {
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}
