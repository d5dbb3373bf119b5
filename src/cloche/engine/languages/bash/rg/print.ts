/** Prints the matches of rg. */
import { encodeText } from "../text/byte_strings.ts";
import { type Block, expandReplacement, linesIn, type Match } from "./search.ts";

export interface Style {
  filename: boolean;
  heading: boolean;
  lineNumber: boolean;
  column: boolean;
  byteOffset: boolean;
  only: boolean;
  /** One line for each match. */
  each: boolean;
  trim: boolean;
  color: boolean;
  /** Stands after a file's name in place of a colon. */
  null: boolean;
  replace: string | undefined;
  maxColumns: number;
  preview: boolean;
  /** Between groups of lines; undefined for none. */
  separator: string | undefined;
  context: boolean;
  matchMark: string;
  contextMark: string;
  end: string;
}

const RESET = "\x1b[0m";
const COLORS = { path: `${RESET}\x1b[35m`, line: `${RESET}\x1b[32m`, match: `${RESET}\x1b[1m\x1b[31m` };

/** One line to be shown: its number, its text, and the matches in it. */
interface Line {
  number: number;
  offset: number;
  text: string;
  spans: [start: number, end: number][];
  context: boolean;
}

/** Prints lines with the names of their files, as for people. */
export class LinePrinter {
  readonly out: string[] = [];
  #files = 0;

  constructor(private readonly style: Style) {}

  /** Whether lines show the names of their files. */
  get named(): boolean {
    return this.style.filename;
  }

  /** The matches in one file; `offsetOf` returns the position of a character in bytes. */
  print(name: string, blocks: Block[], offsetOf: (at: number) => number): void {
    const { style } = this;
    if (blocks.length === 0) return;
    if (this.#files++ > 0) {
      if (style.heading) this.out.push("\n");
      else if (style.context && style.separator !== undefined) this.out.push(`${style.separator}\n`);
    }
    if (style.filename && style.heading) this.out.push(this.#paint("path", name), style.null ? "\0" : "\n");
    let next = blocks[0].line;
    for (const block of blocks) {
      if (style.context && block.line > next && style.separator !== undefined) this.out.push(`${style.separator}\n`);
      next = block.line + linesIn(block.text);
      for (const line of this.#lines(block, offsetOf)) this.#line(name, line);
    }
  }

  #lines(block: Block, offsetOf: (at: number) => number): Line[] {
    const { style } = this;
    if (block.matches.length === 0 || block.context) return style.only ? [] : split(block, [], offsetOf, style.end);
    if (style.only) {
      return block.matches.flatMap((match) => this.#alone(block, match, offsetOf));
    }
    if (style.each) {
      return block.matches.flatMap((match) =>
        split(block, [[match.start, match.end]], offsetOf, style.end).filter(hasSpan)
      );
    }
    if (style.replace === undefined) {
      return split(block, block.matches.map(({ start, end }) => [start, end]), offsetOf, style.end);
    }
    const { text, spans } = replaceAll(block, style.replace);
    return split({ ...block, text }, spans, () => offsetOf(block.start), style.end);
  }

  #alone(block: Block, match: Match, offsetOf: (at: number) => number): Line[] {
    if (match.start === match.end) return [];
    const shown = this.style.replace === undefined
      ? block.text.slice(match.start, match.end)
      : expandReplacement(this.style.replace, match.groups);
    const before = block.text.slice(0, match.start);
    const number = block.line + before.split("\n").length - 1;
    const column = match.start - (before.lastIndexOf("\n") + 1);
    return shown.replace(/\n$/, "").split("\n").map((text, i) => ({
      number: number + i,
      offset: offsetOf(block.start + match.start),
      text,
      spans: [[0, text.length]],
      context: false,
      column: i === 0 ? column : 0,
    }));
  }

  #line(name: string, line: Line & { column?: number }): void {
    const { style } = this;
    const mark = line.context ? style.contextMark : style.matchMark;
    let prefix = "";
    if (style.filename && !style.heading) prefix += this.#paint("path", name) + (style.null ? "\0" : mark);
    if (style.lineNumber) prefix += this.#paint("line", String(line.number)) + mark;
    const first = line.column ?? line.spans[0]?.[0];
    if (style.column && !line.context && first !== undefined) {
      prefix += `${
        encodeText(line.column === undefined ? line.text.slice(0, first) : "x".repeat(first)).length + 1
      }${mark}`;
    }
    if (style.byteOffset) prefix += `${line.offset}${mark}`;
    this.out.push(prefix, this.#content(line), style.end);
  }

  #content(line: Line): string {
    const { style } = this;
    const skipped = style.trim ? line.text.length - line.text.trimStart().length : 0;
    const text = line.text.slice(skipped);
    if (encodeText(text).length > style.maxColumns) return this.#shortened(text, line);
    if (!style.color || line.context) return text;
    let out = "";
    let at = 0;
    for (const [start, end] of line.spans) {
      const from = Math.max(at, start - skipped);
      if (end - skipped <= from) continue;
      out += text.slice(at, from) + COLORS.match + text.slice(from, end - skipped) + RESET;
      at = end - skipped;
    }
    return out + text.slice(at);
  }

  #shortened(text: string, { context }: Line): string {
    const { preview, maxColumns } = this.style;
    if (preview) return `${text.slice(0, maxColumns)} [... omitted end of long line]`;
    return context ? "[Omitted long context line]" : "[Omitted long matching line]";
  }

  #paint(part: keyof typeof COLORS, text: string): string {
    return this.style.color ? `${COLORS[part]}${text}${RESET}` : text;
  }
}

function hasSpan({ spans }: Line): boolean {
  return spans.length > 0;
}

function replaceAll(block: Block, template: string): { text: string; spans: [number, number][] } {
  let text = "";
  let at = 0;
  const spans: [number, number][] = [];
  for (const { start, end, groups } of block.matches) {
    text += block.text.slice(at, start);
    const from = text.length;
    text += expandReplacement(template, groups);
    spans.push([from, text.length]);
    at = end;
  }
  return { text: text + block.text.slice(at), spans };
}

/** The lines of a block, each with its part of the spans. */
function split(block: Block, spans: [number, number][], offsetOf: (at: number) => number, end: string): Line[] {
  const lines: Line[] = [];
  const text = block.text.endsWith(end) ? block.text.slice(0, -1) : block.text;
  let at = 0;
  for (const part of text.split(end)) {
    const last = at + part.length;
    const start = at;
    const own = spans.filter(([from, to]) => from <= last && to > start || from === to && from >= start && from <= last)
      .map(([from, to]): [number, number] => [Math.max(from, start) - start, Math.min(to, last) - start]);
    const context = block.context;
    lines.push({
      number: block.line + lines.length,
      offset: offsetOf(block.start + at),
      text: part,
      spans: own,
      context,
    });
    at = last + 1;
  }
  return lines;
}

interface Stats {
  searches: number;
  searches_with_match: number;
  bytes_searched: number;
  bytes_printed: number;
  matched_lines: number;
  matches: number;
}

/** Prints one JSON object a line, as for programs. */
export class JsonPrinter {
  readonly out: string[] = [];
  readonly total: Stats = emptyStats();

  constructor(private readonly started = performance.now()) {}

  print(name: string, blocks: Block[], bytes: number, offsetOf: (at: number) => number): void {
    const stats = { ...emptyStats(), searches: 1, searches_with_match: 1, bytes_searched: bytes };
    const path = dataOf(name);
    const add = (type: string, data: object) => {
      const line = `${JSON.stringify({ type, data })}\n`;
      stats.bytes_printed += encodeText(line).length;
      this.out.push(line);
    };
    add("begin", { path });
    for (const block of blocks) {
      const { text, matches, line, start, context } = block;
      const place = (at: number) => encodeText(text.slice(0, at)).length;
      const submatches = matches.map(({ start: from, end }) => (
        { match: dataOf(text.slice(from, end)), start: place(from), end: place(end) }
      ));
      const absolute = offsetOf(start);
      const data = { path, lines: dataOf(text), line_number: line, absolute_offset: absolute };
      add(context ? "context" : "match", { ...data, submatches: context ? [] : submatches });
      if (!context) stats.matched_lines += linesIn(text);
      if (!context) stats.matches += matches.length;
    }
    for (const key of Object.keys(stats) as (keyof Stats)[]) this.total[key] += stats[key];
    const elapsed = { secs: 0, nanos: 1000, human: "0.000001s" };
    this.out.push(
      `${JSON.stringify({ type: "end", data: { path, binary_offset: null, stats: { elapsed, ...stats } } })}\n`,
    );
  }

  finish(): void {
    const { searches, searches_with_match, bytes_searched, bytes_printed, matched_lines, matches } = this.total;
    const nanos = Math.round((performance.now() - this.started) * 1e6);
    const spent = { human: `${(nanos / 1e9).toFixed(6)}s`, nanos: nanos % 1e9, secs: Math.floor(nanos / 1e9) };
    const stats = {
      bytes_printed,
      bytes_searched,
      elapsed: spent,
      matched_lines,
      matches,
      searches,
      searches_with_match,
    };
    this.out.push(`${JSON.stringify({ data: { elapsed_total: spent, stats }, type: "summary" })}\n`);
  }
}

function emptyStats(): Stats {
  return { searches: 0, searches_with_match: 0, bytes_searched: 0, bytes_printed: 0, matched_lines: 0, matches: 0 };
}

/** Text, or base64 for bytes that are not text. */
function dataOf(text: string): { text: string } | { bytes: string } {
  return /[\udc80-\udcff]/u.test(text) ? { bytes: btoa(encodeText(text)) } : { text };
}
