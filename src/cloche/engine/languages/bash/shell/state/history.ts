/** The commands that were read, with their numbers. */

export class History {
  lines: string[] = [];
  /** The number of the first line; it grows when the oldest lines are dropped. */
  base = 1;
  /** How many lines, at the end, the history file has not. */
  unsaved = 0;
  /** How many lines of the file were read. */
  read = 0;
  /** Whether the command that runs was added as a line of its own. */
  added = false;
  /** Whether `history -s` has put another in its place. */
  pushed = false;
  /** What `!?text?` looked for last, with the word it was found in; and what `:s` replaced last. */
  search: { text: string; word: string } | undefined;
  substitution: { from: string; to: string } | undefined;

  /** The number that the next line gets. */
  get next(): number {
    return this.base + this.lines.length;
  }

  add(line: string): void {
    this.lines.push(line);
    this.unsaved++;
  }

  /** Takes the latest line away again. */
  removeLast(): void {
    this.lines.pop();
    this.unsaved = Math.max(0, this.unsaved - 1);
    this.added = false;
  }

  /** Keeps the latest so many lines. */
  trim(most: number): void {
    const excess = this.lines.length - most;
    if (excess <= 0) return;
    this.lines.splice(0, excess);
    this.base += excess;
  }

  clear(): void {
    this.lines = [];
    this.base = 1;
    this.unsaved = 0;
  }

  copy(): History {
    const copy = Object.assign(new History(), this);
    copy.lines = this.lines.slice();
    return copy;
  }
}
