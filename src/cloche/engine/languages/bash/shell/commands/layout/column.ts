/** column: lists in columns, and tables. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";
import { Table } from "./table.ts";
import { textWidth } from "./width.ts";

const USAGE = {
  letters: "c:dehH:Jl:LN:n:o:O:R:s:tVx",
  long: {
    "output-width=": "c",
    columns: "c",
    "table-noheadings": "d",
    "table-header-repeat": "e",
    "table-hide=": "H",
    json: "J",
    "table-columns-limit=": "l",
    "keep-empty-lines": "L",
    "table-columns=": "N",
    "table-name=": "n",
    "output-separator=": "o",
    "table-order=": "O",
    "table-right=": "R",
    "separator=": "s",
    table: "t",
    fillrows: "x",
  },
  synopsis: "[options] [<file>...]",
};
const TAB = 8;

const column = defineTool("column", USAGE, async (tool) => {
  const { given } = tool;
  const lines: string[] = [];
  await tool.eachFile(tool.inputs, async (stream) => {
    for await (const batch of tool.batches(stream)) {
      for (const line of batch) if (line.trim() !== "" || given.has("L")) lines.push(line);
    }
  }, (name, reason) => `${name}: ${reason}`);
  if (given.has("J") && !given.has("N")) throw new CommandError("option --table-columns required for --json");
  if (given.has("t", "J")) return tool.print(new Table(tool, lines).show());
  const width = readWidth(tool);
  const longest = Math.max(0, ...lines.map(textWidth));
  const cell = Math.floor((longest + TAB) / TAB) * TAB;
  if (longest >= width) return tool.print(lines.map((line) => `${line}\n`).join(""));
  if (lines.length > 0) tool.print(arrange(lines, Math.max(1, Math.floor(width / cell)), cell, given.has("x")));
});

function readWidth(tool: Tool): number {
  const word = tool.given.get("c") ?? (/^\d+$/.test(tool.context.env.COLUMNS ?? "") ? tool.context.env.COLUMNS : "80");
  if (word === "unlimited") return Infinity;
  if (!/^\d+$/.test(word)) throw new CommandError(`invalid columns argument: '${word}'`);
  return Number(word);
}

/** Cells that end at tab stops, filled by columns or by rows. */
function arrange(lines: string[], columns: number, cell: number, byRows: boolean): string {
  const rows = Math.ceil(lines.length / columns);
  let out = "";
  for (let row = 0; row < rows; row++) {
    let at = 0;
    for (let i = 0; i < columns; i++) {
      const index = byRows ? row * columns + i : row + i * rows;
      if (index >= lines.length) break;
      out += lines[index];
      at += textWidth(lines[index]);
      const next = byRows ? index + 1 : index + rows;
      if (next >= lines.length || i === columns - 1) break;
      while (at < (i + 1) * cell) {
        at = Math.floor((at + TAB) / TAB) * TAB;
        out += "\t";
      }
    }
    out += "\n";
  }
  return out;
}

export const commands = [column];
