/** Diffs with context, in the old form: both versions of a place, one after the other. */
import type { Change } from "../../../text/diff/line_diff.ts";
import { groupChanges, renderLines } from "../../../text/diff/unified_hunks.ts";
import { type Heading, rangeOf, type Side } from "./diff_render.ts";

export function renderContext(
  names: [string, string],
  a: Side,
  b: Side,
  changes: Change[],
  context: number,
  heading: Heading = () => "",
): string {
  const hunks = groupChanges(changes, context).map((hunk) => {
    const [first, last] = [hunk[0], hunk[hunk.length - 1]];
    const before = Math.min(context, first.from[0]);
    const after = Math.min(context, a.lines.length - last.from[1]);
    const from: [number, number] = [first.from[0] - before, last.from[1] + after];
    const to: [number, number] = [first.to[0] - before, last.to[1] + after];
    return `***************${heading(a.lines, from[0])}\n*** ${rangeOf(from)} ****\n` +
      renderSide(a, hunk, "from", from) + `--- ${rangeOf(to)} ----\n` + renderSide(b, hunk, "to", to);
  });
  return `*** ${names[0]}\n--- ${names[1]}\n${hunks.join("")}`;
}

/** A version is left out if nothing of it has changed. */
function renderSide(side: Side, hunk: Change[], key: "from" | "to", [start, end]: [number, number]): string {
  if (hunk.every((change) => change[key][0] === change[key][1])) return "";
  const other = key === "from" ? "to" : "from";
  let at = start;
  let out = "";
  for (const change of hunk) {
    const mark = change[other][0] === change[other][1] ? (key === "from" ? "- " : "+ ") : "! ";
    out += renderLines("  ", side, [at, change[key][0]]) + renderLines(mark, side, change[key]);
    at = change[key][1];
  }
  return out + renderLines("  ", side, [at, end]);
}
