/** Result sets as text: the modes of SQLite's own shell, and HTML. */

import type { Value } from "./database.ts";

export const MODES = [
  "ascii",
  "box",
  "column",
  "csv",
  "html",
  "insert",
  "json",
  "line",
  "list",
  "markdown",
  "qbox",
  "quote",
  "table",
  "tabs",
  "tcl",
] as const;
export type Mode = typeof MODES[number];

export interface Style {
  mode: Mode;
  headers: boolean;
  /** Between the values of a list. */
  separator: string;
  /** The text for NULL. */
  nothing: string;
  /** Whether headers were turned on or off by hand. */
  titled?: boolean;
  /** Whether the names of columns stand in the middle, as in SQLite's own shell. */
  centered?: boolean;
  /** Where INSERT statements put their rows. */
  table?: string;
  /** After each row of a list. */
  rowEnd?: string;
  /** The least width of each column; a negative one aligns to the right. */
  widths?: number[];
}

/** The characters of a table's lines: its rules' ends and joints from top to bottom, and what lies between. */
const FRAMES = {
  table: { rules: ["+++", "+++", "+++"], across: "-", down: "|" },
  box: { rules: ["┌┬┐", "├┼┤", "└┴┘"], across: "─", down: "│" },
};

/** How much of a value a table shows, in characters. */
const CELL = 200;
/** Bytes that are enough for them. */
export const CELL_BYTES = 4 * CELL + 4;

/** Modes that have to know all rows before the first is printed. */
export function isAligned(mode: Mode): boolean {
  return mode === "table" || mode === "box" || mode === "qbox" || mode === "column" || mode === "markdown";
}

/** A value as plain text. */
export function formatPlain(value: Value, nothing: string): string {
  if (value.kind === "null") return nothing;
  return value.kind === "blob" ? new TextDecoder().decode(value.bytes) : value.text;
}

/** A value as one line of a table, cut where it is long. */
export function shortenText(value: Value, nothing: string): string {
  if (value.kind === "null") return nothing;
  if (value.kind === "blob") {
    const hex = Array.from(value.bytes.subarray(0, CELL / 2), (byte) => byte.toString(16).padStart(2, "0")).join("");
    return value.size > CELL / 2 ? `x'${hex}...' (${value.size} bytes)` : `x'${hex}'`;
  }
  const line = value.text.slice(0, CELL).replaceAll("\r", "\\r").replaceAll("\n", "\\n");
  return value.text.length > CELL ? `${line}... (${value.size} bytes)` : line;
}

/** As SQL would write it. */
export function quoteValue(value: Value): string {
  if (value.kind === "null") return "NULL";
  if (value.kind === "text") return `'${value.text.replaceAll("'", "''")}'`;
  if (value.kind !== "blob") return value.text;
  return `X'${Array.from(value.bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}'`;
}

/** Text before the first row. */
export function formatHead(columns: string[], { mode, headers, separator, rowEnd = "\n" }: Style): string {
  if (mode === "json") return "[";
  if (mode === "html") {
    return headers ? `<TR>${columns.map((each) => `<TH>${escape(each)}</TH>`).join("\n")}\n</TR>\n` : "";
  }
  if (!headers || mode === "line" || mode === "insert") return "";
  if (mode === "ascii") return `${columns.join("\x1f")}\x1e`;
  if (mode === "tcl") return `${columns.map(tclWord).join(" ")}\n`;
  if (mode === "csv") return `${columns.map(csvField).join(",")}\r\n`;
  if (mode === "quote") return `${columns.map((each) => `'${each.replaceAll("'", "''")}'`).join(",")}\n`;
  return `${columns.join(mode === "tabs" ? "\t" : separator)}${rowEnd}`;
}

/** One row in the modes that print it as it comes. */
export function formatRow(columns: string[], values: Value[], style: Style, first: boolean): string {
  const { mode, separator, nothing } = style;
  const texts = values.map((value) => formatPlain(value, nothing));
  switch (mode) {
    case "json":
      return `${first ? "" : ",\n"}{${
        columns.map((name, i) => `${JSON.stringify(name)}:${json(values[i])}`).join(",")
      }}`;
    case "csv":
      return `${texts.map(csvField).join(",")}\r\n`;
    case "quote":
      return `${values.map(quoteValue).join(",")}\n`;
    case "html":
      return `<TR>${texts.map((text) => `<TD>${escape(text)}</TD>`).join("\n")}\n</TR>\n`;
    case "line":
      return (first ? "" : "\n") + lines(columns, texts);
    case "insert":
      return insertion(columns, values, style);
    case "ascii":
      return `${texts.join("\x1f")}\x1e`;
    case "tcl":
      return `${texts.map(tclWord).join(" ")}\n`;
    default:
      return `${texts.join(mode === "tabs" ? "\t" : separator)}${style.rowEnd ?? "\n"}`;
  }
}

/** Text after the last row. */
export function formatTail({ mode }: Style): string {
  return mode === "json" ? "]\n" : "";
}

function insertion(columns: string[], values: Value[], { table = "table", headers }: Style): string {
  const name = isPlainName(table) ? table : quoteName(table);
  const names = headers ? `(${columns.map((each) => isPlainName(each) ? each : quoteName(each)).join(",")})` : "";
  return `INSERT INTO ${name}${names} VALUES(${values.map(quoteValue).join(",")});\n`;
}

/** Whether a name needs no quotes; words of SQL do. */
function isPlainName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^(?:table|select|from|where|index|order|group|values)$/i.test(name);
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A string of C. */
function tclWord(text: string): string {
  const inner = text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\r", "\\r");
  return `"${inner}"`;
}

/** All rows at once, in columns. */
export function alignColumns(columns: string[], rows: string[][], style: Style): string {
  const { mode, headers, centered = false, widths: given = [] } = style;
  const cells = rows.map((each) => each.map((text, i) => wrap(text, Math.abs(given[i] ?? 0))));
  const widths = columns.map((name, i) =>
    Math.abs(given[i] ?? 0) ||
    cells.reduce((most, row) => Math.max(most, ...row[i].map(width)), width(name) || 1)
  );
  const pad = (texts: string[]) =>
    texts.map((text, i) => {
      const blank = " ".repeat(Math.max(0, widths[i] - width(text)));
      return (given[i] ?? 0) < 0 ? blank + text : text + blank;
    });
  const isTall = cells.some((row) => row.some((lines) => lines.length > 1));
  const draw = (row: string[][], line: (texts: string[]) => string) =>
    Array.from({ length: Math.max(...row.map(({ length }) => length)) }, (_, at) => row.map((each) => each[at] ?? ""))
      .map((texts) => line(pad(texts))).join("");
  if (mode === "column") {
    const line = (texts: string[]) => `${texts.join("  ")}\n`;
    const title = headers ? line(pad(columns)) + line(widths.map((each) => "-".repeat(each))) : "";
    return title + cells.map((row) => draw(row, line)).join(isTall ? "\n" : "");
  }
  const { rules, across, down } = mode === "box" || mode === "qbox" ? FRAMES.box : FRAMES.table;
  const line = (texts: string[]) => `${down} ${texts.join(` ${down} `)} ${down}\n`;
  const rule = ([left, joint, right]: string) =>
    `${left}${widths.map((each) => across.repeat(each + 2)).join(joint)}${right}\n`;
  const head = line(centered ? columns.map((name, i) => center(name, widths[i])) : pad(columns));
  const isMarkdown = mode === "markdown";
  const body = cells.map((row) => draw(row, line)).join(isTall && !isMarkdown ? rule(rules[1]) : "");
  if (isMarkdown) return head + rule("|||") + body;
  return rule(rules[0]) + head + rule(rules[1]) + body + (rows.length > 0 ? rule(rules[2]) : "");
}

/** The lines of a cell; none is wider than `most`, unless that is 0. */
function wrap(text: string, most: number): string[] {
  const lines = text.split(/\r?\n/);
  if (most === 0) return lines;
  return lines.flatMap((line) => {
    const parts: string[] = [""];
    for (const character of line) {
      if (width(parts[parts.length - 1] + character) > most) parts.push("");
      parts[parts.length - 1] += character;
    }
    return parts;
  });
}

function center(text: string, wide: number): string {
  const rest = Math.max(0, wide - width(text));
  return " ".repeat(Math.floor(rest / 2)) + text + " ".repeat(Math.ceil(rest / 2));
}

/** EXPLAIN QUERY PLAN as a tree. */
export function formatPlan(rows: Value[][]): string {
  const steps = rows.map((row) => row.map((value) => formatPlain(value, "")));
  const draw = (parent: string, before: string): string => {
    const own = steps.filter((step) => step[1] === parent);
    return own.map(([id, , , detail], i) => {
      const isLast = i === own.length - 1;
      return `${before}${isLast ? "`--" : "|--"}${detail}\n${draw(id, before + (isLast ? "   " : "|  "))}`;
    }).join("");
  };
  return `QUERY PLAN\n${draw("0", "")}`;
}

/** A table for a page. */
export function formatTable(columns: string[], rows: Value[][], note: string): string {
  const names = columns.map((name) => `<th>${escape(name)}</th>`).join("");
  const cell = (value: Value) =>
    value.kind === "null"
      ? "<td><i>NULL</i></td>"
      : `<td${value.kind === "integer" || value.kind === "real" ? ' align="right"' : ""}>${
        escape(shortenText(value, ""))
      }</td>`;
  const body = rows.map((values) => `<tr>${values.map(cell).join("")}</tr>`).join("\n");
  const foot = note === "" ? "" : `\n<p>${escape(note)}</p>`;
  return `<table>\n<thead><tr>${names}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table>${foot}`;
}

function lines(columns: string[], texts: string[]): string {
  const wide = Math.max(5, ...columns.map(width));
  return columns.map((name, i) => `${" ".repeat(wide - width(name))}${name} = ${texts[i]}\n`).join("");
}

function json(value: Value): string {
  if (value.kind === "null") return "null";
  if (value.kind === "blob") {
    return JSON.stringify(Array.from(value.bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
  if (value.kind === "text") return JSON.stringify(value.text);
  return value.text.replace(/^(-?)Inf$/, "$19.0e+999");
}

function csvField(text: string): string {
  return /[",\n\r\t ']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Columns of a terminal: wide characters take two, marks on other characters none. */
function width(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let sum = 0;
  for (const character of text) sum += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return sum;
}

const MARK = /\p{Mark}|\u200d|[\ufe00-\ufe0f]/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
