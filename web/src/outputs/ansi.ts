/** Text with the control sequences of terminals, as pieces of one look; sequences that mean nothing here are dropped. */

export interface Look {
  /** 0 to 15 of the theme's colours, or a colour of CSS. */
  color?: number | string;
  ground?: number | string;
  bold?: boolean;
  faint?: boolean;
  italic?: boolean;
  underline?: boolean;
  strike?: boolean;
  inverse?: boolean;
}

export interface Piece {
  text: string;
  look: Look;
}

interface Cell {
  char: string;
  look: Look;
}

const PLAIN: Look = {};
/** Colours and other CSI sequences; OSC and its like to their end; other escapes; control characters but \t \n \r \b. */
const SEQUENCE =
  // deno-lint-ignore no-control-regex -- these are the characters it is about
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b\[[0-?]*[ -/]*$|\x1b[ -/]*[0-~]?|[\x00-\x07\x0b-\x0c\x0e-\x1f\x7f]/g;
/** Characters of a line beyond which what is written over is no longer looked at. */
const LINE_LIMIT = 20_000;

/** The text in pieces; `\r` and `\b` write over what stands in the line, as progress bars do. */
export function parseAnsi(text: string): Piece[] {
  // Line ends of Windows, and of terminals, are no return to the beginning.
  const given = text.includes("\r\n") ? text.replace(/\r+\n/g, "\n") : text;
  const writer = new PieceWriter();
  let at = 0;
  for (const found of given.matchAll(SEQUENCE)) {
    writer.write(given.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[2] === "m") writer.look = changeLook(writer.look, found[1] ?? "");
    else if (found[2] === "K") writer.erase(found[1] ?? "");
  }
  writer.write(given.slice(at));
  return writer.end();
}

/** The text without control sequences. */
export function stripAnsi(text: string): string {
  return text.replace(SEQUENCE, "");
}

/** Puts text into lines and gives pieces back. */
class PieceWriter {
  look: Look = PLAIN;
  readonly #pieces: Piece[] = [];
  /** The line that is being written over; a line that only grows goes to the pieces at once. */
  #line: Cell[] | undefined;
  #at = 0;
  /** Where the current line begins: a piece, and a character of it. */
  #begin = { piece: 0, char: 0 };

  write(text: string): void {
    if (!text) return;
    if (!this.#line && !/[\r\b]/.test(text)) return this.#append(text);
    for (const part of text.split(/([\n\r\b])/)) {
      if (part === "\n") this.#endLine();
      else if (part === "\r") this.#openLine(0);
      else if (part === "\b") this.#openLine(-1);
      else if (part && this.#line) this.#overwrite(this.#line, part);
      else if (part) this.#append(part);
    }
  }

  erase(way: string): void {
    if (!this.#line) this.#openLine(-0.5);
    const line = this.#line;
    if (!line) return;
    if (way === "" || way === "0") line.length = Math.min(line.length, this.#at);
    else line.fill({ char: " ", look: PLAIN }, 0, way === "2" ? line.length : this.#at + 1);
  }

  end(): Piece[] {
    this.#closeLine();
    return this.#pieces;
  }

  #append(text: string): void {
    const last = this.#pieces.at(-1);
    if (last && last.look === this.look) last.text += text;
    else if (text) this.#pieces.push({ text, look: this.look });
    const end = text.lastIndexOf("\n");
    if (end >= 0) this.#markBegin(text.length - end - 1);
  }

  /** The line begins so many characters before the end of what is written. */
  #markBegin(before: number): void {
    const piece = Math.max(0, this.#pieces.length - 1);
    this.#begin = { piece, char: (this.#pieces[piece]?.text.length ?? 0) - before };
  }

  /** Takes the current line back as cells; `move` is 0 for its beginning, -1 for one to the left. */
  #openLine(move: number): void {
    if (!this.#line) {
      const taken = this.#pieces.splice(this.#begin.piece);
      const first = taken[0];
      const kept = first?.text.slice(0, this.#begin.char);
      if (first && kept) this.#pieces.push({ text: kept, look: first.look });
      this.#line = taken.flatMap(({ text, look }, at) =>
        [...(at === 0 ? text.slice(this.#begin.char) : text)].map((char) => ({ char, look }))
      );
      this.#at = this.#line.length;
    }
    this.#at = move === 0 ? 0 : Math.max(0, this.#at + Math.ceil(move));
  }

  #overwrite(line: Cell[], text: string): void {
    for (const char of text) {
      if (this.#at >= LINE_LIMIT) return;
      line[this.#at++] = { char, look: this.look };
    }
  }

  #endLine(): void {
    this.#closeLine();
    this.#append("\n");
  }

  #closeLine(): void {
    const line = this.#line;
    if (!line) return;
    this.#line = undefined;
    for (const { char, look } of line) {
      const last = this.#pieces.at(-1);
      if (last && last.look === look) last.text += char;
      else this.#pieces.push({ text: char, look });
    }
  }
}

/** The look after a sequence such as "1;31". */
function changeLook(look: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/).map((code) => Number(code) || 0);
  let now = { ...look };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [color, used] = readColor(codes.slice(at + 1));
      now[code === 38 ? "color" : "ground"] = color;
      at += used;
    } else if (code === 0) now = {};
    else Object.assign(now, lookOf(code));
  }
  return Object.values(now).some((each) => each !== undefined && each !== false) ? now : PLAIN;
}

const SWITCHES: Record<number, Look> = {
  1: { bold: true },
  2: { faint: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: false, faint: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { color: undefined },
  49: { ground: undefined },
};

function lookOf(code: number): Look {
  if (code >= 30 && code <= 37) return { color: code - 30 };
  if (code >= 90 && code <= 97) return { color: code - 82 };
  if (code >= 40 && code <= 47) return { ground: code - 40 };
  if (code >= 100 && code <= 107) return { ground: code - 92 };
  return SWITCHES[code] ?? {};
}

/** A colour of 256 or of 16 million, and how many numbers it took. */
function readColor(
  [kind, first = 0, second = 0, third = 0]: number[],
): [color: number | string | undefined, used: number] {
  if (kind === 5) return [colorOf(first), 2];
  if (kind === 2) return [`rgb(${first & 255} ${second & 255} ${third & 255})`, 4];
  return [undefined, 1];
}

function colorOf(index: number): number | string {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + Math.min(index - 232, 23) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}
