/** Reading diffs in the form that diff has without options: `5c5`, `< old`, `---`, `> new`. */
import type { FilePatch, Hunk } from "./patch_format.ts";

const PLACE = /^(\d+)(?:,\d+)?[acd](\d+)(?:,\d+)?$/;
const OPEN = "\\ No newline at end of file";

/** The patch, which names no file; undefined if there is none in the text. */
export function parseNormal(text: string): FilePatch | undefined {
  const lines = text.split("\n");
  const hunks: Hunk[] = [];
  for (let i = 0; i < lines.length; i++) {
    const found = lines[i].match(PLACE);
    if (!found) continue;
    const hunk = beginHunk(found);
    for (; i + 1 < lines.length && /^[<>] |^---$|^\\ /.test(lines[i + 1]); i++) addLine(hunk, lines[i + 1]);
    if (hunk.lines.length > 0) hunks.push(hunk);
  }
  return hunks.length > 0 ? { oldName: "", newName: "", hunks, renames: false } : undefined;
}

function beginHunk([, old, now]: RegExpMatchArray): Hunk {
  return { oldStart: Number(old), newStart: Number(now), lines: [], oldOpen: false, newOpen: false, bare: true };
}

function addLine(hunk: Hunk, line: string): void {
  if (line === OPEN) {
    if (hunk.lines.at(-1)?.startsWith("-")) hunk.oldOpen = true;
    else hunk.newOpen = true;
  } else if (line !== "---") hunk.lines.push(`${line[0] === "<" ? "-" : "+"}${line.slice(2)}`);
}
