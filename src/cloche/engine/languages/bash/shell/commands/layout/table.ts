/** Tables of column. */
import { CommandError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";
import { textWidth } from "./width.ts";

export class Table {
  readonly #rows: string[][];
  readonly #names: string[];
  readonly #count: number;

  constructor(private readonly tool: Tool, lines: string[]) {
    const { given } = tool;
    this.#names = given.get("N")?.split(",") ?? [];
    this.#rows = lines.map((line) => this.#split(line));
    this.#count = Math.max(this.#names.length, 0, ...this.#rows.map(({ length }) => length));
  }

  #split(line: string): string[] {
    const separators = this.tool.given.get("s");
    const limit = Number(this.tool.given.get("l") ?? Infinity);
    if (separators === undefined) return splitBlanks(line, limit);
    const cells: string[] = [];
    let from = 0;
    for (let at = 0; at < line.length && cells.length + 1 < limit; at++) {
      if (!separators.includes(line[at])) continue;
      cells.push(line.slice(from, at));
      from = at + 1;
    }
    return [...cells, line.slice(from)];
  }

  /** Columns by number, by name, or all for `-` (those without a name). */
  #find(key: string): Set<number> {
    const found = new Set<number>();
    for (const word of this.tool.given.get(key)?.split(",") ?? []) {
      const named = this.#names.indexOf(word);
      if (/^\d+$/.test(word) && named < 0) found.add(Number(word) - 1);
      else if (word === "-") { for (let i = this.#names.length; i < this.#count; i++) found.add(i); }
      else if (named >= 0) found.add(named);
      else throw new CommandError(`undefined column name '${word}'`);
    }
    return found;
  }

  #order(): number[] {
    const hidden = this.#find("H");
    const first = [...this.#find("O")];
    const rest = Array.from({ length: this.#count }, (_, i) => i).filter((i) => !first.includes(i));
    return [...first, ...rest].filter((i) => !hidden.has(i) && i < this.#count);
  }

  show(): string {
    const { given } = this.tool;
    if (this.#rows.length === 0 && this.#names.length === 0) return "";
    const order = this.#order();
    if (given.has("J")) return this.#json(order);
    const head = this.#names.length > 0 && !given.has("d") ? [this.#names] : [];
    const rows = [...head, ...this.#rows];
    const right = this.#find("R");
    const widths = order.map((i) => Math.max(0, ...rows.map((row) => textWidth(row[i] ?? ""))));
    const glue = given.get("o") ?? "  ";
    return rows.map((row) => {
      const cells = order.map((i, place) => {
        const cell = row[i] ?? "";
        const blanks = " ".repeat(widths[place] - textWidth(cell));
        if (right.has(i)) return blanks + cell;
        return place === order.length - 1 ? cell : cell + blanks;
      });
      return `${cells.join(glue)}\n`;
    }).join("");
  }

  #json(order: number[]): string {
    const name = this.tool.given.get("n") ?? "table";
    const value = (text: string | undefined) => text === undefined || text === "" ? "null" : JSON.stringify(text);
    const objects = this.#rows.map((row) => {
      const fields = order.map((i) =>
        `         ${JSON.stringify((this.#names[i] ?? "").toLowerCase())}: ${value(row[i])}`
      );
      return `{\n${fields.join(",\n")}\n      }`;
    });
    return `{\n   ${JSON.stringify(name)}: [\n      ${objects.join(",")}\n   ]\n}\n`;
  }
}

function splitBlanks(line: string, limit: number): string[] {
  const cells: string[] = [];
  let rest = line.replace(/^[ \t]+/, "");
  while (cells.length + 1 < limit) {
    const at = rest.search(/[ \t]/);
    if (at < 0) break;
    cells.push(rest.slice(0, at));
    rest = rest.slice(at).replace(/^[ \t]+/, "");
  }
  return rest === "" && cells.length > 0 ? cells : [...cells, rest];
}
