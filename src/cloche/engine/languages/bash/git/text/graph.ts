/**
 * The lines that `git log --graph` draws beside the commits, as git draws them. Each column of the graph is a commit that
 * is still to come, and takes two characters; between two commits the lines move to the columns that they will have.
 */

interface GraphCommit {
  oid: string;
  /** Those that are shown too. */
  parents: string[];
}

type Phase = "padding" | "skip" | "before" | "commit" | "after merge" | "collapsing";

const EMPTY = -1;
const MERGE = ["/", "|", "\\"];

export class Graph {
  #phase: Phase = "padding";
  #before: Phase = "padding";
  #commit: GraphCommit = { oid: "", parents: [] };
  /** The commits that the lines lead to, before the current commit and after it. */
  #columns: string[] = [];
  #next: string[] = [];
  /** Which of the next columns the line at each character leads to. */
  #mapping: number[] = [];
  #oldMapping: number[] = [];
  #width = 0;
  #expansion = 0;
  #index = 0;
  #previousIndex = 0;
  /** 0 if the first parent of a merge is to the left of it, else 1. */
  #layout = 1;
  #edges = 0;
  #previousEdges = 0;

  /** Whether all lines that belong to the commit are drawn. */
  get finished(): boolean {
    return this.#phase === "padding";
  }

  /** Goes on to a commit. */
  update(commit: GraphCommit): void {
    this.#commit = commit;
    this.#previousIndex = this.#index;
    this.#updateColumns();
    this.#expansion = 0;
    this.#phase = this.#phase !== "padding" ? "skip" : this.#needsRoom() ? "before" : "commit";
  }

  #enter(phase: Phase): void {
    this.#before = this.#phase;
    this.#phase = phase;
  }

  #updateColumns(): void {
    this.#columns = this.#next;
    this.#next = [];
    this.#mapping = new Array(2 * (this.#columns.length + this.#commit.parents.length)).fill(EMPTY);
    this.#width = 0;
    this.#previousEdges = this.#edges;
    this.#edges = 0;
    for (const [i, oid] of this.#withCommit().entries()) {
      if (oid !== this.#commit.oid) {
        this.#insert(oid, EMPTY);
        continue;
      }
      this.#index = i;
      this.#layout = EMPTY;
      for (const parent of this.#commit.parents) this.#insert(parent, i);
      if (this.#commit.parents.length === 0) this.#width += 2;
    }
    while (this.#mapping.length > 1 && this.#mapping[this.#mapping.length - 1] < 0) this.#mapping.pop();
  }

  /** The columns; a commit that no line leads to has one of its own at the end. */
  #withCommit(): string[] {
    return this.#columns.includes(this.#commit.oid) ? this.#columns : [...this.#columns, this.#commit.oid];
  }

  #insert(oid: string, index: number): void {
    let column = this.#next.indexOf(oid);
    if (column < 0) column = this.#next.push(oid) - 1;
    let place = this.#width;
    if (this.#commit.parents.length > 1 && index > EMPTY && this.#layout === EMPTY) {
      const distance = index - column;
      const shift = distance > 1 ? 2 * distance - 3 : 1;
      this.#layout = distance > 0 ? 0 : 1;
      this.#edges = this.#commit.parents.length + this.#layout - 2;
      place = this.#width + (this.#layout - 1) * shift;
      this.#width += 2 * this.#layout;
    } else if (this.#edges > 0 && column === this.#mapping[this.#width - 2]) {
      // The line goes where the last one of the merge goes: the two join at once.
      place = this.#width - 2;
      this.#edges = -1;
    } else this.#width += 2;
    this.#mapping[place] = column;
  }

  /** How many parents of a merge have their line drawn beside it. */
  get #dashed(): number {
    return this.#commit.parents.length + this.#layout - 3;
  }

  /** Whether lines have to make room for a merge of many. */
  #needsRoom(): boolean {
    return this.#commit.parents.length >= 3 && this.#index < this.#columns.length - 1 &&
      this.#expansion < this.#dashed * 2;
  }

  /** Whether every line is where it has to be. */
  #isSettled(): boolean {
    return this.#mapping.every((column, i) => column < 0 || column === i >> 1);
  }

  /** The lines up to that of the commit; that one is left open for its text. */
  start(): string {
    if (this.finished) return this.padding();
    let text = "";
    for (;;) {
      const last = this.#phase === "commit";
      text += this.nextLine();
      if (last || this.finished) return text;
      text += "\n";
    }
  }

  /** The next line of the commit. */
  nextLine(): string {
    return this.#draw().padEnd(this.#width);
  }

  #draw(): string {
    switch (this.#phase) {
      case "padding":
        return this.#next.map(() => "| ").join("");
      case "skip":
        this.#enter(this.#needsRoom() ? "before" : "commit");
        return "...";
      case "before":
        return this.#drawRoom();
      case "commit":
        return this.#drawCommit();
      case "after merge":
        return this.#drawMerge();
      case "collapsing":
        return this.#drawCollapsing();
    }
  }

  /** A line between commits, or beside what belongs to one. */
  padding(): string {
    if (this.#phase !== "commit") return this.nextLine();
    const { oid, parents } = this.#commit;
    const line = this.#columns.map((column) =>
      column === oid && parents.length > 2 ? "|".padEnd(1 + (parents.length - 2) * 2) : "| "
    ).join("");
    this.#before = "padding";
    return line.padEnd(this.#width);
  }

  #drawRoom(): string {
    let line = "";
    let seen = false;
    for (const [i, oid] of this.#columns.entries()) {
      if (oid === this.#commit.oid) {
        seen = true;
        line += "|" + " ".repeat(this.#expansion);
      } else if (!seen) line += "|";
      else if (this.#expansion > 0) line += "\\";
      else line += this.#before === "after merge" && this.#previousIndex < i ? "\\" : "|";
      line += " ";
    }
    this.#expansion++;
    if (!this.#needsRoom()) this.#enter("commit");
    return line;
  }

  #drawCommit(): string {
    let line = "";
    let seen = false;
    const { oid: own, parents } = this.#commit;
    for (const [i, oid] of this.#withCommit().entries()) {
      if (oid === own) {
        seen = true;
        line += "*";
        for (let n = 0; parents.length > 2 && n < this.#dashed; n++) line += n === this.#dashed - 1 ? "-." : "--";
      } else if (seen && this.#edges > 1) line += "\\";
      else if (seen && this.#edges === 1) {
        const slanted = this.#before === "after merge" && this.#previousEdges > 0 && this.#previousIndex < i;
        line += slanted ? "\\" : "|";
      } else if (
        this.#before === "collapsing" && this.#oldMapping[2 * i + 1] === i && (this.#mapping[2 * i] ?? EMPTY) < i
      ) line += "/";
      else line += "|";
      line += " ";
    }
    this.#enter(parents.length > 1 ? "after merge" : this.#isSettled() ? "padding" : "collapsing");
    return line;
  }

  #drawMerge(): string {
    let line = "";
    let [seen, passed] = [false, false];
    const { oid: own, parents } = this.#commit;
    for (const [i, oid] of this.#withCommit().entries()) {
      if (oid === own) {
        seen = true;
        line += this.#drawEdges();
      } else if (seen) line += this.#edges > 0 ? "\\ " : "| ";
      else {
        line += "|";
        if (this.#layout !== 0 || i !== this.#index - 1) line += passed ? "_" : " ";
      }
      if (oid === parents[0]) passed = true;
    }
    this.#enter(this.#isSettled() ? "padding" : "collapsing");
    return line;
  }

  #drawEdges(): string {
    const { length } = this.#commit.parents;
    let line = "";
    let kind = this.#layout;
    for (let i = 0; i < length; i++) {
      line += MERGE[kind];
      if (kind < 2) kind++;
      else if (this.#edges > 0 || i < length - 1) line += " ";
    }
    return this.#edges === 0 ? line + " " : line;
  }

  #drawCollapsing(): string {
    const from = this.#mapping;
    const size = from.length;
    const to: number[] = new Array(size).fill(EMPTY);
    let [edge, edgeTarget] = [EMPTY, EMPTY];
    const lead = (target: number, end: number, at: number) => {
      if (edge !== EMPTY) return;
      [edge, edgeTarget] = [at, target];
      for (let i = target * 2 + 3; i < end; i += 2) to[i] = target;
    };
    for (const [i, target] of from.entries()) {
      if (target < 0) continue;
      if (target * 2 === i) to[i] = target;
      else if (to[i - 1] < 0) {
        to[i - 1] = target;
        lead(target, i - 2, i);
      } else if (to[i - 1] !== target) {
        // It crosses the line beside it.
        to[i - 2] = target;
        lead(target, i - 2, i - 1);
      }
    }
    this.#oldMapping = [...to];
    this.#mapping = to;
    if (to[size - 1] < 0) to.pop();
    const line = this.#drawMapping(edge, edgeTarget);
    if (this.#isSettled()) this.#enter("padding");
    return line;
  }

  #drawMapping(edge: number, edgeTarget: number): string {
    let line = "";
    let horizontal = false;
    for (const [i, target] of this.#mapping.entries()) {
      if (target < 0) line += " ";
      else if (target * 2 === i) line += "|";
      else if (target === edgeTarget && i !== edge - 1) {
        if (i !== target * 2 + 3) this.#mapping[i] = EMPTY;
        horizontal = true;
        line += "_";
      } else {
        if (horizontal && i < edge) this.#mapping[i] = EMPTY;
        line += "/";
      }
    }
    return line;
  }
}
