/** Edits of a source, and how each position of the result maps back. */

/** The replacement of the characters from `start` to `end`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** A place in a text; both count from 1. */
type Place = [line: number, column: number];

/** Finds a position's origin in the user's source. */
export type Locate = (line: number, column: number) => Place;

export interface Edited {
  code: string;
  /** Undefined if nothing has moved. */
  locate?: Locate;
}

export function applyEdits(source: string, edits: Edit[]): Edited {
  if (edits.length === 0) return { code: source };
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  /** Where unchanged pieces begin, in the result and in the source. */
  const pieces: [to: number, from: number][] = [[0, 0]];
  let [from, to] = [0, 0];
  for (const { start, end, text } of sorted) {
    const kept = source.slice(from, start);
    parts.push(kept, text);
    to += kept.length;
    if (text.length > 0) pieces.push([to, start]);
    to += text.length;
    from = end;
    pieces.push([to, end]);
  }
  parts.push(source.slice(from));
  const code = parts.join("");
  return { code, locate: locator(source, code, pieces) };
}

function locator(source: string, code: string, pieces: [number, number][]): Locate {
  const [sourceLines, codeLines] = [lineStarts(source), lineStarts(code)];
  return (line, column) => {
    const at = (codeLines[line - 1] ?? code.length) + column - 1;
    const index = pieces.findLastIndex(([to]) => to <= at);
    const [to, from] = pieces[Math.max(index, 0)];
    const limit = pieces[index + 1]?.[1] ?? source.length;
    const found = Math.min(from + at - to, limit);
    const row = sourceLines.findLastIndex((start) => start <= found);
    return [row + 1, found - sourceLines[row] + 1];
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** A piece before a source, on its first line. */
export function prefixSource(prefix: string, { code, locate }: Edited, suffix = ""): Edited {
  const shift = (
    line: number,
    column: number,
  ): Place => [line, line === 1 ? Math.max(1, column - prefix.length) : column];
  const inner = locate ?? ((line: number, column: number): Place => [line, column]);
  return { code: prefix + code + suffix, locate: (line, column) => inner(...shift(line, column)) };
}

/** QuickJS counts columns in bytes: in a source with letters beyond ASCII, they are counted again. */
export function countedInBytes({ code, locate }: Edited): Edited {
  // deno-lint-ignore no-control-regex -- "only ASCII" is what is asked
  if (/^[\x00-\x7f]*$/.test(code)) return { code, locate };
  const lines = code.split("\n");
  const inner = locate ?? ((line: number, column: number): Place => [line, column]);
  return { code, locate: (line, column) => inner(line, characters(lines[line - 1] ?? "", column)) };
}

/** The column in characters of a column in bytes. */
function characters(line: string, column: number): number {
  let bytes = 0;
  let at = 0;
  for (const char of line) {
    if (bytes >= column - 1) break;
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += char.length;
  }
  return at + 1 + Math.max(0, column - 1 - bytes);
}

export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  return [before.length, before[before.length - 1].length + 1];
}
