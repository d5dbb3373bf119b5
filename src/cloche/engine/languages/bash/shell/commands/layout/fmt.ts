/** fmt: fills paragraphs. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";
import { textWidth } from "./width.ts";

const USAGE = {
  letters: "cp:stuw:g:",
  long: {
    "crown-margin": "c",
    "prefix=": "p",
    "split-only": "s",
    "tagged-paragraph": "t",
    "uniform-spacing": "u",
    "width=": "w",
    "goal=": "g",
  },
  synopsis: "[-WIDTH] [OPTION]... [FILE]...",
};

interface Limits {
  most: number;
  goal: number;
}

/** How blanks from a column on are written. */
type Shape = (column: number, width: number) => string;

interface Word {
  text: string;
  /** Blanks after it. */
  space: number;
  /** Whether a sentence ends with it, for certain. */
  final: boolean;
  /** Whether it ends with a stop, and whether with another mark. */
  period: boolean;
  mark: boolean;
  opens: boolean;
}

const TAB = 8;
const SHORT = 100;
const LINE_COST = 70 * 70;
const WIDOW = 200 * 200;
const ORPHAN = 150 * 150;
const SENTENCE = 50 * 50;
const NO_BREAK = 600 * 600;
const PAREN = 40 * 40;
const PUNCTUATION = 40 * 40;

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  const [first, ...rest] = line.split("\t");
  return rest.reduce((text, part) => text + " ".repeat(TAB - textWidth(text) % TAB) + part, first);
}

function readWords(lines: string[], uniform: boolean): Word[] {
  const words: Word[] = [];
  for (const line of lines) {
    const parts = [...line.matchAll(/(\S+)(\s*)/g)];
    parts.forEach(([, text, blanks], i) => {
      const period = /[.?!]["')\]]*$/.test(text);
      const atEnd = i === parts.length - 1;
      const final = period && (atEnd || blanks.length > 1);
      const space = atEnd || uniform ? final ? 2 : 1 : blanks.length;
      words.push({ text, space, final, period, mark: /[^\w]$/.test(text), opens: /^["'(\[`]/.test(text) });
    });
  }
  return words;
}

/** The cost of beginning a line with a word. */
function breakCost(words: Word[], at: number): number {
  let cost = LINE_COST;
  if (at > 0) {
    const before = words[at - 1];
    if (before.period) cost = before.final ? cost - SENTENCE : cost + NO_BREAK;
    else if (before.mark) cost -= PUNCTUATION;
    else if (at > 1 && words[at - 2].final) cost += WIDOW / (textWidth(before.text) + 2);
  }
  if (words[at].opens) cost -= PAREN;
  else if (words[at].final) cost += ORPHAN / (textWidth(words[at].text) + 2);
  return cost;
}

/** Where lines begin so that they are filled most evenly. */
function chooseBreaks(words: Word[], first: number, other: number, { most, goal }: Limits): number[] {
  const widths = words.map(({ text }) => textWidth(text));
  const best = new Array<number>(words.length + 1).fill(0);
  const next = new Array<number>(words.length).fill(words.length);
  const lengths = new Array<number>(words.length).fill(0);
  for (let start = words.length - 1; start >= 0; start--) {
    let length = (start === 0 ? first : other) + widths[start];
    let least = Infinity;
    for (let end = start + 1;; end++) {
      let cost = best[end];
      if (end < words.length) {
        cost += SHORT * (goal - length) ** 2;
        if (next[end] < words.length) cost += SHORT / 2 * (length - lengths[end]) ** 2;
      }
      if (cost < least) {
        least = cost;
        next[start] = end;
        lengths[start] = length;
      }
      if (end >= words.length) break;
      length += words[end - 1].space + widths[end];
      if (length >= most) break;
    }
    best[start] = least + breakCost(words, start);
  }
  const breaks = [0];
  for (let at = next[0]; at < words.length; at = next[at]) breaks.push(at);
  return breaks;
}

function writeParagraph(tool: Tool, lines: string[], prefix: string, shape: Shape, limits: Limits): void {
  const { given } = tool;
  const bodies = lines.map((line) => line.slice(prefix.length));
  const indents = bodies.map((body) => /^[ \t]*/.exec(body)?.[0] ?? "");
  if (given.has("s")) {
    for (const [i, body] of bodies.entries()) {
      fill(tool, [body], prefix + indents[i], prefix + indents[i], shape, limits);
    }
    return;
  }
  const differs = given.has("c") || given.has("t");
  fill(tool, bodies, prefix + indents[0], prefix + (differs ? indents[1] ?? indents[0] : indents[0]), shape, limits);
}

function fill(tool: Tool, bodies: string[], first: string, other: string, shape: Shape, limits: Limits): void {
  const words = readWords(bodies, tool.given.has("u"));
  const breaks = chooseBreaks(words, textWidth(first), textWidth(other), limits);
  breaks.forEach((start, i) => {
    const end = breaks[i + 1] ?? words.length;
    const [, head = "", indent = ""] = /^(.*?)( *)$/.exec(i === 0 ? first : other) ?? [];
    let line = head + shape(textWidth(head), indent.length);
    let column = textWidth(head) + indent.length;
    for (const { text, space } of words.slice(start, end - 1)) {
      line += text;
      column += textWidth(text);
      line += shape(column, space);
      column += space;
    }
    tool.out.write(`${line}${words[end - 1].text}\n`);
  });
}

const fmt = defineTool("fmt", USAGE, async (tool) => {
  const { given } = tool;
  const number = (key: string, what: string) => {
    const word = given.get(key);
    if (word === undefined) return undefined;
    if (!/^\d+$/.test(word) || Number(word) > 2500) throw new CommandError(`invalid ${what}: '${word}'`);
    return Number(word);
  };
  const goalGiven = number("g", "goal");
  const width = number("w", "width") ?? (goalGiven === undefined ? 75 : goalGiven + 10);
  // Lines are shorter than the width by what evens them out.
  const limits = { most: width, goal: goalGiven ?? Math.floor(width * 187 / 200) };
  const prefix = (given.get("p") ?? "").trimStart();
  // What has tabs is written with tabs.
  let tabs = false;
  const shape = (column: number, width: number) => {
    const last = Math.floor((column + width) / TAB) * TAB;
    if (!tabs || column + 1 >= last) return " ".repeat(width);
    return "\t".repeat(Math.ceil((last - column) / TAB)) + " ".repeat(column + width - last);
  };
  await tool.eachFile(tool.inputs, async (stream) => {
    let paragraph: string[] = [];
    const finish = () => {
      if (paragraph.length > 0) writeParagraph(tool, paragraph, prefix, shape, limits);
      paragraph = [];
    };
    for await (const lines of tool.batches(stream)) {
      for (const raw of lines) {
        tabs ||= raw.includes("\t");
        const line = expandTabs(raw).trimEnd();
        const body = line.startsWith(prefix) ? line.slice(prefix.length) : undefined;
        if (body === undefined || body.trim() === "") {
          finish();
          tool.out.write(`${line}\n`);
          continue;
        }
        const indent = (text: string) => /^[ ]*/.exec(text.slice(prefix.length))?.[0].length ?? 0;
        const [one, two] = paragraph;
        const splits = one !== undefined && !given.has("s") &&
          (given.has("c") || given.has("t")
            ? two !== undefined && indent(line) !== indent(two)
            : indent(line) !== indent(one));
        if (splits) finish();
        paragraph.push(line);
      }
    }
    finish();
  }, (name, reason) => `cannot open '${name}' for reading: ${reason}`);
}, (args) => args.map((arg, i) => i === 0 && /^-\d+$/.test(arg) ? `-w${arg.slice(1)}` : arg));

export const commands = [fmt];
