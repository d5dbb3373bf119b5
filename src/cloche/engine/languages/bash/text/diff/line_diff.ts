/** The difference between two lists of lines, by Myers' method. */

/** A run of lines [start, end) of the first list that is replaced by a run of the second. */
export interface Change {
  from: [start: number, end: number];
  to: [start: number, end: number];
}

/** Beyond this many differences the shortest answer is not worth its time: one big change is given. */
const MAX_EDITS = 4000;

/** The changes that lead from one list to the other, in order; equal lines are equal strings. */
export function diffLines(from: string[], to: string[]): Change[] {
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head++;
  let tail = 0;
  while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
  const a = from.slice(head, from.length - tail);
  const b = to.slice(head, to.length - tail);
  if (a.length === 0 && b.length === 0) return [];
  return group(edits(a, b), head);
}

type Edit = { kind: "-" | "+"; at: [number, number] };

function edits(a: string[], b: string[]): Edit[] | { whole: [number, number] } {
  const max = Math.min(a.length + b.length, MAX_EDITS);
  const trace: Int32Array[] = [];
  let reach = new Int32Array(2 * max + 2);
  for (let d = 0; d <= max; d++) {
    trace.push(reach.slice(max - d, max + d + 1));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[max + k - 1] < reach[max + k + 1]);
      let x = down ? reach[max + k + 1] : reach[max + k - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[max + k] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(trace, a.length, b.length);
    }
    reach = reach.slice();
  }
  return { whole: [a.length, b.length] };
}

function backtrack(trace: Int32Array[], endA: number, endB: number): Edit[] {
  const found: Edit[] = [];
  let x = endA;
  let y = endB;
  for (let d = trace.length - 1; d > 0; d--) {
    const reach = trace[d];
    const at = (k: number) => reach[d + k] ?? 0;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const before = down ? k + 1 : k - 1;
    const startX = at(before);
    const startY = startX - before;
    found.push(down ? { kind: "+", at: [startX, startY] } : { kind: "-", at: [startX, startY] });
    x = startX;
    y = startY;
  }
  return found.reverse();
}

function group(found: Edit[] | { whole: [number, number] }, shift: number): Change[] {
  if (!Array.isArray(found)) {
    const [a, b] = found.whole;
    return [{ from: [shift, shift + a], to: [shift, shift + b] }];
  }
  const changes: Change[] = [];
  for (const { kind, at: [x, y] } of found) {
    const last = changes.at(-1);
    const joins = last && last.from[1] === x + shift && last.to[1] === y + shift;
    const change: Change = joins ? last : { from: [x + shift, x + shift], to: [y + shift, y + shift] };
    if (kind === "-") change.from[1]++;
    else change.to[1]++;
    if (!joins) changes.push(change);
  }
  return changes;
}
