/** Writes the transcript and the line into a terminal: only what is new, or all of it if what is there is not so any more. */

import { EscapeFilter } from "./escape_filter.ts";
import { draw, type Drawn, undraw } from "./layout.ts";

/** What a terminal is asked for: xterm has it. */
export interface Paper {
  readonly cols: number;
  readonly column: number;
  /** Tells when all of it is shown. */
  write(text: string, done: () => void): void;
  reset(): void;
}

export interface Piece {
  id: number;
  text: string;
}

/** What stands after the transcript: nothing while a command runs. */
export interface Ask {
  prompt: string;
  text: string;
  cursor: number;
  hint: string;
}

/** What is pasted comes marked, so that its lines are not entered one by one. */
const MODES = "\x1b[?2004h";
const PLAIN = "\x1b[0m";

export class Screen {
  #painted: Piece[] = [];
  #filter = new EscapeFilter();
  #drawn: Drawn | undefined;
  #start = 0;
  #wanted: { pieces: readonly Piece[]; ask?: Ask } = { pieces: [] };
  #busy = false;
  #stale = true;
  #waiting = false;
  /** Nothing before this one is shown: the screen was cleared. */
  #from = -1;

  constructor(readonly paper: Paper) {}

  /** Shows this as soon as what was written before is shown: a flood is never more than one step ahead. */
  show(pieces: readonly Piece[], ask?: Ask): void {
    this.#wanted = { pieces, ask };
    if (this.#busy) this.#waiting = true;
    else this.#paint();
  }

  /** Writes everything again, as after a change of size. */
  renew(): void {
    this.#stale = true;
    this.show(this.#wanted.pieces, this.#wanted.ask);
  }

  /** Begins with an empty screen. */
  clear(): void {
    this.#from = this.#wanted.pieces.at(-1)?.id ?? -1;
    this.renew();
  }

  #paint(): void {
    const pieces = this.#wanted.pieces.filter(({ id }) => id > this.#from);
    const fresh = this.#stale ? undefined : findFresh(this.#painted, pieces);
    if (fresh === undefined) this.#paintAll(pieces);
    else if (fresh.length > 0) this.#append(fresh, this.#takeAway());
    else this.#write(this.#takeAway() + this.#drawAsk());
    this.#painted = pieces.map((piece) => ({ ...piece }));
  }

  #paintAll(pieces: readonly Piece[]): void {
    this.#stale = false;
    this.#drawn = undefined;
    this.#start = 0;
    this.#filter = new EscapeFilter();
    this.paper.reset();
    this.#append(pieces, MODES, true);
  }

  /** Writes what is new; where it ended is known when it is shown, and the line is drawn there. */
  #append(fresh: readonly Piece[], before: string, begin = false): void {
    let out = before;
    fresh.forEach(({ text }, at) => {
      // Each command begins with plain colours, and without what the one before left unfinished.
      if (begin || at > 0) this.#filter = new EscapeFilter();
      out += (begin || at > 0 ? PLAIN : "") + this.#filter.push(text).replaceAll("\n", "\r\n");
    });
    this.#busy = true;
    this.paper.write(out, () => {
      // At the end of a full row the cursor is in no column of its own.
      const full = this.paper.column >= this.paper.cols;
      this.#start = full ? 0 : this.paper.column;
      this.#write((full ? " \r" : "") + this.#drawAsk());
    });
  }

  #write(out: string): void {
    this.#busy = true;
    this.paper.write(out, () => {
      this.#busy = false;
      if (!this.#waiting) return;
      this.#waiting = false;
      this.#paint();
    });
  }

  #drawAsk(): string {
    const { ask } = this.#wanted;
    if (!ask) return "";
    this.#drawn = draw({ ...ask, start: this.#start, columns: this.paper.cols });
    return PLAIN + this.#drawn.text;
  }

  #takeAway(): string {
    const drawn = this.#drawn;
    this.#drawn = undefined;
    return drawn ? undraw(drawn, this.#start) : "";
  }
}

/** What comes after what is painted, the first as the rest of the last one; undefined if something is not so any more. */
export function findFresh(painted: readonly Piece[], wanted: readonly Piece[]): Piece[] | undefined {
  // The oldest ones are not kept for ever.
  const there = painted.filter(({ id }) => id >= (wanted[0]?.id ?? Infinity));
  const last = there.length - 1;
  if (painted.length > 0 && last < 0) return undefined;
  for (const [at, { id, text }] of there.entries()) {
    const now = wanted[at];
    if (now?.id !== id || (at < last ? now.text !== text : !now.text.startsWith(text))) return undefined;
  }
  const rest = wanted[last]?.text.slice(there[last]?.text.length) ?? "";
  const more = wanted.slice(there.length);
  return rest || more.length > 0 ? [{ id: wanted[last]?.id ?? -1, text: rest }, ...more] : [];
}
