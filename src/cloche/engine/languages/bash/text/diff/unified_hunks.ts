/** The hunks of a unified diff, for `diff -u` and git. */
import type { Change } from "./line_diff.ts";

/** A file as lines; `open` if the last one has no end. */
export interface FileLines {
  lines: string[];
  open: boolean;
}

export function splitLines(text: string): FileLines {
  const lines = text.split("\n");
  const open = lines.at(-1) !== "";
  if (!open) lines.pop();
  return { lines, open };
}

/** Renders the changes with `context` lines around each; `heading` is written after the ranges of a hunk. */
export function renderHunks(
  [from, to]: [FileLines, FileLines],
  changes: Change[],
  context: number,
  heading: (lines: string[], start: number) => string = () => "",
): string {
  return groupChanges(changes, context).map((hunk) => renderHunk(from, to, hunk, context, heading)).join("");
}

/** Changes that are so near that they share lines of context. */
export function groupChanges(changes: Change[], context: number): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    const most = change.ignored ? context - 1 : 2 * context;
    if (last && change.from[0] - last.from[1] <= most) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks.filter((hunk) => !hunk.every(({ ignored }) => ignored));
}

function renderHunk(
  a: FileLines,
  b: FileLines,
  hunk: Change[],
  context: number,
  heading: (lines: string[], start: number) => string,
): string {
  const [first, last] = [hunk[0], hunk[hunk.length - 1]];
  const before = Math.min(context, first.from[0]);
  const after = Math.min(context, a.lines.length - last.from[1]);
  const start = first.from[0] - before;
  const ranges = `-${range(start, last.from[1] + after)} +${range(first.to[0] - before, last.to[1] + after)}`;
  let text = `@@ ${ranges} @@${heading(a.lines, start)}\n`;
  let at = start;
  for (const { from, to } of hunk) {
    text += renderLines(" ", a, [at, from[0]]) + renderLines("-", a, from) + renderLines("+", b, to);
    at = from[1];
  }
  return text + renderLines(" ", a, [at, at + after]);
}

function range(start: number, end: number): string {
  const count = end - start;
  return count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`;
}

/** Lines with a mark before each. */
export function renderLines(mark: string, { lines, open }: FileLines, [start, end]: [number, number]): string {
  let text = "";
  for (let i = start; i < end; i++) {
    text += `${mark}${lines[i]}\n`;
    if (open && i === lines.length - 1) text += "\\ No newline at end of file\n";
  }
  return text;
}
