// Tables drawn with lines, for console.table.
const { inspect } = require("internal/inspect");

const INDEX = "(index)";
const VALUES = "Values";

exports.grid = (rows, columns) => {
  const keys = rows instanceof Map ? [...rows.keys()] : Object.keys(rows);
  const values = rows instanceof Map ? [...rows.values()] : Object.values(rows);
  const names = columns ?? [...new Set(values.flatMap((row) => isRow(row) ? Object.keys(row) : []))];
  const plain = columns === undefined && values.some((row) => !isRow(row));
  const head = [INDEX, ...names, ...(plain ? [VALUES] : [])].map(String);
  const body = values.map((row, index) => [
    `${keys[index]}`,
    ...names.map((name) => isRow(row) && Object.hasOwn(row, name) ? cell(row[name]) : ""),
    ...(plain ? [isRow(row) ? "" : cell(row)] : []),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column].length)) + 2);
  const rule = (left, middle, right) => left + widths.map((width) => "─".repeat(width)).join(middle) + right;
  const text = (row) => `│${row.map((each, column) => ` ${each}`.padEnd(widths[column])).join("│")}│`;
  const middle = body.length > 0 ? [rule("├", "┼", "┤"), ...body.map(text)] : [rule("├", "┼", "┤")];
  return [rule("┌", "┬", "┐"), text(head), ...middle, rule("└", "┴", "┘")].join("\n");
};

const isRow = (row) => typeof row === "object" && row !== null;
const cell = (value) => inspect(value, { depth: isRow(value) ? -1 : 0, maxArrayLength: 3, breakLength: Infinity });
