/** The text of differences between two files, as git writes it; all strings hold bytes. */
import { type Change, diffLines } from "../../text/diff/line_diff.ts";
import { type FileLines, renderHunks, splitLines } from "../../text/diff/unified_hunks.ts";

const LOOKED_AT = 8000;
const HEADING = 80;

/** Whether git would call this binary. */
export function isBinary(data: Uint8Array): boolean {
  return data.subarray(0, LOOKED_AT).includes(0);
}

export interface LineChanges {
  from: FileLines;
  to: FileLines;
  changes: Change[];
}

/** What changed between two texts. */
export function compareTexts(from: string, to: string, keep?: (line: string) => string): LineChanges {
  const [a, b] = [splitLines(from), splitLines(to)];
  const keys = ({ lines, open }: FileLines) => {
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

/** The hunks with `context` lines around each change. */
export function renderChanges({ from, to, changes }: LineChanges, context = 3): string {
  return renderHunks([from, to], changes, context, heading);
}

/** The last line before a hunk that looks like the head of a function. */
function heading(lines: string[], start: number): string {
  for (let i = start - 1; i >= 0; i--) {
    if (/^[A-Za-z_$]/.test(lines[i])) return " " + lines[i].slice(0, HEADING).trimEnd();
  }
  return "";
}
