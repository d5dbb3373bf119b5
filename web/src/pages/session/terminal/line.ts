/** A line that is being typed: its text, its cursor, the lines before it, the search among them. */

import type { KeyName } from "./keys.ts";

export interface Line {
  text: string;
  /** Half characters before the cursor. */
  cursor: number;
  /** Earlier lines, the oldest first. */
  history: readonly string[];
  /** The earlier line that is shown: as many as there are for the new one. */
  at: number;
  /** The new line, while an earlier one is shown. */
  draft: string;
  /** What was cut last. */
  cut: string;
  search?: { wanted: string; at: number; before: string };
}

export type Effect = "submit" | "complete" | "interrupt" | "end" | "clear";

export interface Step {
  line: Line;
  effect?: Effect;
}

/** Earlier lines that are kept. */
const KEPT = 1000;

export function beginLine(history: readonly string[] = [], text = ""): Line {
  return { text, cursor: text.length, history, at: history.length, draft: "", cut: "" };
}

/** The line after one that was entered, which is the latest of the earlier ones. */
export function nextLine(line: Line): Line {
  return { ...beginLine(remember(line.history, line.text)), cut: line.cut };
}

/** The earlier lines with one more: not twice the same, and none that begins with a space, as in bash. */
export function remember(history: readonly string[], text: string): readonly string[] {
  if (!text.trim() || text.startsWith(" ") || history.at(-1) === text) return history;
  return [...history, text].slice(-KEPT);
}

export function insert(line: Line, text: string): Line {
  if (line.search) return searchFor(line, line.search.wanted + text.replaceAll("\n", " "));
  const { text: all, cursor } = line;
  return { ...line, text: all.slice(0, cursor) + text + all.slice(cursor), cursor: cursor + text.length };
}

/** Replaces what is between two places, as a completion does. */
export function replace(line: Line, start: number, end: number, text: string): Line {
  return { ...line, text: line.text.slice(0, start) + text + line.text.slice(end), cursor: start + text.length };
}

export function press(line: Line, key: KeyName): Step {
  if (line.search) return pressInSearch(line, key);
  const effect = EFFECTS[key];
  if (effect) return { line, effect };
  const { text, cursor } = line;
  switch (key) {
    case "end of input":
      return text ? { line: cutOut(line, cursor, after(text, cursor), false) } : { line, effect: "end" };
    case "left":
      return { line: move(line, before(text, cursor)) };
    case "right":
      return { line: move(line, after(text, cursor)) };
    case "word left":
      return { line: move(line, wordLeft(text, cursor)) };
    case "word right":
      return { line: move(line, wordRight(text, cursor)) };
    case "home":
      return { line: move(line, rowStart(text, cursor)) };
    case "end":
      return { line: move(line, rowEnd(text, cursor)) };
    case "up":
      return { line: goUp(line) };
    case "down":
      return { line: goDown(line) };
    case "delete left":
      return { line: cutOut(line, before(text, cursor), cursor, false) };
    case "delete right":
      return { line: cutOut(line, cursor, after(text, cursor), false) };
    case "delete word left":
      return { line: cutOut(line, wordLeft(text, cursor), cursor) };
    case "delete word right":
      return { line: cutOut(line, cursor, wordRight(text, cursor)) };
    case "delete to space":
      return { line: cutOut(line, spaceLeft(text, cursor), cursor) };
    case "delete to start":
      return { line: cutOut(line, rowStart(text, cursor), cursor) };
    case "delete to end":
      return { line: cutOut(line, cursor, rowEnd(text, cursor)) };
    case "yank":
      return { line: insert(line, line.cut) };
    case "search":
      return { line: { ...line, search: { wanted: "", at: line.history.length, before: text } } };
    default:
      return { line };
  }
}

const EFFECTS: Partial<Record<KeyName, Effect>> = {
  enter: "submit",
  tab: "complete",
  interrupt: "interrupt",
  clear: "clear",
};

function move(line: Line, cursor: number): Line {
  return { ...line, cursor };
}

function cutOut(line: Line, start: number, end: number, keep = true): Line {
  const { text } = line;
  const cut = keep && end > start ? text.slice(start, end) : line.cut;
  return { ...line, text: text.slice(0, start) + text.slice(end), cursor: start, cut };
}

/** The row above in the same text, else the line before. */
function goUp(line: Line): Line {
  const { text, cursor, at, history } = line;
  const start = rowStart(text, cursor);
  if (start > 0) {
    const above = rowStart(text, start - 1);
    return move(line, Math.min(above + cursor - start, start - 1));
  }
  if (at === 0) return line;
  return { ...show(line, history[at - 1] ?? "", at - 1), draft: at === history.length ? text : line.draft };
}

function goDown(line: Line): Line {
  const { text, cursor, at, history, draft } = line;
  const end = rowEnd(text, cursor);
  if (end < text.length) {
    return move(line, Math.min(end + 1 + cursor - rowStart(text, cursor), rowEnd(text, end + 1)));
  }
  if (at >= history.length) return line;
  return show(line, at + 1 === history.length ? draft : history[at + 1] ?? "", at + 1);
}

const show = (line: Line, text: string, at: number): Line => ({ ...line, text, cursor: text.length, at });

function pressInSearch(line: Line, key: KeyName): Step {
  const { search, ...found } = line;
  if (!search) return { line };
  if (key === "search") return { line: searchFor(line, search.wanted, search.at - 1) };
  if (key === "delete left") return { line: searchFor(line, search.wanted.slice(0, -1)) };
  if (key === "escape" || key === "interrupt") {
    return { line: { ...found, text: search.before, cursor: search.before.length } };
  }
  return press(found, key);
}

/** The latest line that has the wanted text, from a place backwards. */
function searchFor(line: Line, wanted: string, from = line.history.length - 1): Line {
  const search = { wanted, at: line.search?.at ?? line.history.length, before: line.search?.before ?? line.text };
  for (let at = Math.min(from, line.history.length - 1); wanted && at >= 0; at--) {
    const text = line.history[at] ?? "";
    const cursor = text.indexOf(wanted);
    if (cursor >= 0) return { ...line, text, cursor, at, search: { ...search, at } };
  }
  return { ...line, search };
}

const WORD = /[\p{L}\p{N}_]/u;

function wordLeft(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && !WORD.test(text.charAt(at - 1))) at--;
  while (at > 0 && WORD.test(text.charAt(at - 1))) at--;
  return at;
}

function wordRight(text: string, cursor: number): number {
  let at = cursor;
  while (at < text.length && !WORD.test(text.charAt(at))) at++;
  while (at < text.length && WORD.test(text.charAt(at))) at++;
  return at;
}

function spaceLeft(text: string, cursor: number): number {
  return cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

const rowStart = (text: string, cursor: number) => text.lastIndexOf("\n", cursor - 1) + 1;

function rowEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The place before the character that ends at the cursor: one that is drawn of several goes as one. */
function before(text: string, cursor: number): number {
  const last = [...GRAPHEMES.segment(text.slice(0, cursor))].at(-1);
  return last?.index ?? 0;
}

function after(text: string, cursor: number): number {
  for (const { segment } of GRAPHEMES.segment(text.slice(cursor))) return cursor + segment.length;
  return text.length;
}
