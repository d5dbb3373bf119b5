/** How ls shows its items: long lines, columns, commas. */
import type { Stat } from "../../../../../../fs/files.ts";
import type { FileTool } from "../file_tool.ts";
import { blocksOf, linksOf, quote, sizeOfStat, USER_ID } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { quoteBackslash } from "../../../expansion/quote.ts";
import { isFifo, modeLetters } from "../modes.ts";
import { showSize } from "../sizes.ts";
import { formatTime } from "../times.ts";
import type { Paint } from "./colors.ts";
import type { ListOptions } from "./options.ts";

export interface Item {
  name: string;
  whole: string;
  stat: Stat;
  /** The text of a link. */
  link?: string;
  /** What a link leads to. */
  target?: Stat;
}

const HALF_YEAR_MS = 31_556_952_000 / 2;
const TAB = 8;
/** Blanks between columns, and the least that a column takes with them. */
const GAP = 2;
const LEAST_COLUMN = 3;

export class Renderer {
  constructor(private readonly tool: FileTool, readonly options: ListOptions, private readonly paint: Paint) {}

  total(items: Item[]): string {
    const { options } = this;
    if (options.format !== "long" && !options.given.has("s")) return "";
    const blocks = items.reduce((sum, { stat }) => sum + blocksOf(stat), 0);
    return `total ${showSize(blocks * 512, options.blocks)}${options.end}`;
  }

  render(items: Item[]): string {
    const { options: { format, end } } = this;
    if (items.length === 0) return "";
    if (format === "long") return this.#renderLong(items);
    const leads = this.#leads(items);
    const cells = items.map((item, i) => leads[i] + this.#shown(item));
    if (format === "single") return cells.map((cell) => cell + end).join("");
    if (format === "commas") return this.#wrap(cells);
    return this.#columns(cells, items.map((item, i) => leads[i].length + this.#plain(item).length));
  }

  /** Inode and blocks, before the rest. */
  #leads(items: Item[]): string[] {
    const { given, blocks } = this.options;
    const inodes = items.map(({ stat }) => given.has("i") ? String(stat.ino) : "");
    const counts = items.map(({ stat }) => given.has("s") ? showSize(blocksOf(stat) * 512, blocks) : "");
    const [wide, count] = [inodes, counts].map((texts) => Math.max(...texts.map(({ length }) => length)));
    const padded = this.options.format !== "commas";
    return items.map((_, i) => {
      const inode = inodes[i] === "" ? "" : `${padded ? inodes[i].padStart(wide) : inodes[i]} `;
      const context = given.has("Z") && this.options.format !== "long" ? "? " : "";
      return inode + (counts[i] === "" ? "" : `${padded ? counts[i].padStart(count) : counts[i]} `) + context;
    });
  }

  #shown(item: Item): string {
    return this.paint(item, this.#quoted(item.name)) + this.#mark(item.stat);
  }

  #plain(item: Item): string {
    return this.#quoted(item.name) + this.#mark(item.stat);
  }

  #quoted(name: string): string {
    switch (this.options.quoting) {
      case "escape":
        return escapeName(name).replaceAll(" ", "\\ ");
      case "c":
        return `"${escapeName(name).replaceAll('"', '\\"')}"`;
      case "locale":
        return `'${escapeName(name).replaceAll("'", "\\'")}'`;
      case "shell-always":
      case "shell-escape-always":
        return quote(name);
      case "shell":
      case "shell-escape":
        return quoteBackslash(name) === name ? name : quote(name);
      default:
        // deno-lint-ignore no-control-regex -- those are what -q hides
        return this.options.given.has("q") ? name.replace(/[\x00-\x1f\x7f]/g, "?") : name;
    }
  }

  #mark(stat: Stat): string {
    const { indicator } = this.options;
    if (indicator === "none") return "";
    if (stat.kind === "directory") return "/";
    if (indicator === "slash") return "";
    if (stat.kind === "link") return "@";
    return indicator === "classify" && stat.kind === "file" && stat.mode & 0o111 ? "*" : "";
  }

  #renderLong(items: Item[]): string {
    const { tool, options } = this;
    const { given } = options;
    const numeric = given.has("n");
    const owner = numeric ? String(USER_ID) : tool.user;
    const leads = this.#leads(items);
    const rows = items.map((item) => [
      modeLetters(item.stat),
      String(linksOf(tool.files, item.whole, item.stat)),
      ...given.has("g") ? [] : [owner],
      ...given.has("o", "G") ? [] : [owner],
      ...given.has("author") ? [owner] : [],
      ...given.has("Z") ? ["?"] : [],
      item.stat.kind === "other" && !isFifo(item.stat) ? "1, 3" : showSize(sizeOfStat(item.stat), options.size),
      this.#time(item.stat[options.time]),
    ]);
    const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    const right = new Set([1, rows[0].length - 2]);
    return rows.map((row, i) => {
      const cells = row.map((cell, column) =>
        right.has(column) || numeric && column > 0 && column < row.length - 2
          ? cell.padStart(widths[column])
          : cell.padEnd(widths[column])
      );
      return `${leads[i]}${cells.join(" ")} ${this.#longName(items[i])}${options.end}`;
    }).join("");
  }

  #longName(item: Item): string {
    if (item.stat.kind !== "link") return this.#shown(item);
    const name = this.paint(item, this.#quoted(item.name));
    if (item.link === undefined) return name;
    return `${name} -> ${this.#quoted(item.link)}${item.target ? this.#mark(item.target) : ""}`;
  }

  #time(ms: number): string {
    const { given } = this.options;
    const { env } = this.tool.context;
    const style = given.has("full-time") && !given.has("time-style")
      ? "full-iso"
      : given.get("time-style") ?? env.TIME_STYLE ?? "locale";
    const now = Date.now();
    const recent = ms <= now && now - ms < HALF_YEAR_MS;
    return formatTime(timeFormat(style.replace(/^posix-/, ""), recent), ms, env.TZ);
  }

  #wrap(cells: string[]): string {
    const lines: string[] = [];
    let line = "";
    for (const [i, cell] of cells.entries()) {
      const text = cell + (i < cells.length - 1 ? "," : "");
      if (line !== "" && line.length + 1 + text.length > this.options.width) {
        lines.push(line);
        line = text;
      } else line = line === "" ? text : `${line} ${text}`;
    }
    return [...lines, line].join("\n") + this.options.end;
  }

  /** As few lines as the width allows. */
  #columns(cells: string[], lengths: number[]): string {
    const { format, width, end } = this.options;
    const across = format === "across";
    const most = width === 0 ? cells.length : Math.min(cells.length, Math.ceil(width / LEAST_COLUMN));
    let columns = Math.max(1, most);
    while (columns > 1 && fitColumns(lengths, columns, across, width) === undefined) columns--;
    const widths = fitColumns(lengths, columns, across, Infinity) ?? [];
    const rows = Math.ceil(cells.length / columns);
    let out = "";
    for (let row = 0; row < rows; row++) {
      let at = 0;
      let start = 0;
      for (let column = 0; column < columns; column++) {
        const i = across ? row * columns + column : column * rows + row;
        if (i >= cells.length) break;
        out += indent(at, start) + cells[i];
        at = start + lengths[i];
        start += widths[column];
      }
      out += end;
    }
    return out;
  }
}

/** The widths of so many columns; undefined if a name makes them too wide. Names of one letter never do, as GNU has it. */
function fitColumns(lengths: number[], columns: number, across: boolean, most: number): number[] | undefined {
  const widths = new Array<number>(columns).fill(LEAST_COLUMN);
  const rows = Math.ceil(lengths.length / columns);
  let line = LEAST_COLUMN * columns;
  for (const [i, length] of lengths.entries()) {
    const column = across ? i % columns : Math.floor(i / rows);
    const wanted = length + (column === columns - 1 ? 0 : GAP);
    if (wanted <= widths[column]) continue;
    line += wanted - widths[column];
    widths[column] = wanted;
    if (most > 0 && line >= most) return undefined;
  }
  return widths;
}

/** Blanks from one column to another, as tabs where these fit. */
function indent(from: number, to: number): string {
  let text = "";
  for (let at = from; at < to;) {
    const stop = Math.floor(at / TAB + 1) * TAB;
    if (Math.floor(to / TAB) > Math.floor((at + 1) / TAB) && stop <= to) {
      text += "\t";
      at = stop;
    } else {
      text += " ";
      at++;
    }
  }
  return text;
}

function timeFormat(style: string, recent: boolean): string {
  if (style.startsWith("+")) {
    const [old, fresh] = style.slice(1).split("\n");
    return recent ? fresh ?? old : old;
  }
  if ("full-iso".startsWith(style)) return "%Y-%m-%d %H:%M:%S.%N %z";
  if ("long-iso".startsWith(style)) return "%Y-%m-%d %H:%M";
  if ("iso".startsWith(style)) return recent ? "%m-%d %H:%M" : "%Y-%m-%d ";
  if (style === "locale") return recent ? "%b %e %H:%M" : "%b %e  %Y";
  throw new CommandError(`invalid argument ${quote(style)} for 'time style'`, 2);
}

function escapeName(name: string): string {
  // deno-lint-ignore no-control-regex -- those are escaped
  return name.replace(/[\x00-\x1f\x7f\\]/g, (char) => {
    const known: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\" };
    return known[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
}
