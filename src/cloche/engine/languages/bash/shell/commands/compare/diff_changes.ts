/** What has changed between two files, by the options that say which differences count. */
import { type Change, listChanges, markKept, numberLines } from "../../../text/diff/line_diff.ts";
import { compileRegex, type Matcher } from "../../../text/regex/regex.ts";
import type { Given } from "../tool/options.ts";
import type { Tool } from "../tool/tool.ts";
import { shiftBoundaries } from "./boundaries.ts";
import { findConfusing } from "./confusing_lines.ts";
import { marginOf, showsContext, type Side } from "./diff_render.ts";

export async function findChanges(tool: Tool, a: Side, b: Side): Promise<Change[]> {
  const { given } = tool;
  await tool.attend();
  const key = makeKey(given);
  const [keysA, keysB] = [keysOf(a, key, given), keysOf(b, key, given)];
  const changes = compareLines(tool, a, b, keysA, keysB);
  const ignored = given.all("I").map((source) => compileRegex(source, { extended: false }));
  if (!given.has("B") && ignored.length === 0) return changes;
  for (const change of changes) change.ignored = isTrivial(change, a, b, ignored, given.has("B"));
  const counted = changes.filter((change) => !change.ignored);
  return counted.length > 0 && showsContext(given) ? changes : counted;
}

function makeKey(given: Given): (line: string) => string {
  const steps: ((line: string) => string)[] = [];
  if (given.has("cr")) steps.push((line) => line.replace(/\r$/, ""));
  if (given.has("w")) steps.push((line) => line.replace(/[ \t\v\f\r]+/g, ""));
  else if (given.has("b")) steps.push((line) => line.replace(/[ \t\v\f\r]+/g, " ").replace(/ $/, ""));
  else {
    if (given.has("E")) steps.push(expandTabs);
    if (given.has("Z")) steps.push((line) => line.replace(/[ \t\v\f\r]+$/, ""));
  }
  if (given.has("i")) steps.push((line) => line.toLowerCase());
  return (line) => steps.reduce((text, step) => step(text), line);
}

function expandTabs(line: string): string {
  let out = "";
  for (const char of line) out += char === "\t" ? " ".repeat(8 - out.length % 8) : char;
  return out;
}

function keysOf({ lines, open }: Side, key: (line: string) => string, given: Given): string[] {
  const keys = lines.map(key);
  // A last line without its end differs from one that has it.
  if (open && !given.has("w", "b", "Z", "e", "f")) keys[keys.length - 1] += "\n";
  return keys;
}

function isTrivial({ from, to }: Change, a: Side, b: Side, ignored: Matcher[], blanks: boolean): boolean {
  const lines = [...a.lines.slice(...from), ...b.lines.slice(...to)];
  return lines.every((line) => blanks && line === "" || ignored.some((matcher) => matcher.test(line)));
}

/** The lines that both files have at their ends are not looked at, but for those that are shown around changes. */
function compareLines(tool: Tool, a: Side, b: Side, keysA: string[], keysB: string[]): Change[] {
  const { given } = tool;
  const margin = Math.max(Number(given.get("horizon") ?? 0) || 0, marginOf(given));
  const most = Math.min(a.lines.length, b.lines.length);
  const same = (i: number, j: number) =>
    a.lines[i] === b.lines[j] && (a.open && i === a.lines.length - 1) === (b.open && j === b.lines.length - 1);
  let head = 0;
  while (head < most && same(head, head)) head++;
  let tail = 0;
  while (a.open === b.open && tail < most - head && same(a.lines.length - 1 - tail, b.lines.length - 1 - tail)) tail++;
  const first = Math.max(0, head - margin);
  const left = Math.max(0, tail - margin);
  const sides = numberLines(keysA.slice(first, keysA.length - left), keysB.slice(first, keysB.length - left));
  const exact = given.has("d");
  const confusing = findConfusing(sides);
  markKept(sides, (_line, _others, at, side) => exact || confusing[side][at] === 0, exact);
  shiftBoundaries(sides);
  return listChanges(sides, first);
}
