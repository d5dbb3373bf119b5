/** What has changed between two files, by the options that say which differences count. */
import { type Change, diffLines } from "../../../text/diff/line_diff.ts";
import { compileRegex, type Matcher } from "../../../text/regex/regex.ts";
import type { Given } from "../tool/options.ts";
import type { Tool } from "../tool/tool.ts";
import type { Side } from "./diff_render.ts";

export async function findChanges(tool: Tool, a: Side, b: Side): Promise<Change[]> {
  const { given } = tool;
  await tool.attend();
  const key = makeKey(given);
  const [keysA, keysB] = [keysOf(a, key, given), keysOf(b, key, given)];
  const changes = slide(diffLines(keysA, keysB), keysA, keysB);
  const ignored = given.all("I").map((source) => compileRegex(source, { extended: false }));
  if (!given.has("B") && ignored.length === 0) return changes;
  return changes.filter((change) => !isTrivial(change, a, b, ignored, given.has("B")));
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

/** Moves runs that were only added or only deleted as far down as the lines allow, as GNU's diff does. */
function slide(changes: Change[], a: string[], b: string[]): Change[] {
  const moved: Change[] = [];
  changes.forEach((change, i) => {
    const next = changes[i + 1];
    const { from, to } = { from: [...change.from] as [number, number], to: [...change.to] as [number, number] };
    const limit = next ? next.from[0] - from[1] : Math.min(a.length - from[1], b.length - to[1]);
    const [list, run] = from[0] === from[1] ? [b, to] : [a, from];
    let steps = 0;
    if (from[0] === from[1] || to[0] === to[1]) {
      while (steps < limit && list[run[0] + steps] === list[run[1] + steps]) steps++;
    }
    // It would touch the next change: only then would two become one, which is right only if they are of one kind.
    const shifted: Change = { from: [from[0] + steps, from[1] + steps], to: [to[0] + steps, to[1] + steps] };
    if (next && steps === limit && steps > 0) {
      next.from[0] = shifted.from[0];
      next.to[0] = shifted.to[0];
    } else moved.push(shifted);
  });
  return moved;
}
