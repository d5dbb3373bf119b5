/** pr: pages with headers, and columns. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { formatTime } from "../files/times.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "acdD:e::fFh:Jl:mn::N:o:rs::S::tTvw:W:",
  long: {
    "columns=": "columns",
    across: "a",
    "double-space": "d",
    "date-format=": "D",
    "expand-tabs?": "e",
    "form-feed": "F",
    "header=": "h",
    "length=": "l",
    merge: "m",
    "number-lines?": "n",
    "first-line-number=": "N",
    "indent=": "o",
    "no-file-warnings": "r",
    "separator?": "s",
    "sep-string?": "S",
    "omit-header": "t",
    "omit-pagination": "T",
    "width=": "w",
    "page-width=": "W",
    "pages=": "pages",
    "show-control-chars": "c",
    "show-nonprinting": "v",
    "join-lines": "J",
  },
};
// deno-lint-ignore no-control-regex -- those are what is shown otherwise
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;
// deno-lint-ignore no-control-regex -- and bytes that are no text
const CODES = /[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]/g;
const HEADER = 5;
const FOOTER = 5;

class Layout {
  readonly columns: number;
  readonly #across: boolean;
  readonly #omit: boolean;
  readonly #body: number;
  readonly #width: number;
  readonly #indent: string;
  readonly #separator: string | undefined;
  readonly #fits: boolean;
  readonly #numbers: { mark: string; width: number } | undefined;
  #line: number;

  constructor(private readonly tool: Tool, columns: number) {
    const { given } = tool;
    const number = (key: string, otherwise: number) => {
      const word = given.get(key);
      if (word === undefined) return otherwise;
      if (!/^-?\d+$/.test(word)) throw new CommandError(`'-${key}' invalid number: '${word}'`);
      return Number(word);
    };
    const length = number("l", 66);
    this.#omit = given.has("t") || given.has("T") || length <= HEADER + FOOTER;
    this.#body = Math.max(1, Math.floor((this.#omit ? length : length - HEADER - FOOTER) / (given.has("d") ? 2 : 1)));
    this.columns = columns;
    this.#across = given.has("a");
    this.#width = number("w", number("W", 72));
    this.#indent = " ".repeat(number("o", 0));
    this.#separator = given.has("s") ? given.get("s") || "\t" : given.has("S") ? given.get("S") ?? "" : undefined;
    if (given.has("J")) this.#separator ??= "\t";
    this.#fits = !given.has("J") && columns > 1 && !(given.has("s") && !given.has("w")) ||
      !given.has("J") && given.has("W");
    if (given.has("n")) {
      const [, mark, digits] = /^(\D?)(\d*)$/.exec(given.get("n") ?? "") ?? [];
      if (mark === undefined) {
        throw new CommandError(`'-n' extra characters or invalid number in the argument: '${given.get("n")}'`);
      }
      this.#numbers = { mark: mark || "\t", width: Number(digits || 5) };
    }
    this.#line = number("N", 1);
  }

  /** Prints one text, or several beside each other. */
  async print(texts: string[][], title: string, date: string): Promise<void> {
    const { given, out } = this.tool;
    const [first = 1, last = Infinity] = (given.get("pages") ?? "").split(":").map((word) => Number(word || NaN))
      .map((page, i) => Number.isNaN(page) ? i === 0 ? 1 : Infinity : page);
    const pages = texts.length > 1 ? this.#merged(texts) : this.#paged(texts[0]);
    let page = 0;
    for (const rows of pages) {
      page++;
      if (page < first || page > last) continue;
      if (!this.#omit) out.write(`\n\n${this.#header(title, date, page)}\n\n\n`);
      for (const row of rows) out.write(`${row === "" ? "" : this.#indent}${row}\n${given.has("d") ? "\n" : ""}`);
      if (!this.#omit) {
        const left = (this.#body - rows.length) * (given.has("d") ? 2 : 1);
        out.write(given.has("f") || given.has("F") ? "\f" : "\n".repeat(left + FOOTER));
      }
      if (out.full) await out.flush();
    }
  }

  #header(title: string, date: string, page: number): string {
    const number = `Page ${page}`;
    const room = this.#width - date.length - number.length - title.length;
    const left = Math.max(1, Math.floor(room / 2));
    return `${this.#indent}${date}${" ".repeat(left)}${title}${" ".repeat(Math.max(1, room - left))}${number}`;
  }

  #numbered(line: string): string {
    if (!this.#numbers) return line;
    return `${
      String(this.#line++).slice(-this.#numbers.width).padStart(this.#numbers.width)
    }${this.#numbers.mark}${line}`;
  }

  *#paged(lines: string[]): Generator<string[]> {
    const size = this.#body * this.columns;
    for (let at = 0; at < lines.length; at += size) {
      const part = lines.slice(at, at + size).map((line) => this.#numbered(line));
      if (this.columns === 1) {
        yield part.map((line) => this.#fits ? line.slice(0, this.#width) : line);
        continue;
      }
      const isLast = at + size >= lines.length;
      const height = isLast ? Math.ceil(part.length / this.columns) : this.#body;
      yield Array.from({ length: Math.min(height, part.length) }, (_, row) => {
        const cells = Array.from(
          { length: this.columns },
          (_, column) =>
            part[this.#across ? row * this.columns + column : this.#place(part.length, row, column, height, isLast)],
        );
        return this.#row(cells);
      });
    }
  }

  /** On the last page lines are spread evenly. */
  #place(count: number, row: number, column: number, height: number, isLast: boolean): number {
    if (!isLast) return column * height + row;
    const long = count % this.columns || this.columns;
    const size = column < long ? height : height - 1;
    if (row >= size) return -1;
    return column <= long ? column * height + row : long * height + (column - long) * (height - 1) + row;
  }

  *#merged(texts: string[][]): Generator<string[]> {
    const height = Math.max(...texts.map((lines) => lines.length));
    for (let at = 0; at < height; at += this.#body) {
      yield Array.from(
        { length: Math.min(this.#body, height - at) },
        (_, row) => this.#numbered(this.#row(texts.map((lines) => lines[at + row] ?? ""))),
      );
    }
  }

  #row(cells: (string | undefined)[]): string {
    const count = cells.length;
    if (this.#separator !== undefined && !this.#fits) {
      return cells.filter((cell) => cell !== undefined).join(this.#separator);
    }
    const glue = this.#separator ?? "";
    const width = Math.floor(
      (this.#width - (this.#separator === undefined ? count - 1 : glue.length * (count - 1))) / count,
    );
    if (width < 1) throw new CommandError("page width too narrow");
    const step = this.#separator === undefined ? width + 1 : width;
    let last = cells.length;
    while (last > 0 && (cells[last - 1] ?? "") === "") last--;
    return toTabs(
      cells.slice(0, last).map((cell, i) => {
        const text = (cell ?? "").slice(0, width);
        return i < last - 1 ? text.padEnd(step) + glue : text;
      }).join(""),
    );
  }
}

/** Runs of blanks become tabs where they reach a stop. */
function toTabs(text: string): string {
  let out = "";
  for (let at = 0; at < text.length; at += 8) {
    const part = text.slice(at, at + 8);
    out += part.length === 8 && at + 8 < text.length && / {2,}$/.test(part) ? `${part.trimEnd()}\t` : part;
  }
  return out;
}

const pr = defineTool("pr", USAGE, async (tool) => {
  const { given } = tool;
  const columns = Number(given.get("columns") ?? 1);
  if (!Number.isInteger(columns) || columns < 1) {
    throw new CommandError(`invalid number of columns: '${given.get("columns")}'`);
  }
  if (given.has("m") && given.has("columns")) {
    throw new CommandError("cannot specify number of columns when printing in parallel");
  }
  const prepare = (line: string) => {
    const plain = given.has("e") ? expand(line, readTab("e", given.get("e"))) : line;
    return given.has("v") ? showCodes(plain) : given.has("c") ? showControls(plain) : plain;
  };
  const texts: { lines: string[]; name: string; date: string }[] = [];
  for (const name of tool.inputs) {
    try {
      const text = (await tool.readText(name)).replace(/\n$/, "");
      const lines = text === "" ? [] : text.split("\n").map(prepare);
      texts.push({ lines, name: given.get("h") ?? (name === "-" ? "" : name), date: dateOf(tool, name) });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      tool.code = 1;
      if (!given.has("r")) tool.complain(`${name}: ${reasonOf(error)}`);
    }
  }
  if (given.has("m")) {
    if (texts.length === 0) return tool.code;
    const layout = new Layout(tool, texts.length);
    await layout.print(texts.map(({ lines }) => lines), given.get("h") ?? "", texts[0].date);
    return tool.code;
  }
  for (const { lines, name, date } of texts) await new Layout(tool, columns).print([lines], name, date);
  return tool.code;
}, (args) => args.map((arg) => arg.replace(/^-(\d+)$/, "--columns=$1").replace(/^\+(\d+(?::\d+)?)$/, "--pages=$1")));

function expand(line: string, tab: { char: string; width: number }): string {
  let out = "";
  for (const char of line) out += char === tab.char ? " ".repeat(tab.width - out.length % tab.width) : char;
  return out;
}

function dateOf({ context, given }: Tool, name: string): string {
  const file = name !== "-" && !name.startsWith("/dev/");
  const time = file ? context.files.stat(context.files.resolve(context.cwd, name)).mtime : Date.now();
  return formatTime(given.get("D") ?? "%Y-%m-%d %H:%M", time, context.env.TZ);
}

/** The character and the width that -e may be followed by. */
function readTab(letter: string, word = ""): { char: string; width: number } {
  const [, char, digits] = /^(\D?)(\d*)$/s.exec(word) ?? [];
  if (digits === undefined) {
    throw new CommandError(`'-${letter}' extra characters or invalid number in the argument: '${word}'`);
  }
  return { char: char || "\t", width: Number(digits || 8) };
}

function showControls(line: string): string {
  return line.replace(CONTROL, (char) => `^${String.fromCharCode(char.charCodeAt(0) ^ 64)}`);
}

function showCodes(line: string): string {
  return line.replace(CODES, (char) => `\\${(char.charCodeAt(0) & 255).toString(8).padStart(3, "0")}`);
}

export const commands = [pr];
