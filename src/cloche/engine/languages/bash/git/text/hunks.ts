/** The text of differences between two files, as git writes it; all strings hold bytes. */
import { type Change, diffLines } from "../../commands/diff/line_diff.ts";

const LOOKED_AT = 8000;
const HEADING = 80;

/** A file as lines; `open` if the last has no end. */
interface Side {
  lines: string[];
  open: boolean;
}

/** Whether git would call this binary. */
export function isBinary(data: Uint8Array): boolean {
  return data.subarray(0, LOOKED_AT).includes(0);
}

function sideOf(text: string): Side {
  const lines = text.split("\n");
  const open = lines.at(-1) !== "";
  if (!open) lines.pop();
  return { lines, open };
}

export interface LineChanges {
  from: Side;
  to: Side;
  changes: Change[];
}

/** What changed between two texts. */
export function compareTexts(from: string, to: string, keep?: (line: string) => string): LineChanges {
  const [a, b] = [sideOf(from), sideOf(to)];
  const keys = ({ lines, open }: Side) => {
    const keyed = keep ? lines.map(keep) : lines;
    return open ? [...keyed.slice(0, -1), keyed[keyed.length - 1] + "\n"] : keyed;
  };
  return { from: a, to: b, changes: settle(diffLines(keys(a), keys(b)), a.lines, b.lines) };
}

/** Moves pure insertions and deletions as far down as they go, as git does. */
function settle(changes: Change[], a: string[], b: string[]): Change[] {
  const done: Change[] = [];
  for (let i = 0; i < changes.length; i++) {
    const { from, to } = changes[i];
    const [lines, moved] = from[0] === from[1] ? [b, to] : to[0] === to[1] ? [a, from] : [[], undefined];
    const limit = changes[i + 1]?.from[0] ?? a.length;
    let shift = 0;
    while (moved && from[1] + shift < limit && lines[moved[0] + shift] === lines[moved[1] + shift]) shift++;
    const change: Change = { from: [from[0] + shift, from[1] + shift], to: [to[0] + shift, to[1] + shift] };
    const next = changes[i + 1];
    if (shift > 0 && next && change.from[1] === next.from[0] && change.to[1] === next.to[0]) {
      changes[i + 1] = { from: [change.from[0], next.from[1]], to: [change.to[0], next.to[1]] };
    } else done.push(change);
  }
  return done;
}

/** How many lines came and went. */
export function countLines({ changes }: LineChanges): { added: number; deleted: number } {
  const sum = (side: "from" | "to") => changes.reduce((total, change) => total + change[side][1] - change[side][0], 0);
  return { added: sum("to"), deleted: sum("from") };
}

/** The hunks with this many lines around each change. */
export function renderHunks({ from, to, changes }: LineChanges, context = 3): string {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last && change.from[0] - last.from[1] <= 2 * context) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks.map((hunk) => renderHunk(from, to, hunk, context)).join("");
}

function renderHunk(a: Side, b: Side, hunk: Change[], context: number): string {
  const [first, last] = [hunk[0], hunk[hunk.length - 1]];
  const before = Math.min(context, first.from[0]);
  const after = Math.min(context, a.lines.length - last.from[1]);
  const start = first.from[0] - before;
  const ranges = `-${range(start, last.from[1] + after)} +${range(first.to[0] - before, last.to[1] + after)}`;
  let text = `@@ ${ranges} @@${heading(a.lines, start)}\n`;
  let at = start;
  for (const { from, to } of hunk) {
    text += render(" ", a, at, from[0]) + render("-", a, ...from) + render("+", b, ...to);
    at = from[1];
  }
  return text + render(" ", a, at, at + after);
}

function range(start: number, end: number): string {
  const count = end - start;
  return count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`;
}

/** The last line before a hunk that looks like the head of a function. */
function heading(lines: string[], start: number): string {
  for (let i = start - 1; i >= 0; i--) {
    if (/^[A-Za-z_$]/.test(lines[i])) return " " + lines[i].slice(0, HEADING).trimEnd();
  }
  return "";
}

function render(mark: string, { lines, open }: Side, start: number, end: number): string {
  let text = "";
  for (let i = start; i < end; i++) {
    text += `${mark}${lines[i]}\n`;
    if (open && i === lines.length - 1) text += "\\ No newline at end of file\n";
  }
  return text;
}
