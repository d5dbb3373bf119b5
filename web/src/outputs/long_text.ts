/** How much of a long text is shown at first: the page has to stay quick. */

const CHARACTERS = 100_000;

/** The beginning of a text, to the end of a line where there is one, and how many characters are left. */
export function cutText(text: string, room: number): { shown: string; left: number } {
  const limit = CHARACTERS * room;
  if (text.length <= limit * 1.2) return { shown: text, left: 0 };
  const end = text.lastIndexOf("\n", limit);
  const shown = text.slice(0, end > limit / 2 ? end : limit);
  return { shown, left: text.length - shown.length };
}
