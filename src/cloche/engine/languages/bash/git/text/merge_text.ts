/** Merges two versions of a text with a common ancestor, line by line. */
import { type Change, diffLines } from "../../text/diff/line_diff.ts";

/** Lines with their ends, so that a last one without is another line. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

interface Merged {
  text: string;
  conflicts: number;
}

/** A run of the base that at least one side replaced. */
interface Region {
  start: number;
  end: number;
  ours: Change[];
  theirs: Change[];
}

/** All strings contain bytes; the labels are written at the conflict markers. */
export function mergeTexts(base: string, ours: string, theirs: string, labels: [string, string]): Merged {
  const [o, a, b] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const regions = regionsOf(diffLines(o, a), diffLines(o, b));
  const out: string[] = [];
  let [at, conflicts] = [0, 0];
  for (const region of regions) {
    out.push(...o.slice(at, region.start));
    const [mine, yours] = [sideOf(region, region.ours, o, a), sideOf(region, region.theirs, o, b)];
    if (region.theirs.length === 0 || mine.join("") === yours.join("")) out.push(...mine);
    else if (region.ours.length === 0) out.push(...yours);
    else {
      conflicts++;
      out.push(...conflict(mine, yours, labels));
    }
    at = region.end;
  }
  return { text: [...out, ...o.slice(at)].join(""), conflicts };
}

function regionsOf(ours: Change[], theirs: Change[]): Region[] {
  const all = [
    ...ours.map((change) => ({ change, side: "ours" as const })),
    ...theirs.map((change) => ({ change, side: "theirs" as const })),
  ].sort((a, b) => a.change.from[0] - b.change.from[0] || a.change.from[1] - b.change.from[1]);
  const regions: Region[] = [];
  for (const { change, side } of all) {
    const [start, end] = change.from;
    let region = regions.at(-1);
    if (!region || start > region.end) {
      region = { start, end, ours: [], theirs: [] };
      regions.push(region);
    }
    region.end = Math.max(region.end, end);
    region[side].push(change);
  }
  return regions;
}

/** What one side has in the place of a region. */
function sideOf({ start, end }: Region, changes: Change[], base: string[], lines: string[]): string[] {
  const out: string[] = [];
  let at = start;
  for (const { from, to } of changes) {
    out.push(...base.slice(at, from[0]), ...lines.slice(...to));
    at = from[1];
  }
  return [...out, ...base.slice(at, end)];
}

/** Lines that both sides have at the start or end of a conflict are none of it. */
function conflict(mine: string[], yours: string[], [ours, theirs]: [string, string]): string[] {
  let head = 0;
  while (head < mine.length && head < yours.length && mine[head] === yours[head]) head++;
  let tail = 0;
  while (tail < mine.length - head && tail < yours.length - head && mine.at(-1 - tail) === yours.at(-1 - tail)) tail++;
  const inner = (lines: string[]) => {
    const part = lines.slice(head, lines.length - tail);
    const last = part.at(-1);
    return last !== undefined && !last.endsWith("\n") ? [...part.slice(0, -1), last + "\n"] : part;
  };
  return [
    ...mine.slice(0, head),
    `<<<<<<< ${ours}\n`,
    ...inner(mine),
    "=======\n",
    ...inner(yours),
    `>>>>>>> ${theirs}\n`,
    ...mine.slice(mine.length - tail),
  ];
}
