/** A file beside several earlier versions of it: which of them lack each line, and which lines it has lost. */
import { diffLines } from "../../text/diff/line_diff.ts";

interface LostLine {
  text: string;
  /** A bit for each version that has it. */
  had: number;
}

/** A line of the result; one more at the end holds what is lost there. */
export interface CombinedLine {
  text: string;
  /** A bit for each version that lacks it. */
  lacking: number;
  lost: LostLine[];
  /** The number of the line in each version, from 1. */
  numbers: number[];
  shown: boolean;
  /** Context before a hunk does not show what is lost there. */
  plain: boolean;
}

/** Lines without their ends; one that has none at the end of a file is another line. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function combineTexts(versions: string[], result: string): CombinedLine[] {
  const lines = linesOf(result);
  const combined = [...lines, ""].map((text): CombinedLine => ({
    text,
    lacking: 0,
    lost: [],
    numbers: [],
    shown: false,
    plain: false,
  }));
  for (const [n, version] of versions.entries()) {
    const before = linesOf(version);
    const bit = 1 << n;
    for (const { from, to } of diffLines(before, lines)) {
      for (let i = to[0]; i < to[1]; i++) combined[i].lacking |= bit;
      combined[to[0]].lost = joinLost(combined[to[0]].lost, before.slice(...from), bit);
    }
    let number = 1;
    for (const [i, line] of combined.entries()) {
      line.numbers[n] = number;
      number += line.lost.filter(({ had }) => had & bit).length;
      if (i < lines.length && !(line.lacking & bit)) number++;
    }
  }
  return combined;
}

/** Lines that several versions have lost at one place are one line. */
function joinLost(known: LostLine[], texts: string[], bit: number): LostLine[] {
  const joined: LostLine[] = [];
  let at = 0;
  for (const { from, to } of diffLines(known.map(({ text }) => text), texts)) {
    for (; at < from[0]; at++) joined.push({ ...known[at], had: known[at].had | bit });
    joined.push(...known.slice(...from), ...texts.slice(...to).map((text) => ({ text, had: bit })));
    at = from[1];
  }
  return [...joined, ...known.slice(at).map((line) => ({ ...line, had: line.had | bit }))];
}

/** Marks the lines to show: hunks in which the result is none of the versions, with context. */
export function markHunks(lines: CombinedLine[], versions: number, context: number): void {
  for (const line of lines) line.shown = line.lacking !== 0 || line.lost.length > 0;
  const all = (1 << versions) - 1;
  for (let start = nextLine(lines, 0, true); start < lines.length; start = nextLine(lines, start, true)) {
    const end = endOfHunk(lines, start, context);
    const hunk = lines.slice(start, end);
    if (isPlain(hunk, all)) { for (const line of hunk) line.shown = false; }
    start = end;
  }
  addContext(lines, context);
}

function nextLine(lines: CombinedLine[], from: number, shown: boolean): number {
  let at = from;
  while (at < lines.length && lines[at].shown !== shown) at++;
  return at;
}

/** A line that is there only for what is lost before it does not count as the end. */
function trimTail(lines: CombinedLine[], start: number, end: number): number {
  return start + 1 <= end && lines[end - 1].lacking === 0 ? end - 1 : end;
}

function endOfHunk(lines: CombinedLine[], start: number, context: number): number {
  let end = start + 1;
  for (; end < lines.length; end++) {
    if (lines[end].shown) continue;
    let ahead = Math.min(trimTail(lines, start, end) + context, lines.length) - 1;
    while (ahead >= end && !lines[ahead].shown) ahead--;
    if (ahead < end) break;
    end = ahead;
  }
  return end;
}

/** Whether all changes of a hunk are from the same versions, so that the result is one of the others. */
function isPlain(hunk: CombinedLine[], all: number): boolean {
  const kinds = new Set(
    hunk.flatMap(({ lacking, lost }) => [...lacking ? [lacking] : [], ...lost.map(({ had }) => had)]),
  );
  return kinds.size === 1 && !kinds.has(all);
}

function addContext(lines: CombinedLine[], context: number): void {
  let at = nextLine(lines, 0, true);
  while (at < lines.length) {
    for (let i = Math.max(0, at - context); i < at; i++) {
      if (!lines[i].shown) lines[i].plain = true;
      lines[i].shown = true;
    }
    for (;;) {
      let end = nextLine(lines, at, false);
      if (end >= lines.length) return;
      const next = nextLine(lines, end, true);
      end = trimTail(lines, at, end);
      const reach = next < end + context ? next : Math.min(end + context, lines.length);
      for (let i = end; i < reach; i++) lines[i].shown = true;
      at = next;
      if (reach !== next) break;
    }
  }
}
