/** Draws what is typed: a prompt and a text of any length below what is there, and takes it away again. */

export interface Drawn {
  /** What is written to show it, from the place where it begins. */
  text: string;
  /** Rows from there to the cursor. */
  rows: number;
}

export interface Wanted {
  prompt: string;
  text: string;
  cursor: number;
  /** Shown below, as completions are. */
  hint: string;
  /** The column where it begins. */
  start: number;
  columns: number;
}

/** Stands before each further row of a text. */
const MORE = "> ";
const DIM = "\x1b[2m";
const PLAIN = "\x1b[0m";

interface Place {
  row: number;
  column: number;
}

export function draw({ prompt, text, cursor, hint, start, columns }: Wanted): Drawn {
  const begin = advance({ row: 0, column: start }, strip(prompt), columns);
  const shown = (part: string) => part.replaceAll("\n", `\n${MORE}`);
  const at = settle(advance(begin, shown(text.slice(0, cursor)), columns), columns);
  const full = advance(begin, shown(text), columns);
  const end = settle(full, columns);
  let out = prompt + shown(text).replaceAll("\n", "\r\n");
  // A row that is full goes on below only with the next character.
  if (full.column === columns) out += " \r";
  let last = end;
  if (hint) {
    out += `\r\n${DIM}${hint.replaceAll("\n", "\r\n")}${PLAIN}`;
    last = settle(advance({ row: end.row + 1, column: 0 }, hint, columns), columns);
    if (last.column === 0 && last.row > end.row + 1 && !hint.endsWith("\n")) last = { ...last, row: last.row - 1 };
  }
  out += up(last.row - at.row) + `\r${at.column ? `\x1b[${at.column}C` : ""}`;
  return { text: out, rows: at.row };
}

/** Takes away what was drawn, and goes back to where it began. */
export function undraw({ rows }: Drawn, start: number): string {
  return `${up(rows)}\r${start ? `\x1b[${start}C` : ""}\x1b[J`;
}

const up = (rows: number) => (rows > 0 ? `\x1b[${rows}A` : "");

/** The place after a text; a column may be the one after the last, until something follows. */
function advance(from: Place, text: string, columns: number): Place {
  let { row, column } = from;
  for (const char of text) {
    if (char === "\n") {
      row++;
      column = 0;
      continue;
    }
    const width = widthOf(char);
    if (column + width > columns) {
      row++;
      column = 0;
    }
    column += width;
  }
  return { row, column };
}

/** Where a cursor stands that is after the last column. */
function settle({ row, column }: Place, columns: number): Place {
  return column >= columns ? { row: row + 1, column: 0 } : { row, column };
}

/** A text without its colours. */
export function strip(text: string): string {
  return text.split("\x1b[").map((part, at) => (at === 0 ? part : part.replace(/^[\d;]*m/, ""))).join("");
}

const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** Columns that a character takes. */
export function widthOf(char: string): number {
  if (char < "\u0300") return 1;
  if (ZERO.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
