/** Recognises the tables that data libraries write as HTML; anything with a look of its own is left to the frame. */

import type { Table } from "./table.ts";

interface Cell {
  text: string;
  columns: number;
  rows: number;
}

/** Cells beyond which a table is not read. */
const CELLS = 500_000;
const WIDEST = 2_000;
const PIECE = /<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>|<!--[\s\S]*?-->|([^<]+)|</gi;
const PLAIN = new Set([
  "div",
  "p",
  "small",
  "b",
  "i",
  "em",
  "strong",
  "br",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
  "table",
]);
/** Attributes that say nothing of the look; tables of pandas have all of these. */
const HARMLESS =
  /^(\s+(border|align|valign|scope|colspan|rowspan|halign)\s*=\s*("[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)|\s+class\s*=\s*"(dataframe|dataframe [\w -]*|)"|\s+style\s*=\s*"text-align:\s*\w+;?"|\s*\/)*\s*$/i;

/** The only table in a piece of HTML; undefined if there is another thing in it, or a look that would be lost. */
export function readHtmlTable(html: string): Table | undefined {
  const bare = html.replace(/<style scoped>[^<]*<\/style>/i, "").trim();
  if (!/<table\b/i.test(bare.slice(0, 2000)) || !/<\/table>/i.test(bare)) return undefined;
  const reader = new TableReader();
  for (const [whole, end, tag, attributes, text] of bare.matchAll(PIECE)) {
    if (text !== undefined) reader.add(text);
    else if (tag === undefined && whole !== "<") continue;
    else if (tag === undefined || !PLAIN.has(tag.toLowerCase()) || !HARMLESS.test(attributes ?? "")) return undefined;
    else if (!reader.take(tag.toLowerCase(), end === "/", attributes ?? "")) return undefined;
  }
  return reader.end();
}

class TableReader {
  readonly #heads: Cell[][] = [];
  readonly #rows: Cell[][] = [];
  #tables = 0;
  #open = false;
  #inHead = false;
  #row: Cell[] | undefined;
  #cell: Cell | undefined;
  #notes = "";
  #cells = 0;

  add(text: string): void {
    if (this.#cell) this.#cell.text += text;
    else if (!this.#open) this.#notes += text;
  }

  /** Takes a tag; false if the table cannot be read. */
  take(tag: string, ends: boolean, attributes: string): boolean {
    if (tag === "table") {
      if (!ends) this.#tables++;
      this.#open = !ends;
      return this.#tables === 1;
    }
    if (!this.#open) return true;
    if (tag === "thead") this.#inHead = !ends;
    else if (tag === "tr") this.#takeRow(ends);
    else if (tag === "td" || tag === "th") return this.#takeCell(ends, attributes);
    else if (tag === "br" && this.#cell) this.#cell.text += " ";
    return true;
  }

  end(): Table | undefined {
    if (this.#tables !== 1 || this.#open || this.#heads.length === 0) return undefined;
    const heads = spread(this.#heads);
    const rows = spread(this.#rows);
    if (!heads || !rows) return undefined;
    const width = Math.max(...heads.map((row) => row.length));
    const columns = Array.from({ length: width }, (_, at) => {
      const levels = heads.map((row) => row[at] ?? "").filter((text) => text !== "");
      return [...new Set(levels)].join(" / ");
    });
    const note = decode(this.#notes).replace(/\s+/g, " ").trim();
    return { columns, rows, ...(note && { note }) };
  }

  #takeRow(ends: boolean): void {
    if (ends && this.#row) (this.#inHead ? this.#heads : this.#rows).push(this.#row);
    this.#row = ends ? undefined : [];
    this.#cell = undefined;
  }

  #takeCell(ends: boolean, attributes: string): boolean {
    if (!this.#row) return true;
    if (ends) {
      if (this.#cell) this.#cell.text = decode(this.#cell.text).trim();
      this.#cell = undefined;
      return true;
    }
    this.#cell = { text: "", columns: readSpan(attributes, "col"), rows: readSpan(attributes, "row") };
    this.#row.push(this.#cell);
    return ++this.#cells <= CELLS;
  }
}

function readSpan(attributes: string, way: string): number {
  const found = new RegExp(`\\b${way}span\\s*=\\s*["']?(\\d{1,5})`, "i").exec(attributes);
  return Math.max(1, Number(found?.[1] ?? 1));
}

/** Cells that reach over several places stand in each of them; undefined if that is too many. */
function spread(rows: Cell[][]): string[][] | undefined {
  const grid: string[][] = rows.map(() => []);
  let room = CELLS;
  for (const [at, row] of rows.entries()) {
    let column = 0;
    for (const cell of row) {
      while (grid[at]?.[column] !== undefined) column++;
      room -= cell.columns * cell.rows;
      if (room < 0 || column + cell.columns > WIDEST) return undefined;
      for (let down = at; down < Math.min(grid.length, at + cell.rows); down++) {
        for (let right = 0; right < cell.columns; right++) (grid[down] ?? [])[column + right] = cell.text;
      }
      column += cell.columns;
    }
  }
  return grid.map((row) => Array.from(row, (text) => text ?? ""));
}

const NAMES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", times: "×" };

/** Text with its entities replaced. */
export function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name) return NAMES[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
