/** expand and unexpand: blanks for tabs, and tabs for blanks. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { BYTES } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

/** Where tabs stop. */
class Stops {
  readonly #places: number[] = [];
  /** After the last place: every so many columns, counted from 0 or from that place. */
  #every = 0;
  #fromLast = false;

  constructor(words: string[]) {
    for (const part of words.flatMap((word) => word.split(/[ ,\t]+/)).filter((part) => part !== "")) this.#add(part);
    if (this.#places.length === 1 && this.#every === 0) this.#every = this.#places.pop() ?? 8;
    if (this.#places.length === 0 && this.#every === 0) this.#every = 8;
  }

  #add(part: string): void {
    const [, sign, digits] = /^([/+]?)(\d+)$/.exec(part) ?? [];
    if (digits === undefined) {
      const odd = /[^\d/+]/.exec(part)?.[0];
      throw new CommandError(
        odd === undefined ? "tab size cannot be 0" : `tab size contains invalid character(s): '${part}'`,
      );
    }
    const number = Number(digits);
    if (number === 0 && sign === "") throw new CommandError("tab size cannot be 0");
    if (sign !== "") {
      if (this.#every > 0) throw new CommandError(`'${sign}' specifier only allowed with the last value`);
      this.#every = number;
      this.#fromLast = sign === "+";
    } else if (number <= (this.#places.at(-1) ?? 0)) throw new CommandError("tab sizes must be ascending");
    else this.#places.push(number);
  }

  /** The next stop after a column; undefined beyond the last. */
  after(column: number): number | undefined {
    const place = this.#places.find((stop) => stop > column);
    if (place !== undefined) return place;
    if (this.#every === 0) return undefined;
    const base = this.#fromLast ? this.#places.at(-1) ?? 0 : 0;
    return column + this.#every - (column - base) % this.#every;
  }
}

/** `-4` and `-4,8` are `-t 4` and `-t 4,8`. */
function nameStops(args: string[]): string[] {
  return args.map((arg) => /^-\d[\d,]*$/.test(arg) ? `-t${arg.slice(1)}` : arg);
}

async function change(tool: Tool, changeLine: (line: string) => string): Promise<void> {
  tool.out.coding = BYTES;
  await tool.eachFile(tool.inputs, async (stream) => {
    for await (const lines of tool.batches(stream, 10, BYTES)) {
      const end = tool.endsOpen ? lines.length - 1 : -1;
      lines.forEach((line, i) => tool.print(changeLine(line) + (i === end ? "" : "\n")));
    }
  });
}

const expand = defineTool("expand", { letters: "it:", long: { initial: "i", "tabs=": "t" } }, async (tool) => {
  const stops = new Stops(tool.given.all("t"));
  const initial = tool.given.has("i");
  await change(tool, (line) => {
    let out = "";
    let column = 0;
    let changes = true;
    for (const char of line) {
      if (char === "\t" && changes) {
        const stop = stops.after(column) ?? column + 1;
        out += " ".repeat(stop - column);
        column = stop;
        continue;
      }
      out += char;
      column = char === "\b" ? Math.max(0, column - 1) : column + 1;
      if (initial && char !== " ") changes = false;
    }
    return out;
  });
}, nameStops);

const UNEXPAND = { letters: "at:", long: { all: "a", "first-only": "first", "tabs=": "t" } };

const unexpand = defineTool("unexpand", UNEXPAND, async (tool) => {
  const { given } = tool;
  const stops = new Stops(given.all("t"));
  const all = given.has("a", "t") && !given.has("first");
  await change(tool, (line) => unexpandLine(line, stops, all));
}, nameStops);

function unexpandLine(line: string, stops: Stops, all: boolean): string {
  let out = "";
  let column = 0;
  let blanks = "";
  let start = 0;
  let at = 0;
  for (; at < line.length; at++) {
    const char = line[at];
    if (char !== " " && char !== "\t") {
      out += blanks + char;
      blanks = "";
      column = char === "\b" ? Math.max(0, column - 1) : column + 1;
      if (all) continue;
      return out + line.slice(at + 1);
    }
    if (blanks === "") start = column;
    const stop = stops.after(column);
    if (stop === undefined) {
      out += blanks + line.slice(at, at + 1);
      blanks = "";
      column++;
      continue;
    }
    column = char === "\t" ? stop : column + 1;
    blanks += char;
    if (column !== stop) continue;
    // One blank before a stop stays one, unless more follow.
    const single = char === " " && column - start === 1 && !/[ \t]/.test(line[at + 1] ?? "");
    out += single ? " " : "\t";
    blanks = "";
  }
  return out + blanks;
}

export const commands = [expand, unexpand];
