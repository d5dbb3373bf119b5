/** Two files beside each other. */
import type { Change } from "../../../text/diff/line_diff.ts";
import { CommandError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import type { Side } from "./diff_render.ts";

const TAB = 8;
const GUTTER = 3;

class Columns {
  readonly #half: number;
  readonly #second: number;

  constructor(width: number, private readonly expands: boolean) {
    const tab = expands ? 1 : TAB;
    const offset = Math.floor((width + tab + GUTTER) / (2 * tab)) * tab;
    this.#half = Math.max(0, Math.min(offset - GUTTER, width - offset));
    this.#second = this.#half > 0 ? offset : width;
  }

  line(left: string | undefined, mark: string, right: string | undefined): string {
    let out = "";
    let column = 0;
    const goTo = (to: number) => {
      if (!this.expands) {
        for (let stop = column + TAB - column % TAB; stop <= to; stop += TAB) {
          out += "\t";
          column = stop;
        }
      }
      out += " ".repeat(Math.max(0, to - column));
      column = Math.max(column, to);
    };
    if (left !== undefined) {
      const shown = this.#cut(left);
      out += shown.text;
      column = shown.width;
    }
    if (mark !== " ") {
      goTo(Math.floor((this.#half + this.#second - 1) / 2));
      out += mark;
      column++;
    }
    if (right !== undefined && right !== "") {
      goTo(this.#second);
      out += this.#cut(right).text;
    }
    return `${out}\n`;
  }

  /** As much of a line as there is room for. */
  #cut(line: string): { text: string; width: number } {
    let text = "";
    let width = 0;
    let at = 0;
    for (const char of line) {
      if (char !== "\t") {
        if (at < this.#half) {
          width = at + 1;
          text += char;
        }
        at++;
        continue;
      }
      const stop = at + TAB - at % TAB;
      if (this.expands) {
        const end = Math.min(stop, this.#half);
        if (at === width) {
          text += " ".repeat(Math.max(0, end - width));
          width = Math.max(width, end);
        }
      } else if (at === width && stop < this.#half) {
        text += char;
        width = stop;
      }
      at = stop;
    }
    return { text, width };
  }
}

function isOpen({ lines, open }: Side, at: number): boolean {
  return open && at === lines.length - 1;
}

export function renderSides(given: Given, a: Side, b: Side, changes: Change[]): string {
  const width = Number(given.get("W") ?? 130);
  if (!(width > 0)) throw new CommandError(`invalid width '${given.get("W")}'`, 2);
  const columns = new Columns(width, given.has("t"));
  let out = "";
  let [i, j] = [0, 0];
  const common = (endA: number, endB: number) => {
    for (; i < endA && j < endB; i++, j++) {
      if (given.has("suppress")) continue;
      out += given.has("left") ? columns.line(a.lines[i], "(", undefined) : columns.line(a.lines[i], " ", b.lines[j]);
    }
    // What only one has here is a difference that does not count.
    for (; j < endB; j++) if (!given.has("suppress")) out += columns.line(undefined, ")", b.lines[j]);
    for (; i < endA; i++) if (!given.has("suppress")) out += columns.line(a.lines[i], "(", undefined);
  };
  for (const { from, to } of changes) {
    common(from[0], to[0]);
    for (; i < from[1] && j < to[1]; i++, j++) {
      const ends = [isOpen(a, i), isOpen(b, j)];
      out += columns.line(a.lines[i], ends[0] === ends[1] ? "|" : ends[0] ? "\\" : "/", b.lines[j]);
    }
    while (i < from[1]) out += columns.line(a.lines[i++], "<", undefined);
    while (j < to[1]) out += columns.line(undefined, ">", b.lines[j++]);
  }
  common(a.lines.length, b.lines.length);
  return out;
}
