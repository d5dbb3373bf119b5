/** Reads source maps: finds the position in the original source. */

import type { Locate } from "./positions.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CONTINUES = 32;

/** A position in the result, and its position in the source; all count from 0. */
type Segment = [column: number, line: number, sourceColumn: number];

export function locateBy(map: string): Locate {
  const lines = decoded((JSON.parse(map) as { mappings: string }).mappings);
  return (line, column) => {
    for (let at = Math.min(line, lines.length) - 1; at >= 0; at--) {
      const found = lines[at].findLast(([start]) => at < line - 1 || start <= column - 1);
      if (found) return [found[1] + 1, found[2] + 1];
    }
    return [line, column];
  };
}

function decoded(mappings: string): Segment[][] {
  let [line, sourceColumn] = [0, 0];
  return mappings.split(";").map((part) => {
    let column = 0;
    const segments: Segment[] = [];
    for (const text of part.split(",").filter((each) => each !== "")) {
      const [columns, , lines, sourceColumns] = numbers(text);
      column += columns;
      if (lines === undefined) continue;
      line += lines;
      sourceColumn += sourceColumns;
      segments.push([column, line, sourceColumn]);
    }
    return segments;
  });
}

function numbers(text: string): number[] {
  const found: number[] = [];
  let [value, shift] = [0, 0];
  for (const char of text) {
    const digit = DIGITS.indexOf(char);
    value += (digit & ~CONTINUES) << shift;
    shift += 5;
    if (digit & CONTINUES) continue;
    found.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return found;
}
