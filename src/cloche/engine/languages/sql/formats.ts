/** Result sets as text: the modes of SQLite's own shell, and HTML. */

import type { Value } from "./database.ts";

export const MODES = ["table", "column", "markdown", "csv", "tabs", "list", "json", "line", "quote", "html"] as const;
export type Mode = typeof MODES[number];

export interface Style {
  mode: Mode;
  headers: boolean;
  /** Between the values of a list. */
  separator: string;
  /** The text for NULL. */
  nothing: string;
}

/** How much of a value a table shows, in characters. */
const CELL = 200;
/** Bytes that are enough for them. */
export const CELL_BYTES = 4 * CELL + 4;

/** Modes that have to know all rows before the first is printed. */
export function isAligned(mode: Mode): boolean {
  return mode === "table" || mode === "column" || mode === "markdown";
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
function quoteValue(value: Value): string {
  if (value.kind === "null") return "NULL";
  if (value.kind === "text") return `'${value.text.replaceAll("'", "''")}'`;
  if (value.kind !== "blob") return value.text;
  return `X'${Array.from(value.bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}'`;
}

/** Text before the first row. */
export function formatHead(columns: string[], { mode, headers, separator }: Style): string {
  if (mode === "json") return "[";
  if (mode === "html") {
    return headers ? `<TR>${columns.map((each) => `<TH>${escape(each)}</TH>`).join("\n")}\n</TR>\n` : "";
  }
  if (!headers || mode === "line") return "";
  if (mode === "csv") return `${columns.map(csvField).join(",")}\r\n`;
  if (mode === "quote") return `${columns.map((each) => `'${each.replaceAll("'", "''")}'`).join(",")}\n`;
  return `${columns.join(mode === "tabs" ? "\t" : separator)}\n`;
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
    default:
      return `${texts.join(mode === "tabs" ? "\t" : separator)}\n`;
  }
}

/** Text after the last row. */
export function formatTail({ mode }: Style): string {
  return mode === "json" ? "]\n" : "";
}

/** All rows at once, in columns. */
export function alignColumns(columns: string[], rows: string[][], mode: Mode): string {
  const widths = columns.map((name, i) =>
    rows.reduce((most, each) => Math.max(most, width(each[i])), width(name) || 1)
  );
  const pad = (texts: string[]) => texts.map((text, i) => text + " ".repeat(widths[i] - width(text)));
  if (mode === "column") {
    const rule = widths.map((each) => "-".repeat(each));
    return [columns, rule, ...rows].map((each) => `${pad(each).join("  ").trimEnd()}\n`).join("");
  }
  const line = (texts: string[]) => `| ${pad(texts).join(" | ")} |\n`;
  const rule = (joint: string) => `${joint}${widths.map((each) => "-".repeat(each + 2)).join(joint)}${joint}\n`;
  const body = rows.map(line).join("");
  if (mode === "markdown") return line(columns) + rule("|") + body;
  return rule("+") + line(columns) + rule("+") + body + (rows.length > 0 ? rule("+") : "");
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
