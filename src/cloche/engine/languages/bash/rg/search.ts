/** Finds the matching lines of a text, with the lines around them. */

/** One match, in characters from the start of its block. */
export interface Match {
  start: number;
  end: number;
  groups: RegExpExecArray;
}

/** Lines that belong together: one line, or all that a match across lines touches. */
export interface Block {
  /** The number of its first line. */
  line: number;
  /** Where it starts in the text. */
  start: number;
  /** With the ends of its lines. */
  text: string;
  /** None in a line of context, or where lines without a match are wanted. */
  matches: Match[];
  context: boolean;
}

export interface SearchOptions {
  expression: RegExp;
  multiline: boolean;
  invert: boolean;
  before: number;
  after: number;
  /** Most lines, or blocks, that match. */
  most: number;
  /** Whether every line is shown. */
  all: boolean;
  /** What ends a line. */
  end: string;
}

/** What matches, in order, with lines of context. */
export function searchText(text: string, options: SearchOptions): Block[] {
  const lines = splitLines(text, options.end);
  const chosen = options.multiline ? byText(text, lines, options) : byLine(lines, options);
  if (options.all) return withContext(lines, chosen, Infinity, Infinity);
  return options.before + options.after === 0 ? chosen : withContext(lines, chosen, options.before, options.after);
}

function splitLines(text: string, end: string): Block[] {
  const lines: Block[] = [];
  for (let start = 0; start < text.length;) {
    const found = text.indexOf(end, start);
    const next = found < 0 ? text.length : found + 1;
    lines.push({ line: lines.length + 1, start, text: text.slice(start, next), matches: [], context: false });
    start = next;
  }
  return lines;
}

function byLine(lines: Block[], { expression, invert, most, end }: SearchOptions): Block[] {
  const chosen: Block[] = [];
  for (const line of lines) {
    if (chosen.length >= most) break;
    const matches = allMatches(line.text.endsWith(end) ? line.text.slice(0, -1) : line.text, expression);
    if (matches.length > 0 === invert) continue;
    chosen.push({ ...line, matches });
  }
  return chosen;
}

function byText(text: string, lines: Block[], { expression, invert, most }: SearchOptions): Block[] {
  const found = allMatches(text, expression);
  const blocks: Block[] = [];
  const touched = new Set<number>();
  let at = 0;
  for (const { start, end, groups } of found) {
    while (at + 1 < lines.length && lines[at + 1].start <= start) at++;
    let last = at;
    while (last + 1 < lines.length && lines[last + 1].start < end) last++;
    const previous = blocks.at(-1);
    const from = lines[at];
    if (!from || from.start + from.text.length <= start && start === text.length && text.endsWith("\n")) continue;
    if (!previous || previous.start + previous.text.length <= from.start) {
      if (!invert && blocks.length >= most) break;
      blocks.push({ line: from.line, start: from.start, text: "", matches: [], context: false });
    }
    const block = blocks[blocks.length - 1];
    block.text = text.slice(block.start, lines[last].start + lines[last].text.length);
    block.matches.push({ start: start - block.start, end: end - block.start, groups });
    for (let line = at; line <= last; line++) touched.add(line);
  }
  return invert ? lines.filter((_, i) => !touched.has(i)).slice(0, most) : blocks;
}

function allMatches(text: string, expression: RegExp): Match[] {
  const matches: Match[] = [];
  expression.lastIndex = 0;
  for (let found = expression.exec(text); found; found = expression.exec(text)) {
    const end = found.index + found[0].length;
    matches.push({ start: found.index, end, groups: found });
    if (found[0] === "") expression.lastIndex += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return matches;
}

function withContext(lines: Block[], chosen: Block[], before: number, after: number): Block[] {
  const blocks: Block[] = [];
  let next = 0;
  const add = (from: number, to: number) => {
    for (let i = Math.max(from, next); i < Math.min(to, lines.length); i++) {
      blocks.push({ ...lines[i], context: true });
    }
    next = Math.max(next, Math.min(to, lines.length));
  };
  for (const [i, block] of chosen.entries()) {
    const first = block.line - 1;
    add(before === Infinity ? 0 : first - before, first);
    blocks.push(block);
    const count = linesIn(block.text);
    next = first + count;
    const limit = chosen[i + 1] ? chosen[i + 1].line - 1 : lines.length;
    add(next, Math.min(limit, after === Infinity ? lines.length : next + after));
  }
  if (before === Infinity) add(next, lines.length);
  return blocks;
}

/** How many lines a block has. */
export function linesIn(text: string): number {
  return Math.max(1, text.split("\n").length - (text.endsWith("\n") ? 1 : 0));
}

/** A replacement such as `$1-${name}` with its groups filled in. */
export function expandReplacement(template: string, groups: RegExpExecArray): string {
  return template.replace(/\$(?:(\$)|\{(\w+)\}|(\w+))/g, (_, dollar, braced, plain) => {
    if (dollar) return "$";
    const name: string = braced ?? plain;
    return (/^\d+$/.test(name) ? groups[Number(name)] : groups.groups?.[name]) ?? "";
  });
}
