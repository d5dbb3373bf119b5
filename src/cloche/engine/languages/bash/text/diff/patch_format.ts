/** Reading unified diffs and applying them to lines. */

export interface Hunk {
  oldStart: number;
  newStart: number;
  /** Lines with their mark: " ", "-" or "+". */
  lines: string[];
  /** Whether the last old or new line has no end. */
  oldOpen: boolean;
  newOpen: boolean;
  /** Whether it comes without context: then what is added at the top is no new file. */
  bare?: boolean;
}

export interface FilePatch {
  oldName: string;
  newName: string;
  hunks: Hunk[];
  renames: boolean;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The file patches in a text; everything between them is ignored, as patch does. */
export function parsePatch(text: string): FilePatch[] {
  const lines = text.split("\n");
  const files: FilePatch[] = [];
  let renamed: { from?: string; to?: string } = {};
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (line.startsWith("diff --git ")) renamed = {};
    if (line.startsWith("rename from ")) renamed.from = line.slice(12);
    if (line.startsWith("rename to ")) {
      renamed.to = line.slice(10);
      files.push({ oldName: `a/${renamed.from}`, newName: `b/${renamed.to}`, hunks: [], renames: true });
    }
    if (line.startsWith("--- ") && lines[i + 1]?.startsWith("+++ ")) {
      const names = { oldName: nameOf(line), newName: nameOf(lines[i + 1]) };
      const last = files.at(-1);
      if (renamed.to !== undefined && last?.renames) Object.assign(last, names);
      else files.push({ ...names, hunks: [], renames: false });
      renamed = {};
      i++;
      continue;
    }
    const match = line.match(HUNK);
    const file = files.at(-1);
    if (!match || !file) continue;
    const [hunk, used] = parseHunk(lines, i, match);
    file.hunks.push(hunk);
    i += used;
  }
  return files;
}

/** The name in a header; a file whose time is the epoch is not there, as with /dev/null. */
function nameOf(line: string): string {
  const [name, time = ""] = line.slice(4).replace(/\r$/, "").split("\t");
  if (Date.parse(time.replace(/(\.\d{3})\d*/, "$1")) === 0) return "/dev/null";
  return name.replace(/^"(.*)"$/, (_, quoted: string) => unquote(quoted)).trimEnd();
}

/** A name that was quoted as in C. */
function unquote(name: string): string {
  return name.replace(/\\([0-7]{3}|.)/g, (_, what: string) => {
    if (what.length === 3) return String.fromCharCode(parseInt(what, 8));
    return { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" }[what] ?? what;
  });
}

function parseHunk(lines: string[], start: number, match: RegExpMatchArray): [Hunk, number] {
  let olds = Number(match[2] ?? 1);
  let news = Number(match[4] ?? 1);
  const hunk: Hunk = {
    oldStart: Number(match[1]),
    newStart: Number(match[3]),
    lines: [],
    oldOpen: false,
    newOpen: false,
  };
  let i = start + 1;
  for (; i < lines.length; i++) {
    const line = lines[i];
    const mark = line[0] ?? " ";
    if (mark === "\\") {
      const last = hunk.lines.at(-1)?.[0];
      if (last !== "+") hunk.oldOpen = true;
      if (last !== "-") hunk.newOpen = true;
      continue;
    }
    if (olds <= 0 && news <= 0 || !" -+".includes(mark)) break;
    hunk.lines.push(line === "" ? " " : line);
    if (mark !== "+") olds--;
    if (mark !== "-") news--;
  }
  return [hunk, i - start - 1];
}

/** The opposite patch. */
export function reversePatch(file: FilePatch): FilePatch {
  const flip = (line: string) => line[0] === "-" ? `+${line.slice(1)}` : line[0] === "+" ? `-${line.slice(1)}` : line;
  const hunks = file.hunks.map((hunk) => ({
    oldStart: hunk.newStart,
    newStart: hunk.oldStart,
    lines: sorted(hunk.lines.map(flip)),
    oldOpen: hunk.newOpen,
    newOpen: hunk.oldOpen,
    bare: hunk.bare,
  }));
  return { ...file, oldName: file.newName, newName: file.oldName, hunks };
}

// Within a change, removed lines come before added ones.
function sorted(lines: string[]): string[] {
  const out: string[] = [];
  let added: string[] = [];
  for (const line of lines) {
    if (line[0] === "+") added.push(line);
    else if (line[0] === "-") out.push(line);
    else {
      out.push(...added, line);
      added = [];
    }
  }
  return [...out, ...added];
}

/** Where a hunk went, or that it found no place. */
export interface Placed {
  hunk: Hunk;
  /** Line number, from 1; undefined if it was rejected. */
  line: number | undefined;
  offset: number;
  fuzz: number;
}

/** Applies hunks to the lines of a file (the last is "" if the file ends with a line end); `lines` is changed. */
export function applyHunks(lines: string[], hunks: Hunk[], maxFuzz: number, ignoreBlanks = false): Placed[] {
  let shift = 0;
  let offset = 0;
  let floor = 0;
  return hunks.map((hunk) => {
    const begin = beginOf(hunk);
    const found = place(lines, hunk, begin + shift + offset, { maxFuzz, ignoreBlanks }, floor);
    if (!found) return { hunk, line: undefined, offset: 0, fuzz: 0 };
    const { at, fuzz, head, tail } = found;
    const kept = hunk.lines.slice(head, hunk.lines.length - tail);
    const olds = kept.filter((line) => line[0] !== "+").length;
    const news = newLines(kept, lines, at);
    const isLast = at + olds >= lines.length - 1;
    lines.splice(at, olds, ...news);
    if (isLast && tail === 0) fixEnd(lines, hunk, at + news.length);
    offset = at - head - (begin + shift);
    shift += news.length - olds;
    floor = at + news.length;
    return { hunk, line: at - head + 1, offset, fuzz };
  });
}

/** The index of its first line; what is only added comes behind the line that is named. */
function beginOf({ lines, oldStart }: Hunk): number {
  return Math.max(0, lines.every((line) => line[0] === "+") ? oldStart : oldStart - 1);
}

/** The lines that take the place of others; those around a change stay as the file has them. */
function newLines(kept: string[], lines: string[], at: number): string[] {
  let old = at;
  return kept.flatMap((line) => {
    if (line[0] === "-") old++;
    if (line[0] === " ") return [lines[old++]];
    return line[0] === "+" ? [line.slice(1)] : [];
  });
}

// The marker "\ No newline at end of file" says whether the new last line is complete.
function fixEnd(lines: string[], hunk: Hunk, end: number): void {
  if (hunk.newOpen && lines[end] === "" && end === lines.length - 1) lines.pop();
  else if (!hunk.newOpen && hunk.oldOpen && end === lines.length) lines.push("");
  else if (!hunk.newOpen && end === lines.length) lines.push("");
}

interface Place {
  at: number;
  fuzz: number;
  head: number;
  tail: number;
}

interface Tolerance {
  maxFuzz: number;
  /** Blanks may differ in their number. */
  ignoreBlanks: boolean;
}

function place(lines: string[], hunk: Hunk, wanted: number, tolerance: Tolerance, floor: number): Place | undefined {
  const { maxFuzz, ignoreBlanks } = tolerance;
  const context = (list: string[]) => {
    const count = list.findIndex((line) => line[0] !== " ");
    return count < 0 ? list.length : count;
  };
  const leading = context(hunk.lines);
  const trailing = context(hunk.lines.toReversed());
  const longest = Math.max(leading, trailing);
  for (let fuzz = 0; fuzz <= Math.min(maxFuzz, longest); fuzz++) {
    const head = Math.max(0, fuzz + leading - longest);
    const tail = Math.max(0, fuzz + trailing - longest);
    const olds = hunk.lines.slice(head, hunk.lines.length - tail).filter((line) => line[0] !== "+");
    const at = search(lines, olds.map((line) => line.slice(1)), wanted + head, floor, hunk, ignoreBlanks);
    if (at !== undefined) return { at, fuzz, head, tail };
  }
  return undefined;
}

function search(
  lines: string[],
  olds: string[],
  wanted: number,
  floor: number,
  hunk: Hunk,
  ignoreBlanks: boolean,
): number | undefined {
  const squeeze = (line: string) => line.replace(/[ \t]+/g, " ").trimEnd();
  const same = ignoreBlanks
    ? (a: string | undefined, b: string) => a !== undefined && squeeze(a) === squeeze(b)
    : (a: string | undefined, b: string) => a === b;
  const fits = (at: number) => at >= floor && olds.every((line, i) => same(lines[at + i], line));
  if (hunk.oldStart === 0 && !hunk.bare && olds.length === 0) {
    return lines.length <= 1 && (lines[0] ?? "") === "" ? 0 : undefined;
  }
  if (olds.length === 0) return Math.min(wanted, Math.max(lines.length - 1, 0));
  for (let distance = 0; distance <= lines.length; distance++) {
    if (fits(wanted + distance)) return wanted + distance;
    if (distance > 0 && wanted - distance >= 0 && fits(wanted - distance)) return wanted - distance;
  }
  return undefined;
}
